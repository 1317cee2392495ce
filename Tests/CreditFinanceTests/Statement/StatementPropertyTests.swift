import CreditModel
import Testing

@testable import CreditFinance
@testable import TestSupport

/// Random chains of accounts that pay, refund, transfer and move: a statement leads from one
/// balance of the books to another.
@Suite struct StatementPropertyTests {
  @Test(arguments: UInt64(1)...40)
  func leadsFromBalanceToBalance(seed: UInt64) throws {
    let policy = try RandomBatches.decodedPolicy(clockIsReal: true)
    let books = MemoryBooks()
    var batches = RandomBatches(seed: seed)
    var now = Timestamp(milliseconds: 1_767_225_600_000)
    var times: [Timestamp] = []
    for _ in 0..<150 {
      now = Timestamp(
        milliseconds: now.milliseconds + 1 + Int64(batches.random.number(below: 9_000_000)))
      times.append(now)
      for request in batches.next(at: now) {
        let prefix = "id-\(books.records.count)-"
        var idCount = 0
        let ledger = Ledger(books: books, policy: policy, systemTime: now) { _ in
          idCount += 1
          return Name(trusted: prefix + "\(idCount)")
        }
        // Some are refused: that is a history, too.
        _ = try? ledger.perform(request)
      }
    }
    let lines = books.lines()
    for account in RandomBatches.accounts where books.account(account) != nil {
      func balance(before time: Timestamp) -> Int128 {
        let newest = books.records.last {
          $0.account.name == account && $0.account.updatedAt < time
        }
        return Int128(newest?.account.balance ?? 0)
      }
      for (since, until) in [(times[20], times[80]), (times[80], times[149])] {
        let period = ReportPeriod(since: since, until: until, clock: .utc, isByRecord: true)
        let comment = Comment(rawValue: "seed \(seed), \(account.text), from \(since.text)")
        func statement(_ lines: [String]) throws -> String {
          try printed(
            Statement(
              of: account.text, month: "2026-01", in: period, as: .csv, listsEach: false,
              now: now), lines)
        }
        #expect(try statement(lines) == statement(lines.reversed()), comment)
        var book = StatementBook(of: account.text, in: period, listsEach: false)
        for text in lines {
          try withLine(text) { line in
            if line.account == account.text { try book.add(line) } else { book.add(ofOther: line) }
          }
        }
        try book.finish()
        let rows = StatementRows(book)
        #expect(rows.opening == balance(before: since), comment)
        #expect(rows.closing == balance(before: until), comment)
        #expect(rows.sums.reduce(rows.opening) { $0 + $1.credits } == rows.closing, comment)
      }
    }
  }
}
