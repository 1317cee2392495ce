import Foundation

/// A shell session as text: commands with their expected output and status.
///
///     # Prose, anywhere.
///     # gate: local                a file that looks inside the store's directory
///     # local: reason              the steps up to the next such line only apply to a local store
///     # needs: script              the steps up to the next such line need a command beyond bash
///                                  and the coreutils: without it they are left out
///     $ first line of a command
///     > each further line of it
///     expected standard output     one pattern a line; blank lines only separate
///     ? 65                         expected exit status, 0 if left out
///     ! expected standard error    a bare ! means an empty one
///
/// Without a `!` line, standard error must be empty if the expected status is 0, and is ignored
/// otherwise.
struct Transcript: Sendable {
  struct Step: Sendable {
    /// The line of the file that the command starts on, counted from 1.
    let line: Int
    var command: String
    /// Whether it only applies to a local store.
    var isLocalOnly = false
    /// The commands without which it is left out.
    var needs: [String] = []
    var output: [String] = []
    var errors: [String]?
    var status = 0
  }

  struct SyntaxError: Error, CustomStringConvertible {
    let description: String
  }

  let path: String
  private(set) var steps: [Step] = []
  /// Whether the file only applies to the local directory store.
  private(set) var isLocalOnly = false
  /// Whether the steps from here on are of a local store only.
  private var speaksOfLocal = false
  /// Commands that the following steps need.
  private var needs: [String] = []

  /// The transcript in the file at `path`; throws a `SyntaxError` that names the line.
  init(path: String) throws {
    try self.init(path: path, text: String(contentsOfFile: path, encoding: .utf8))
  }

  init(path: String, text: String) throws {
    self.path = path
    for (index, line) in text.components(separatedBy: "\n").enumerated() {
      try add(line, number: index + 1)
    }
    guard !steps.isEmpty else { throw SyntaxError(description: "\(path): no commands") }
  }

  private mutating func add(_ line: String, number: Int) throws {
    if line == "# gate: local" { isLocalOnly = true }
    if line.hasPrefix("# needs:") {
      needs = line.dropFirst("# needs:".count).split(separator: " ").map(String.init)
    }
    if line.hasPrefix("# local:") { speaksOfLocal = line != "# local:" }
    if line.isEmpty || line.hasPrefix("#") { return }
    if line.hasPrefix("$ ") {
      steps.append(
        Step(
          line: number, command: String(line.dropFirst(2)), isLocalOnly: speaksOfLocal,
          needs: needs))
      return
    }
    guard var step = steps.popLast() else {
      throw SyntaxError(description: "\(path):\(number): text before the first command")
    }
    if line == ">" || line.hasPrefix("> ") {
      step.command += "\n" + line.dropFirst(2)
    } else if line.hasPrefix("? ") {
      guard let status = Int(line.dropFirst(2)) else {
        throw SyntaxError(description: "\(path):\(number): not an exit status: \(line)")
      }
      step.status = status
    } else if line == "!" {
      step.errors = step.errors ?? []
    } else if line.hasPrefix("! ") {
      step.errors = (step.errors ?? []) + [String(line.dropFirst(2))]
    } else {
      step.output.append(line)
    }
    steps.append(step)
  }
}
