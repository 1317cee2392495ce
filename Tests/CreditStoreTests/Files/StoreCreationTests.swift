import CreditModel
import CreditSystem
import Foundation
import Testing

@testable import CreditStore
@testable import TestSupport

/// How a store is made, and which files it leaves alone.
@Suite struct StoreCreationTests {
  private let files: TemporaryStore
  private let store: LocalStore
  private let now = Timestamp(milliseconds: 1_771_495_200_000)
  private var directory: StoreDirectory { files.directory }

  init() throws {
    files = try TemporaryStore()
    store = try Self.store(files.directory.path, isNamed: true)
  }

  private static func store(
    _ path: String, isNamed: Bool = true, _ system: any SystemCalls = PosixSystem()
  ) throws -> LocalStore {
    LocalStore(
      StoreLocation(path: path, isNamed: isNamed), options: StoreOptions(), system: system)
  }

  private func draft(_ text: String) throws -> PolicyDraft {
    try store.policyDraft(text: Array(text.utf8))
  }

  private func code(_ body: () throws -> Void) -> CreditError.Code? {
    (#expect(throws: CreditError.self) { try body() })?.code
  }

  /// Another process makes the store, or the folders, before any of the calls.
  @Test func whoeverComesFirstTheStoreIsMadeOnce() throws {
    var call = 1
    while true {
      let path = directory.path(of: "\(call)/b/c")
      var isIntruded = false
      var otherIsFirst = false
      let system = FaultySystem()
      system.intrusion = (
        call,
        {
          isIntruded = true
          // While this process has the lock the other one waits.
          let options = StoreOptions(lockTimeoutSeconds: 0)
          let other = LocalStore(at: path, options: options)
          do {
            otherIsFirst = try other.create(at: now)
          } catch let error as CreditError where error.code == .storeLocked {
            otherIsFirst = false
          }
        }
      )
      let isFirst = try Self.store(path, system).create(at: now)
      #expect(isFirst != otherIsFirst, "at call \(call)")
      #expect(try Self.store(path).verify().findingCount == 0)
      if !isIntruded { break }
      call += 1
    }
    #expect(call > 20)
  }

  @Test func aPolicyThatIsThereBecomesTheStores() throws {
    let text = #"{"unit":"mine","starterCredits":3}"#
    try files.write(text.utf8, to: PolicyFile.name)
    let status = try directory.status(of: PolicyFile.name)
    // Also the default store's, before it is made.
    #expect(try Self.store(directory.path, isNamed: false).policy().starterCredits == 3)
    #expect(try store.create(at: now))
    #expect(try store.policy().unit == "mine")
    #expect(try directory.status(of: PolicyFile.name) == status)
  }

  @Test func aPolicyThatIsThereHasToBeRight() throws {
    try files.write(#"{"starterCredits":-3}"#.utf8, to: PolicyFile.name)
    #expect(code { _ = try store.create(at: now) } == .invalidPolicy)
    let unnamed = try Self.store(directory.path, isNamed: false)
    #expect(code { _ = try unnamed.policy() } == .invalidPolicy)
    #expect(try directory.names() == [PolicyFile.name])
  }

  @Test func aPolicyThatIsThereIsNotReplaced() throws {
    let text = #"{"unit":"mine"}"#
    try files.write(text.utf8, to: PolicyFile.name)
    #expect(code { _ = try store.create(draft(#"{"unit":"other"}"#), at: now) } == .cannotCreate)
    #expect(try files.bytes(PolicyFile.name) == Array(text.utf8))
    #expect(try store.create(draft(text), at: now))
    #expect(try !store.create(draft(text), at: now))
    #expect(try !store.create(at: now))
    #expect(code { _ = try store.create(draft("{}"), at: now) } == .cannotCreate)
  }

  /// Names that a store needs, and foreign files under them.
  @Test(arguments: [
    (JournalFile.name, "a line\n"), (JournalFile.name, "no line"),
    (JournalFile.name, #"{"store":"other","version":1}"#), (JournalFile.name, "{}\n{}\n"),
    (IndexFile.name, "a table of contents"), (PriceIndex.Kind.catalog.name, "words"),
    (StoreLock.name, "1234\n"),
  ])
  func aForeignFileStaysAsItIs(name: String, text: String) throws {
    try files.write(text.utf8, to: name)
    let failure = code { _ = try store.create(at: now) }
    #expect(failure == (name == JournalFile.name ? .corruptStore : .cannotCreate))
    #expect(try files.bytes(name) == Array(text.utf8))
    if name != StoreLock.name {
      let gate = LocalCreditGate(try Self.store(directory.path, isNamed: false)) { _ in "id" }
      let policy = Policy(prices: PriceCatalog())
      #expect(throws: CreditError.self) { try gate.perform([], under: policy) }
      #expect(try files.bytes(name) == Array(text.utf8))
    }
    #expect(try directory.names().filter { $0.hasPrefix("journal.torn") } == [])
  }

  @Test func theBeginningOfAHeaderIsCompleted() throws {
    _ = try store.create(draft(#"{"unit":"mine"}"#), at: now)
    let header = try files.bytes(JournalFile.name)
    for length in [0, 1, 20, 40, header.count - 1] {
      for beginning in [Array(header[..<length]), [UInt8](repeating: 0, count: length)] {
        try files.write(beginning, to: JournalFile.name)
        #expect(try store.create(at: now))
        #expect(try files.bytes(JournalFile.name) == header)
        #expect(try store.policy().unit == "mine")
      }
    }
  }
}
