import CreditModel
import Testing

@testable import CreditStore
@testable import TestSupport

/// Histories of a store, begun anywhere.
@Suite(.slow) struct LedgerHistoryTests {
  private let ledger: LedgerStore

  init() throws {
    ledger = try LedgerStore.filled()
    // News of a purchase, refunds and completions of lines far up.
    for number in 0..<40 {
      // The policy has five top-ups a minute.
      ledger.pass(20)
      let id = Name(trusted: "n-\(number)")
      try ledger.perform(ledger.topUp("bob", .transaction(id), 5, status: .pending))
      try ledger.perform(ledger.authorize("bob", id: id), ledger.charge(id, units: 1))
    }
    for number in stride(from: 0, to: 40, by: 3) {
      // The policy has five top-ups a minute.
      ledger.pass(20)
      let id = Name(trusted: "n-\(number)")
      try ledger.perform(ledger.topUp("bob", .transaction(id), 5))
      if number % 2 == 0 {
        try ledger.perform(.refund(RefundRequest(reference: .transaction(id), time: ledger.now)))
      }
      try ledger.perform(
        .refund(RefundRequest(reference: .authorization(id), time: ledger.now)))
    }
  }

  private func lines(of account: Name?, from offset: Int = 0, _ books: any LedgerReading) throws
    -> [HistoryLine]
  {
    var lines: [HistoryLine] = []
    try LedgerHistory(of: account, in: books, policy: ledger.store.policy(), now: ledger.now)
      .forEachLine(from: offset) { line in
        lines.append(line)
        return true
      }
    return lines
  }

  /// A line is the same from any beginning of the walk.
  @Test(arguments: ["bob", "alice", "zoë \"z\"", nil] as [Name?])
  func aHistoryCanBeBegunAnywhere(account: Name?) throws {
    let books = try ledger.store.books()
    let all = try lines(of: account, books)
    #expect(all.count > 2)
    let history = try LedgerHistory(
      of: account, in: books, policy: ledger.store.policy(), now: ledger.now)
    #expect(history.count == all.count)
    for offset in 0...all.count + 1 {
      #expect(try lines(of: account, from: offset, books) == Array(all.dropFirst(offset)))
    }
  }

  /// The number of lines is known from the newest record.
  @Test func thePageOfALongHistoryIsReadAlone() throws {
    let gate = LedgerStore.gate(ledger.store, ids: "long")
    let requests = (0..<3000).map {
      ledger.charge("long", key: Name(trusted: "l-\($0)"), units: 0)
    }
    _ = try gate.perform(requests, under: ledger.store.policy())
    let system = FaultySystem()
    let store = LocalStore(at: ledger.files.directory.path, system: system)
    var byteCount = 0
    system.beforeRead = { _, count in byteCount += count }
    let history = try LedgerHistory(
      of: "long", in: store.books(), policy: store.policy(), now: ledger.now)
    var lines = 0
    try history.forEachLine(from: 10) { _ in
      lines += 1
      return lines < 20
    }
    #expect(history.count == 3001)
    #expect(byteCount < 400_000)
    #expect(try ledger.files.bytes(JournalFile.name).count > 600_000)
  }

  /// One that can't be decoded makes no difference to the pages before and behind it.
  @Test func chargesBeforeAPageOfAllAreNotDecoded() throws {
    let all = try lines(of: nil, ledger.store.books())
    let place = try #require(all.firstIndex { $0.id == "n-20" && $0.kind == .usage })
    var journal = try ledger.lines()
    let number = try #require(
      journal.firstIndex {
        let text = String(decoding: $0, as: UTF8.self)
        return text.contains("\"event\":\"charge\"") && text.contains("\"n-20\"")
      })
    journal[number] = LedgerStore.resealed(
      journal[number], replacing: "\"event\":\"charge\",", with: "\"event\":\"charge\".")
    try ledger.write(journal, keepsIndex: true)
    let books = try ledger.store.books()
    #expect(throws: CreditError.self) { try lines(of: nil, from: place, books) }
    #expect(try lines(of: nil, from: place + 1, books) == Array(all.dropFirst(place + 1)))
  }

  /// Of all accounts together, in the order of the journal.
  @Test func theHistoryOfAllHasEachAccounts() throws {
    let books = try ledger.store.books()
    let all = try lines(of: nil, books)
    for account in ["bob", "alice", "zoë \"z\""] as [Name] {
      #expect(try lines(of: account, books) == all.filter { $0.account == account })
    }
    #expect(try lines(of: "nobody", books).isEmpty)
  }

  @Test func aStoreWithoutRecordsHasNoLines() throws {
    let empty = try LedgerStore()
    let books = try empty.store.books()
    #expect(try lines(of: "bob", books).isEmpty)
    #expect(try lines(of: nil, books).isEmpty)
    #expect(try books.summary(before: books.bookmark().position).recordCount == 0)
  }

  /// Records added while a history is read do not appear in it.
  @Test func aHistoryIsAsOfOneMoment() throws {
    let books = try ledger.store.books()
    let history = try LedgerHistory(
      of: "bob", in: books, policy: ledger.store.policy(), now: ledger.now)
    let before = try lines(of: "bob", from: 3, books)
    try ledger.perform(ledger.topUp("bob", .transaction("n-1"), 5))
    try ledger.perform(
      .refund(RefundRequest(reference: .authorization("n-1"), time: ledger.now)))
    var lines: [HistoryLine] = []
    try history.forEachLine(from: 3) { line in
      lines.append(line)
      return true
    }
    #expect(lines == before)
  }

  @Test func accountsComeInPagesAsOfOneMoment() throws {
    let books = try ledger.store.books()
    let end = try books.bookmark().position
    try ledger.perform(ledger.charge("amy", key: "k", units: 1))
    try ledger.perform(ledger.charge("bob", key: "k-last", units: 1))
    var names: [String] = []
    var last: Name?
    while let stored = try books.accounts(after: last, before: end, limit: 1).first {
      #expect(stored.position < end)
      last = stored.record.account.name
      names.append(stored.record.account.name.text)
    }
    #expect(names == ["alice", "bob", "zoë \"z\""])
  }
}
