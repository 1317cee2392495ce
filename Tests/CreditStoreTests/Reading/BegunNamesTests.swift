import CreditModel
import CreditSystem
import Testing

@testable import CreditStore
@testable import TestSupport

/// The accounts whose names begin with a text, of a store that is only looked at.
struct BegunNamesTests {
  private let ledger: LedgerStore

  init() throws {
    ledger = try LedgerStore()
  }

  private func register(_ names: [String]) throws {
    for name in names {
      try ledger.perform(.account(AccountRequest(account: Name(trusted: name), time: ledger.now)))
    }
  }

  private func names(
    _ start: String, limit: Int = 200, lockedByteCount: Int = 1 << 20, isHasty: Bool = true
  ) throws -> [String] {
    var options = StoreOptions(lockTimeoutSeconds: 0)
    options.isReadOnly = true
    options.isHasty = isHasty
    options.lockedByteCount = lockedByteCount
    let store = LocalStore(at: ledger.files.directory.path, options: options)
    return try store.accounts(beginningWith: start, limit: limit).map(\.text)
  }

  @Test func beginByTheirBytes() throws {
    let quoted = ["al\"1", "al\\2", "al\u{301}", "älter"]
    try register(["al", "alice", "Alice", "bob"] + quoted)
    // Those registered last come first, but for the one of that name.
    #expect(try names("al") == ["al", "al\u{301}", "al\\2", "al\"1", "alice"])
    #expect(try names("al\"") == ["al\"1"])
    #expect(try names("a\u{308}") == [])
    #expect(try names("").count == 8)
  }

  @Test func areLimited() throws {
    try register((1...30).map { "user \($0)" })
    #expect(try names("user ", limit: 3) == ["user 30", "user 29", "user 28"])
    #expect(try names("user 1", limit: 3) == ["user 1", "user 19", "user 18"])
  }

  @Test func countOnceDespiteLaterRecords() throws {
    try register(["ana", "ben"])
    for _ in 1...5 { try ledger.perform(ledger.topUp("ana", .key(Name(trusted: "k")), 5)) }
    #expect(try names("") == ["ben", "ana"])
  }

  /// A large store has no answer before a writer has made its index.
  @Test func makeNoIndex() throws {
    try register(["ana", "ben"])
    try ledger.files.directory.removeFile("index")
    #expect(throws: CreditError.self) { try names("", lockedByteCount: 10) }
    #expect(try names("") == ["ben", "ana"])
    #expect(try !ledger.files.directory.names().contains { $0.hasPrefix("index") })
  }

  /// A reader with time makes one elsewhere, and does without the lock's file, too.
  @Test func makeAnIndexElsewhere() throws {
    try register(["ana", "ben"])
    let directory = ledger.files.directory
    for name in ["index", "lock"] { try directory.removeFile(name) }
    let before = try directory.names()
    #expect(try names("", lockedByteCount: 10, isHasty: false) == ["ben", "ana"])
    #expect(try directory.names() == before)
  }

  @Test func nothingIsWritten() throws {
    let directory = StoreDirectory(
      path: ledger.files.directory.path, system: PosixSystem(), isReadOnly: true)
    #expect(throws: StoreFault.self) { try directory.replaceCache("cache", with: [1]) }
    #expect(throws: StoreFault.self) { try directory.removeFile("lock") }
    #expect(throws: StoreFault.self) { _ = try directory.open("lock", .update) }
    #expect(throws: StoreFault.self) { try directory.rename("lock", to: "other") }
  }
}
