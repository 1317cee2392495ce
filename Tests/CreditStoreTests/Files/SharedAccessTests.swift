import CreditSystem
import Foundation
import Testing

@testable import CreditStore
@testable import TestSupport

/// All users of a store can use the files made in it.
struct SharedAccessTests {
  private let store: TemporaryStore

  init() throws {
    store = try TemporaryStore()
    try JournalFile.create(in: store.directory)
  }

  private func access(_ name: String) throws -> FileAccess? {
    try store.directory.status(of: name)?.access
  }

  @Test(arguments: [mode_t(0o600), 0o640, 0o660])
  func aNewFileHasTheModeOfTheJournal(mode: mode_t) throws {
    #expect(chmod(store.directory.path(of: JournalFile.name), mode) == 0)
    _ = try StoreLock(in: store.directory, .updateOrCreate)
    _ = try IndexFile(updatingIn: store.directory)
    try store.directory.replaceFile("policy.json", with: [])
    for name in [StoreLock.name, IndexFile.name, "policy.json"] {
      #expect(try access(name)?.mode == mode)
    }
  }

  @Test(.enabled(if: geteuid() == 0)) func rootsFilesBelongToTheOwner() throws {
    #expect(chown(store.directory.path, 4711, 4712) == 0)
    _ = try IndexFile(updatingIn: store.directory)
    #expect(try access(IndexFile.name)?.user == 4711)
    #expect(try access(IndexFile.name)?.group == 4712)
  }

  /// Such a group may have other members than the one that the store is shared with.
  @Test func otherGroupsGetNoRights() throws {
    #expect(chmod(store.directory.path(of: JournalFile.name), 0o664) == 0)
    let system = FaultySystem()
    system.folderGroup = 4712
    system.mayChangeOwners = false
    _ = try IndexFile(updatingIn: store.directory(system))
    #expect(try access(IndexFile.name)?.mode == 0o604)
  }

  @Test func aFileThatIsThereKeepsItsMode() throws {
    _ = try StoreLock(in: store.directory, .updateOrCreate)
    #expect(chmod(store.directory.path(of: JournalFile.name), 0o660) == 0)
    _ = try StoreLock(in: store.directory, .updateOrCreate)
    #expect(try access(StoreLock.name)?.mode == 0o600)
  }
}
