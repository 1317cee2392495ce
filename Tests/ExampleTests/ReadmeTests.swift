import Foundation
import Testing

@testable import TestSupport

/// The README's commands can be pasted into bash and zsh unchanged.
@Suite(.slow) struct ReadmeTests {
  /// The text between two fences.
  private struct Block {
    let language: String
    let line: Int
    var lines: [String] = []

    var text: String { lines.map { $0 + "\n" }.joined() }
  }

  private let text: String
  private let blocks: [Block]

  init() throws {
    text = try String(contentsOf: Checkout.root.appending(path: "README.md"), encoding: .utf8)
    var blocks: [Block] = []
    var isInside = false
    for (index, line) in text.components(separatedBy: "\n").enumerated() {
      if line.hasPrefix("```") {
        isInside.toggle()
        if isInside { blocks.append(Block(language: String(line.dropFirst(3)), line: index + 1)) }
      } else if isInside {
        blocks[blocks.count - 1].lines.append(line)
      }
    }
    self.blocks = blocks
  }

  @Test func isShort() {
    #expect(text.split(whereSeparator: \.isWhitespace).count <= 1200)
    // The first steps are on the first screen.
    let beginning = text.components(separatedBy: "\n").prefix(40).joined(separator: "\n")
    #expect(beginning.contains("\nmake install prefix=$HOME/.local\n"))
    #expect(beginning.contains("\ncredit-usage claude --account me | credit-price --pass | "))
  }

  /// In an interactive zsh `#` begins no comment, and in both shells `!` may name an old command.
  @Test func blocksArePlainCommands() {
    #expect(blocks.count { $0.language == "sh" } > 8)
    for block in blocks {
      #expect(["sh", "text", "json"].contains(block.language), "README.md:\(block.line)")
      guard block.language == "sh" else { continue }
      for line in block.lines {
        #expect(!line.hasPrefix("$ ") && !line.hasPrefix("> "), "README.md:\(block.line): \(line)")
        #expect(!line.contains { "#!".contains($0) }, "README.md:\(block.line): \(line)")
      }
    }
  }

  /// The other documents' blocks are pasted, too: zsh runs the words behind a `#`.
  @Test func otherBlocksHaveNoComments() throws {
    let examples = DocumentTests.names(in: "examples").map { "examples/\($0)/README.md" }
    let others = ["CONTRIBUTING.md", "INSTALL.md", "TESTING.md", "examples/README.md"]
    var count = 0
    for document in others + examples {
      let file = Checkout.root.appending(path: document)
      guard let text = try? String(contentsOf: file, encoding: .utf8) else { continue }
      var isShell = false
      for (index, line) in text.components(separatedBy: "\n").enumerated() {
        if line.hasPrefix("```") { isShell = line == "```sh" }
        if isShell { count += 1 }
        #expect(!isShell || !line.contains("#"), "\(document):\(index + 1): \(line)")
      }
    }
    #expect(count > 100)
  }

  /// The first block is CI's beginning.
  @Test func beginsLikeCI() async throws {
    #expect(blocks.first?.lines == ["examples/quickstart.sh", "swift test"])
    let outcome = try await Script.run([
      "-c", #"eval "$(sed -n '/^readme_commands()/,/^}/p' .ci/run)" && readme_commands"#,
    ])
    #expect(outcome.status == 0)
    #expect(outcome.output == blocks.first?.text)
  }

  /// Runs all blocks, one after another, as a reader would paste them; parts that need a network or
  /// a long build are replaced.
  @Test(arguments: ["bash", "zsh"].filter(MachineCommands.expects))
  func everyBlockWorks(in shell: String) async throws {
    let script = try Script()
    try script.add(command: "swift", "exit 0")
    try script.add(command: "curl", "cat '\(Checkout.root.path)/examples/responses/message.json'")
    try script.add(
      command: "make", "exec /usr/bin/make --silent BIN='\(BuiltTools.folder)' \"$@\"")
    try addAgentLog(in: script)
    var session = "set -e -o pipefail\n"
    let commands = blocks.indices.filter { blocks[$0].language == "sh" }
    for index in commands {
      let name = script.root.appending(path: "block-\(index).sh").path
      try Data(blocks[index].text.utf8).write(to: URL(filePath: name))
      session += "printf '\\036'\n. '\(name)' 2>>\"$HOME/errors\"\n"
    }
    session += "printf '\\036'\ncat \"$HOME/errors\"\n"
    let file = script.root.appending(path: "session")
    try Data(session.utf8).write(to: file)
    let options = shell == "zsh" ? "-f" : "--norc"
    let outcome = try await script.run(["-c", "exec \(shell) \(options) '\(file.path)'"])
    let outputs = outcome.output.components(separatedBy: "\u{1E}")
    let isWhole = outcome.status == 0 && outputs.count == commands.count + 2
    #expect(isWhole, "\(outcome.output)")
    for (index, output) in zip(commands, outputs.dropFirst()) {
      guard index + 1 < blocks.count, blocks[index + 1].language != "sh" else { continue }
      let shown = DocumentTests.steady(blocks[index + 1].text)
      #expect(DocumentTests.steady(output) == shown, "README.md:\(blocks[index].line)")
    }
  }

  /// Adds a file as Claude Code would write it.
  private func addAgentLog(in script: Script) throws {
    let folder = script.root.appending(path: "home/me/.claude/projects/shop")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let line = """
      {"type":"assistant","sessionId":"s1","cwd":"/home/me/shop","requestId":"r1",\
      "timestamp":"2026-11-25T10:00:00Z","message":{"id":"m1","role":"assistant",\
      "model":"claude-sonnet-4-5-20250929","stop_reason":"end_turn",\
      "usage":{"input_tokens":900,"output_tokens":300}}}

      """
    try Data(line.utf8).write(to: folder.appending(path: "s1.jsonl"))
  }
}
