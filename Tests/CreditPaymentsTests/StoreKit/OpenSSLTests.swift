import Foundation
import Testing

@testable import TestSupport

/// Only a status after checking a signature is a verdict on it.
@Suite(.slow, .enabled(if: SigningChain.isPossible, "openssl is not installed"))
struct OpenSSLTests {
  private static let chain = Result { try SigningChain() }
  private static let real = #"exec "\#(SigningChain.command ?? "")" "$@""#

  private func reason(_ command: StandIn) throws -> String? {
    let chain = try Self.chain.get()
    let fixture = try StoreKitFixture(root: chain.certificates[2], path: command.folder.path())
    return fixture.reason(try chain.sign(StoreKitFixture.purchase))
  }

  @Test(arguments: [
    "exit 1", "exit 126", "exit 127", "exit 3", "exit 0", "echo; exit 0", "kill -SEGV $$",
    "exec /nonexistent", "echo 'Verified OK'",
    #"case "$*" in *-no-CAstore*) echo 'Unknown option' >&2; exit 1;; esac; "# + real,
    #"case $1 in dgst) exit 1;; esac; "# + real, #"case $1 in dgst) exit 0;; esac; "# + real,
    #"case $1 in dgst) kill -KILL $$;; esac; "# + real,
    #"case $1 in verify) "# + real + #" >/dev/null;; esac; "# + real,
  ])
  func anUnsuitableProgramGivesNoVerdict(script: String) throws {
    #expect(try reason(StandIn("#!/bin/sh\n" + script)) == "unavailable")
  }

  @Test func aMissingProgramGivesNoVerdict() throws {
    #expect(try reason(StandIn("#!/nonexistent/sh\nexit 2")) == "unavailable")
    #expect(try reason(StandIn("#!/bin/sh\nexit 2", mode: 0o644)) == "unavailable")
  }

  @Test func realOneGivesOne() throws {
    #expect(try reason(StandIn("#!/bin/sh\n" + Self.real)) == nil)
    #expect(try reason(StandIn("#!/bin/sh\nexit 2")) == "chain")
  }

  /// So a killed run leaves no file behind.
  @Test func noFileIsWritten() throws {
    let chain = try Self.chain.get()
    let command = try StandIn(
      #"""
      #!/bin/sh
      for name; do [ -f "$name" ] && echo "$name" >>"${0%/*}/files"; done
      touch "${0%/*}/runs"
      """# + "\n" + Self.real)
    let fixture = try StoreKitFixture(root: chain.certificates[2], path: command.folder.path())
    #expect(fixture.reason(try chain.sign(StoreKitFixture.purchase)) == nil)
    #expect(throws: Never.self) { try command.read("runs") }
    #expect(throws: (any Error).self) { try command.read("files") }
  }

  /// A refusal is remembered; that there was no verdict is not.
  @Test func onlyVerdictsAreRemembered() throws {
    let chain = try Self.chain.get()
    let command = try StandIn(
      "#!/bin/sh\necho >>\"${0%/*}/runs\"; [ -e \"${0%/*}/broken\" ] && exit 1\n" + Self.real)
    let fixture = try StoreKitFixture(root: chain.certificates[2], path: command.folder.path())
    let forged = try SigningChain().sign(StoreKitFixture.purchase)
    try command.write("", "broken")
    #expect(fixture.reason(forged) == "unavailable")
    try command.remove("broken")
    #expect(fixture.reason(forged) == "chain")
    let runs = try command.read("runs")
    #expect(fixture.reason(forged) == "chain")
    #expect(try command.read("runs") == runs)
    #expect(fixture.reason(try chain.sign(StoreKitFixture.purchase)) == nil)
  }

  /// A program of the command's name in a folder of its own.
  private final class StandIn {
    let folder = FileManager.default.temporaryDirectory.appending(path: "ssl-\(UUID().uuidString)")

    init(_ script: String, mode: Int = 0o755) throws {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
      try CommandFile.make(script + "\n", at: folder.appending(path: "openssl"), mode: mode)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    func write(_ text: String, _ name: String) throws {
      try Data(text.utf8).write(to: folder.appending(path: name))
    }

    func read(_ name: String) throws -> Data { try Data(contentsOf: folder.appending(path: name)) }

    func remove(_ name: String) throws {
      try FileManager.default.removeItem(at: folder.appending(path: name))
    }
  }
}
