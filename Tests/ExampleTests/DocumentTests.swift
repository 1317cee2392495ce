import Foundation
import Testing

@testable import TestSupport

/// The sessions in documents: each command works and prints the shown output.
@Suite(.slow) struct DocumentTests {
  /// A command of a session and the lines below it.
  struct Step {
    let line: Int
    var command: String
    var output: [String] = []
  }

  /// The README of each example, and the manual pages that show commands.
  static let documents: [String] = {
    let examples = names(in: "examples").map { "examples/\($0)/README.md" }
    let pages = names(in: "man").map { "man/\($0)" }
      .filter { ManualSetup.unrunPages[$0] == nil }
    return (examples + pages).filter { !steps(of: $0).isEmpty }
  }()

  static func names(in folder: String) -> [String] {
    let path = Checkout.root.appending(path: folder).path
    return ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted()
  }

  static func steps(of document: String) -> [Step] {
    shownSteps(of: document).filter { ManualSetup.unrun[$0.command] == nil }
  }

  private static func shownSteps(of document: String) -> [Step] {
    let file = Checkout.root.appending(path: document)
    guard let text = try? String(contentsOf: file, encoding: .utf8) else { return [] }
    return steps(in: document.hasSuffix(".md") ? text : markdown(ofManual: text))
  }

  @Test func documentsAreThere() {
    #expect(Self.documents.contains("examples/pipeline/README.md"))
    #expect(Self.documents.filter { $0.hasPrefix("man/") }.count > 14)
    #expect(Self.steps(of: "man/credit-tutorial.7").count > 20)
  }

  @Test func unrunCommandsAreShown() {
    let shown = Self.names(in: "man").flatMap { Self.shownSteps(of: "man/\($0)").map(\.command) }
    for (command, _) in ManualSetup.unrun { #expect(shown.contains(command)) }
  }

  @Test(arguments: documents)
  func printsTheShownOutput(_ document: String) async throws {
    let steps = Self.steps(of: document)
    let isPage = document.hasPrefix("man/")
    let script = try Script()
    try script.add(command: "curl", "cat '\(Checkout.root.path)/examples/responses/message.json'")
    let session = script.root.appending(path: "session.bash")
    let commands = steps.map { "\($0.command)\nprintf '\\036%s\\n' $?\n" }.joined()
    let start = isPage ? ManualSetup.text(for: document) : ""
    try Data((start + "printf '\\036\\n'\n" + commands).utf8).write(to: session)
    let outcome = try await script.run([session.path])
    var outputs = outcome.output.components(separatedBy: "\u{1E}")
    let preparation = outputs.removeFirst()
    #expect(preparation.isEmpty)
    #expect(outputs.count == steps.count + 1, "the session ended early: \(outcome.output)")
    for (step, (before, after)) in zip(steps, zip(outputs, outputs.dropFirst())) {
      let output = before.drop { $0 != "\n" }.dropFirst()
      let shown = Self.steady(step.output.map { $0 + "\n" }.joined())
      let printed = Self.steady(output.replacing("\(script.root.path)/home/me", with: "/home/me"))
      // A page omits trivial output, but not that a command fails.
      if isPage, shown.isEmpty {
        #expect(after.hasPrefix("0\n"), "\(document):\(step.line): \(step.command)\n\(printed)")
      } else {
        #expect(printed == shown, "\(document):\(step.line): \(step.command)")
      }
    }
  }

  /// A manual page whose displays are `console` blocks.
  private static func markdown(ofManual text: String) -> String {
    let escapes = [
      ("\\&", ""), ("\\-", "-"), ("\\(aq", "'"), ("\\(ga", "`"), ("\\(ti", "~"), ("\\(ha", "^"),
      ("\\e", "\\"),
    ]
    let lines = text.components(separatedBy: "\n").map { line in
      if line.hasPrefix(".Bd -literal") { return "```console" }
      if line == ".Ed" { return "```" }
      return escapes.reduce(line) { $0.replacing($1.0, with: $1.1) }
    }
    return lines.joined(separator: "\n")
  }

  /// The steps of the `console` blocks; a command starts with `$ ` and continues with `> `. A block
  /// that begins with `console python3` counts if there is such a command.
  static func steps(in text: String) -> [Step] {
    var steps: [Step] = []
    var isConsole = false
    var blockStart = 0
    for (index, line) in text.components(separatedBy: "\n").enumerated() {
      if line.hasPrefix("```") {
        let words = line.dropFirst(3).split(separator: " ").map(String.init)
        blockStart = steps.count
        isConsole =
          words.first == "console" && words.dropFirst().allSatisfy(MachineCommands.expects)
      } else if isConsole, line.hasPrefix("$ ") {
        steps.append(Step(line: index + 1, command: String(line.dropFirst(2))))
      } else if isConsole, steps.count > blockStart {
        let last = steps.count - 1
        if line.hasPrefix("> ") {
          steps[last].command += "\n" + line.dropFirst(2)
        } else {
          steps[last].output.append(line)
        }
      }
    }
    return steps
  }

  /// A text without parts that differ from run to run: times, dates and ids.
  static func steady(_ text: some StringProtocol) -> String {
    String(text).replacing(/[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]+Z/, with: "<time>")
      .replacing(/[0-9]{4}-[0-9]{2}-[0-9]{2}/, with: "<date>")
      .replacing(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/, with: "<uuid>")
  }
}
