import Foundation
import Testing

@testable import CreditStore
@testable import CreditSystem
@testable import TestSupport

struct StoreDirectoryTests {
  @Test func directoriesAreMadeForTheOwnerAlone() throws {
    let store = try TemporaryStore()
    let inner = StoreDirectory(path: store.directory.path + "/a/b/c/", system: PosixSystem())
    try inner.create()
    try inner.create()
    let attributes = try FileManager.default.attributesOfItem(atPath: inner.path)
    #expect(attributes[.posixPermissions] as? Int == 0o700)
    #expect(try store.directory.status(of: "a")?.kind == .directory)
  }

  @Test func filesAreReplacedWhole() throws {
    let store = try TemporaryStore()
    try store.directory.replaceFile("policy.json", with: [1, 2, 3])
    let path = store.directory.path(of: "policy.json")
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    #expect(attributes[.posixPermissions] as? Int == 0o600)
    var failing = 1
    while true {
      let system = FaultySystem()
      system.failing = failing
      try? store.directory(system).replaceFile("policy.json", with: [4, 5])
      #expect(system.openFiles.isEmpty)
      if system.failedCall == nil { break }
      let bytes = try store.directory.readFile("policy.json", limit: 10)
      #expect(bytes == [1, 2, 3] || bytes == [4, 5])
      try store.directory.replaceFile("policy.json", with: [1, 2, 3])
      failing += 1
    }
    #expect(try store.directory.readFile("policy.json", limit: 2) == [4, 5])
    #expect(throws: StoreFault.self) { try store.directory.readFile("policy.json", limit: 1) }
    #expect(try store.directory.names() == ["policy.json"])
  }

  @Test(arguments: [OpenMode.read, .update, .updateOrCreate])
  func onlyPlainFilesAreOpened(mode: OpenMode) throws {
    let store = try TemporaryStore()
    try store.write([1], to: "target")
    try FileManager.default.createSymbolicLink(
      atPath: store.directory.path(of: "link"),
      withDestinationPath: store.directory.path(of: "target"))
    #expect(mkfifo(store.directory.path(of: "fifo"), 0o600) == 0)
    try StoreDirectory(path: store.directory.path(of: "folder"), system: PosixSystem()).create()
    for (name, kind) in [("link", FileKind.symbolicLink), ("fifo", .other), ("folder", .directory)]
    {
      #expect(throws: StoreFault.unexpectedFile(name: name, kind: kind)) {
        _ = try store.directory.open(name, mode)
      }
    }
  }

  @Test func errorsNameCallFileAndReason() throws {
    let store = try TemporaryStore()
    let error = SystemError(call: "write", code: ENOSPC, name: "journal.jsonl")
    #expect("\(error)" == "can't write journal.jsonl: no space left on device")
    #expect(throws: StoreFault.self) { _ = try store.directory.open("none", .read) }
    #expect(try store.directory.status(of: "none") == nil)
  }

  @Test func mountsAreFoundByDevice() {
    let mounts = """
      36 35 98:0 / /mnt rw,noatime master:1 - ext4 /dev/root rw
      40 35 0:50 / /net rw - nfs4 server:/x rw
      41 35 259:300000 / /far rw shared:1 master:2 - cifs //s/x rw

      """
    let bytes = Array(mounts.utf8)
    #expect(fileSystemType(of: 98 << 8, in: bytes) == "ext4")
    #expect(fileSystemType(of: 50, in: bytes) == "nfs4")
    #expect(fileSystemType(of: 0x4931_03E0, in: bytes) == "cifs")
    #expect(fileSystemType(of: 7, in: bytes) == nil)
  }

  @Test func theMachineAnswers() throws {
    let system = PosixSystem()
    #expect(system.bootID() == system.bootID())
    #expect(system.randomWord() != system.randomWord())
    #expect(system.currentMilliseconds() > 1_700_000_000_000)
    let store = try TemporaryStore()
    #expect(try store.directory.networkFileSystem() == nil)
    #expect(BootID(uuid: Array("00000000-0000-00ff-0000-0000000000A1".utf8))?.low == 0xA1)
    #expect(BootID(uuid: Array("00000000-0000-00ff-0000".utf8)) == nil)
  }
}
