internal import CreditJSON
internal import CreditModel
internal import CreditSystem

/// Prints a long list of accounts in parts, each made by one of two threads and written by the same
/// one in its turn: what a thread has made is in its processor's memory, from where another would
/// take as long to fetch it as to write it.
final class ListInTurns: @unchecked Sendable {
  private let list: ProjectedList
  private let output: ResultOutput
  /// Balances that are not below this one are left out.
  private let limit: Credits?
  private let turns = Turns()
  // What follows is used in one's turn only.
  private var isOver = false
  private var error: CreditError?

  /// How many accounts are a part: some 200 KB.
  private static let partCount = 1_024

  init(of list: ProjectedList, below limit: Credits?, to output: ResultOutput) {
    self.list = list
    self.limit = limit
    self.output = output
  }

  func print() throws(CreditError) {
    let thread = WorkerThread()
    if list.count > 2 * Self.partCount { thread.start { self.printParts() } }
    printParts()
    thread.wait()
    if let error { throw error }
  }

  private func printParts() {
    var text = JSONWriter(capacity: 1 << 18)
    while true {
      let part = turns.take()
      let first = part * Self.partCount
      guard first < list.count else { return }
      if !print(first..<min(first + Self.partCount, list.count), part, &text) { return }
    }
  }

  /// - Returns: false where no more is to be printed.
  private func print(_ numbers: Range<Int>, _ part: Int, _ text: inout JSONWriter) -> Bool {
    var (next, count) = write(numbers, to: &text)
    turns.wait(for: part)
    defer { turns.pass() }
    while !isOver {
      isOver = !output.print(&text, lineCount: count)
      if isOver || next == numbers.upperBound { break }
      do throws(CreditError) {
        if let account = try list.account(next) { isOver = !show(account) }
      } catch {
        self.error = error
        isOver = true
      }
      (next, count) = write(next + 1..<numbers.upperBound, to: &text)
    }
    return !isOver
  }

  /// Writes accounts, up to the first that is not plain.
  /// - Returns: its number, or the end of the numbers; and how many accounts are shown.
  private func write(_ numbers: Range<Int>, to text: inout JSONWriter) -> (next: Int, count: Int) {
    var count = 0
    let next = list.forEachPlain(numbers) { account in
      if let limit, account.credits.balance >= limit { return true }
      text.accountView(account)
      text.endLine()
      count += 1
      return true
    }
    return (next, count)
  }

  private func show(_ account: Result<AccountView, CreditError>) -> Bool {
    if case .success(let view) = account, let limit, view.account.balance >= limit { return true }
    return output.printLine(of: account) { $0.accountView($1) }
  }
}
