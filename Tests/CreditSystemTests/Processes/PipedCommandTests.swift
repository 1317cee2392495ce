import CreditBytes
import CreditSystem
import Testing

/// Programs whose output is read while they run.
struct PipedCommandTests {
  private func output(of command: PipedCommand, piece: Int = 1 << 16) throws -> [UInt8] {
    var text: [UInt8] = []
    var block = [UInt8](repeating: 0, count: piece)
    while true {
      let count = try block.withMutableBytes { buffer throws(SystemError) in
        try command.read(into: buffer)
      }
      if count == 0 { return text }
      text += block[..<count]
    }
  }

  private func shell(_ script: String) throws -> PipedCommand {
    try PipedCommand("/bin/sh", ["-c", script], environment: ["NAME=ana"])
  }

  @Test func theWholeOutputIsRead() throws {
    let command = try shell("head -c 3000000 /dev/zero; printf '%s' \"$NAME\"")
    let text = try output(of: command)
    #expect(text.count == 3_000_003)
    #expect(text.suffix(3).elementsEqual("ana".utf8))
    #expect(try command.failure() == nil)
  }

  @Test func thereIsNoInput() throws {
    #expect(try output(of: shell("cat; echo end"), piece: 2) == Array("end\n".utf8))
  }

  @Test(arguments: [
    ("echo 'no table' >&2; echo more >&2; exit 1", "no table"), ("exit 3", "status 3"),
    ("kill -9 $$", "signal 9"), ("echo warning >&2", nil),
  ])
  func theFailureIsSaid(_ script: String, _ failure: String?) throws {
    let command = try shell(script)
    #expect(try output(of: command).isEmpty)
    #expect(try command.failure() == failure)
  }

  @Test func aMissingProgramIsAnError() {
    #expect(throws: SystemError.self) { try PipedCommand("/none", [], environment: []) }
  }

  @Test func anUnreadProgramEnds() throws {
    do {
      let command = try shell("while :; do echo x; done")
      var block = [UInt8](repeating: 0, count: 2)
      let count = try block.withMutableBytes { buffer throws(SystemError) in
        try command.read(into: buffer)
      }
      #expect(count == 2)
    }
  }
}
