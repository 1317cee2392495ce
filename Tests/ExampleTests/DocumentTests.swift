import Foundation
import Testing

@testable import TestSupport

/// The sessions that the README files show: each command works and prints what is shown.
@Suite struct DocumentTests {
  /// A command of a session and the lines below it.
  struct Step {
    let line: Int
    var command: String
    var output: [String] = []
  }

  /// `README.md`, and that of each example.
  static let documents: [String] = {
    let examples = (try? FileManager.default.contentsOfDirectory(atPath: ExampleTests.folder.path))
    let names = (examples ?? []).sorted().map { "examples/\($0)/README.md" }
    let all = names + ["man/credit-tutorial.7"]
    return ["README.md"] + all.filter { !steps(of: $0).isEmpty }
  }()

  static func steps(of document: String) -> [Step] {
    let file = Checkout.root.appending(path: document)
    guard let text = try? String(contentsOf: file, encoding: .utf8) else { return [] }
    return steps(in: document.hasSuffix(".md") ? text : markdown(ofManual: text))
  }

  @Test func documentsAreThere() {
    #expect(Self.documents.contains("examples/pipeline/README.md"))
    #expect(Self.steps(of: "README.md").count > 10)
    #expect(Self.steps(of: "man/credit-tutorial.7").count > 20)
  }

  @Test(arguments: documents)
  func printsWhatItShows(_ document: String) async throws {
    let steps = Self.steps(of: document)
    let script = try Script()
    defer { script.remove() }
    try script.add(command: "curl", "cat examples/responses/message.json")
    try script.add(command: "uuidgen", "cat /proc/sys/kernel/random/uuid || echo one")
    let session = script.root.appending(path: "session.bash")
    // A manual page is read in a folder of one's own.
    let start = document.hasSuffix(".md") ? "" : "cd \"$HOME\"\n"
    let commands = steps.map { "\($0.command)\nprintf '\\036\\n'\n" }.joined()
    try Data((start + commands).utf8).write(to: session)
    let outcome = try await script.run([session.path])
    let outputs = outcome.output.components(separatedBy: "\u{1E}\n")
    #expect(outputs.count == steps.count + 1, "the session ended early")
    for (step, output) in zip(steps, outputs) {
      let printed = Self.steady(output.replacing("\(script.root.path)/home/me", with: "/home/me"))
      let shown = Self.steady(step.output.map { $0 + "\n" }.joined())
      #expect(printed == shown, "\(document):\(step.line): \(step.command)")
    }
  }

  /// A manual page whose displays are `console` blocks.
  private static func markdown(ofManual text: String) -> String {
    let escapes = [("\\-", "-"), ("\\(aq", "'"), ("\\(ga", "`"), ("\\e", "\\")]
    let lines = text.components(separatedBy: "\n").map { line in
      if line.hasPrefix(".Bd -literal") { return "```console" }
      if line == ".Ed" { return "```" }
      return escapes.reduce(line) { $0.replacing($1.0, with: $1.1) }
    }
    return lines.joined(separator: "\n")
  }

  /// The steps of the `console` blocks; a command starts with `$ ` and goes on with `> `. A block
  /// that begins with `console python3` counts where there is such a command.
  static func steps(in text: String) -> [Step] {
    var steps: [Step] = []
    var isConsole = false
    for (index, line) in text.components(separatedBy: "\n").enumerated() {
      if line.hasPrefix("```") {
        let words = line.dropFirst(3).split(separator: " ").map(String.init)
        isConsole =
          words.first == "console" && words.dropFirst().allSatisfy(MachineCommands.expects)
      } else if isConsole, line.hasPrefix("$ ") {
        steps.append(Step(line: index + 1, command: String(line.dropFirst(2))))
      } else if isConsole, !steps.isEmpty {
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

  /// A text without what differs from run to run: times, dates and ids.
  static func steady(_ text: String) -> String {
    text.replacing(/[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]+Z/, with: "<time>")
      .replacing(/[0-9]{4}-[0-9]{2}-[0-9]{2}/, with: "<date>")
      .replacing(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/, with: "<uuid>")
  }
}
