import CreditModel
import Testing

@testable import CreditStore
@testable import TestSupport

/// A reader of a damaged journal says all that it said before, or that it is damaged.
struct LostPlaceTests {
  private let ledger: LedgerStore
  private let journal: [UInt8]
  private let index: [UInt8]

  init() throws {
    ledger = try LedgerStore()
    try ledger.fillPool()
    try ledger.fill()
    for number in 1...6 {
      try ledger.perform(ledger.charge("bob", key: Name(trusted: "l-\(number)"), units: 1))
    }
    journal = try ledger.files.bytes(JournalFile.name)
    index = try ledger.files.bytes(IndexFile.name)
  }

  private static let accounts: [Name] = ["alice", "bob", "zoë \"z\"", "member", "team", "company"]

  private struct Answer: Equatable {
    var lines: [HistoryLine] = []
    var ids: [Name] = []
    var views: [AccountView] = []
  }

  /// The answer of each way of reading; an error as its code.
  private func answers(_ time: Timestamp) throws -> [Result<Answer, CreditError>] {
    var answers: [Result<Answer, CreditError>] = []
    let policy = try ledger.store.policy()
    let now = ledger.now
    func ask(_ body: (any LedgerReading) throws(CreditError) -> Answer) {
      do throws(CreditError) {
        answers.append(.success(try body(try ledger.store.books())))
      } catch {
        answers.append(.failure(error))
      }
    }
    for account in Self.accounts + [nil] as [Name?] {
      for offset in [0, 3] {
        ask { books throws(CreditError) in
          var lines: [HistoryLine] = []
          try LedgerHistory(of: account, in: books, policy: policy, now: now)
            .forEachLine(from: offset) { line in
              lines.append(line)
              return true
            }
          return Answer(lines: lines)
        }
      }
      ask { books throws(CreditError) in
        var open: [Name] = []
        try OpenAuthorizations(of: account, in: books).forEachOne { authorization in
          open.append(authorization.id)
          return true
        }
        return Answer(ids: open)
      }
      for viewTime in [nil, time] {
        ask { books throws(CreditError) in
          let projection = AccountProjection(books, policy: policy, now: now, at: viewTime)
          if let account { return Answer(views: [try projection.account(account)]) }
          var views: [AccountView] = []
          try projection.forEachAccount { result in
            if case .success(let view) = result { views.append(view) }
            return true
          }
          return Answer(views: views)
        }
      }
    }
    ask { books throws(CreditError) in
      var ids: [Name] = []
      var feed = HistoryFeed(after: .start)
      try feed.readOn(in: books) { line in
        ids.append(line.line.id)
        return true
      }
      return Answer(ids: ids)
    }
    return answers
  }

  private func expectWholeAnswers(
    _ changed: [UInt8], _ expected: [Result<Answer, CreditError>], _ time: Timestamp,
    hasIndex: Bool, _ comment: Comment
  ) throws {
    if changed == journal { return }
    try ledger.files.write(changed, to: JournalFile.name)
    try ledger.files.write(index, to: IndexFile.name)
    if !hasIndex { try ledger.files.directory.removeFile(IndexFile.name) }
    let summary = try ledger.store.verify()
    let isTorn = !summary.tornTails.isEmpty
    #expect(isTorn || !summary.findings.isEmpty, comment)
    #expect(!hasIndex || !summary.findings.isEmpty, comment)
    if isTorn && !hasIndex { return }
    for (answer, whole) in zip(try answers(time), expected) {
      switch answer {
      case .success(let said): #expect(try said == whole.get(), comment)
      case .failure(let error): #expect(error.code == .corruptStore, comment)
      }
    }
  }

  @Test(arguments: [true, false]) func noAccountIsLeftOutSilently(hasIndex: Bool) throws {
    let time = Timestamp(milliseconds: ledger.now.milliseconds - 250_000)
    let expected = try answers(time)
    #expect(expected.allSatisfy { (try? $0.get()) != nil })
    for place in journal.indices where journal[place] == newline {
      var changed = journal
      changed[place] = UInt8(ascii: " ")
      try expectWholeAnswers(
        changed, expected, time, hasIndex: hasIndex, "newline at \(place), \(hasIndex)")
    }
    for sector in 0..<journal.count / 512 {
      let range = sector * 512..<(sector + 1) * 512
      var changed = journal
      changed.replaceSubrange(range, with: [UInt8](repeating: 0, count: 512))
      try expectWholeAnswers(
        changed, expected, time, hasIndex: hasIndex, "sector \(sector) zeroed, \(hasIndex)")
      guard sector > 0 else { continue }
      changed.replaceSubrange(range, with: journal[(range.lowerBound - 512)..<range.lowerBound])
      try expectWholeAnswers(
        changed, expected, time, hasIndex: hasIndex, "sector \(sector) doubled, \(hasIndex)")
    }
  }
}
