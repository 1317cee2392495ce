internal import CreditJSON
internal import CreditModel
internal import CreditSystem

/// Prints a list of accounts in parts. For a long one two threads take turns to make and write a
/// part: a thread's own text is in its processor's cache, and another one would take as long to
/// fetch it as to write it.
final class ListInTurns: @unchecked Sendable {
  private let list: ProjectedList
  private let output: ResultOutput
  /// Balances that are not below this one are left out.
  private let limit: Credits?
  private let partCount: Int
  private let tickets = Tickets()
  // The following is only used in one's turn.
  private var isOver = false
  private var error: CreditError?

  /// The initial room for each account in bytes: most take some 180.
  private static let lineByteCount = 256

  init(of list: ProjectedList, below limit: Credits?, to output: ResultOutput) {
    self.list = list
    self.limit = limit
    self.output = output
    partCount = Self.partCount(of: list.count)
  }

  /// Returns the number of accounts in a part of a list of `count` accounts. Turns take time:
  /// 190,000 accounts take a tenth less in the largest parts than in the smallest. A list whose
  /// parts are not the smallest has at least 32 of them, so that neither thread waits long at its
  /// end.
  static func partCount(of count: Int) -> Int { min(max(count / 32, 1_024), 4_096) }

  func print() throws(CreditError) {
    let thread = WorkerThread()
    if list.count > 2 * partCount { thread.start { self.printParts() } }
    printParts()
    thread.wait()
    if let error { throw error }
  }

  private func printParts() {
    var text = JSONWriter(capacity: partCount * Self.lineByteCount)
    while true {
      let part = tickets.take()
      let first = part * partCount
      guard first < list.count else { return }
      if !print(first..<min(first + partCount, list.count), part, &text) { return }
    }
  }

  /// - Returns: false if no more is to be printed.
  private func print(_ numbers: Range<Int>, _ part: Int, _ text: inout JSONWriter) -> Bool {
    var count = 0
    var next = write(numbers, to: &text, &count)
    tickets.wait(for: part)
    defer { tickets.pass() }
    if isOver { return false }
    do throws(CreditError) {
      while !isOver && next < numbers.upperBound {
        if let account = try list.account(next) { write(account, to: &text, &count) }
        if text.count >= 1 << 20 { flush(&text, &count) }
        next = write(next + 1..<numbers.upperBound, to: &text, &count)
      }
      flush(&text, &count)
    } catch {
      flush(&text, &count)
      self.error = error
      isOver = true
    }
    return !isOver
  }

  /// Writes accounts, up to the first that has to be read alone.
  /// - Returns: its number, or the end of the numbers.
  private func write(_ numbers: Range<Int>, to text: inout JSONWriter, _ count: inout Int) -> Int {
    list.forEachUndated(numbers) { view in
      write(view, to: &text, &count)
      return true
    }
  }

  private func write(_ view: AccountView, to text: inout JSONWriter, _ count: inout Int) {
    if let limit, view.account.balance >= limit { return }
    text.accountView(view)
    text.endLine()
    count += 1
  }

  /// Writes an account that was read alone, or prints why it can't be shown.
  private func write(
    _ account: Result<AccountView, CreditError>, to text: inout JSONWriter, _ count: inout Int
  ) {
    switch account {
    case .success(let view): write(view, to: &text, &count)
    case .failure(let error):
      flush(&text, &count)
      if isOver { return }
      output.print(error)
      if !output.flushIfFull() { isOver = true }
    }
  }

  private func flush(_ text: inout JSONWriter, _ count: inout Int) {
    if count == 0 || isOver { return }
    if !output.print(&text, lineCount: count) { isOver = true }
    count = 0
  }
}
