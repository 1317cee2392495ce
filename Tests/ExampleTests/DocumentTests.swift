import Foundation
import Testing

@testable import TestSupport

/// The sessions that `README.md` shows: each command works and prints what is shown.
@Suite struct DocumentTests {
  /// A command of a session and the lines below it.
  struct Step {
    let line: Int
    var command: String
    var output: [String] = []
  }

  static let readme = Checkout.root.appending(path: "README.md")

  @Test func readmePrintsWhatItShows() async throws {
    let steps = Self.steps(in: try String(contentsOf: Self.readme, encoding: .utf8))
    #expect(steps.count > 10)
    let script = try Script()
    defer { script.remove() }
    try script.add(command: "curl", "cat examples/responses/message.json")
    try script.add(command: "uuidgen", "cat /proc/sys/kernel/random/uuid || echo one")
    let session = script.root.appending(path: "session.bash")
    let commands = steps.map { "\($0.command)\nprintf '\\036\\n'\n" }.joined()
    try Data(commands.utf8).write(to: session)
    let outcome = try await script.run([session.path])
    let outputs = outcome.output.components(separatedBy: "\u{1E}\n")
    #expect(outputs.count == steps.count + 1, "the session ended early")
    for (step, output) in zip(steps, outputs) {
      let printed = Self.steady(output.replacing("\(script.root.path)/home/me", with: "/home/me"))
      let shown = Self.steady(step.output.map { $0 + "\n" }.joined())
      #expect(printed == shown, "README.md:\(step.line): \(step.command)")
    }
  }

  /// The steps of the `console` blocks; a command starts with `$ ` and goes on with `> `.
  static func steps(in text: String) -> [Step] {
    var steps: [Step] = []
    var isConsole = false
    for (index, line) in text.components(separatedBy: "\n").enumerated() {
      if line.hasPrefix("```") {
        isConsole = line == "```console"
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
