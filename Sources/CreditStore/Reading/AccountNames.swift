internal import CreditModel
internal import CreditSystem

/// Every account as of one end of the books, in the order of names.
///
/// Takes 68 bytes and the name of each account, and 32 more while the order is made.
struct AccountNames {
  let end: RecordPosition
  private var names: NameBytes
  private var states: ContiguousArray<AccountState> = []
  /// The numbers of the accounts.
  private var order: ContiguousArray<UInt32> = []

  /// How an account stands, where it is plain, and where its newest record is.
  private struct AccountState {
    let position: RecordPosition
    var credits = UndatedCredits()
    var updatedAt = Timestamp.earliest
    var isPlain = false
    var isExempt = false
    var isClosed = false
  }

  /// - Parameter expectedCount: how many accounts there may be.
  init(before end: RecordPosition, expectedCount: Int) {
    self.end = end
    names = NameBytes(expectedCount: expectedCount)
    states.reserveInLargePages(expectedCount)
  }

  mutating func add(_ account: PlainAccount) {
    names.append(account.name)
    states.append(
      AccountState(
        position: account.position, credits: account.credits, updatedAt: account.updatedAt,
        isPlain: true, isExempt: account.isExempt, isClosed: account.isClosed))
  }

  mutating func add(_ account: Name, at position: RecordPosition) {
    account.text.withUTF8Bytes { names.append($0) }
    states.append(AccountState(position: position))
  }

  /// Adds the accounts of another part of the books.
  mutating func append(_ other: AccountNames) {
    names.append(other.names)
    states.append(contentsOf: other.states)
  }

  /// Brings the accounts in order. No more are added.
  /// - Parameter thread: one that has nothing to do, which takes part.
  mutating func sort(with thread: WorkerThread) {
    order = names.sortedNumbers(with: thread)
  }

  // MARK: In order

  var count: Int { order.count }

  /// Where the newest record of an account stands, by its place in the order.
  func position(_ place: Int) -> RecordPosition { states[Int(order[place])].position }

  /// How many accounts ahead are fetched.
  private static let prefetchCount = 16

  /// Fetches what is known of the accounts some places ahead of one: they lie anywhere in memory.
  @inline(__always)
  func prefetch(ahead place: Int) {
    let near = place + Self.prefetchCount
    let far = near + Self.prefetchCount
    if far < count {
      let number = Int(order[far])
      states.prefetch(number)
      names.prefetchRange(number)
    }
    if near < count { names.prefetch(Int(order[near])) }
  }

  /// Calls `body` with an account by its place in the order, unless its record has to be read.
  /// - Parameter account: what is given to `body`: one for all, as to make one takes as long as to
  ///   fetch it.
  @inline(__always)
  func withPlain<Result>(
    _ place: Int, in account: inout PlainAccount,
    _ body: (PlainAccount) throws(CreditError) -> Result
  ) throws(CreditError) -> Result? {
    let number = Int(order[place])
    let state = states[number]
    guard state.isPlain else { return nil }
    return try names.withName(number) { (name) throws(CreditError) in
      account.name = name
      account.updatedAt = state.updatedAt
      account.position = state.position
      account.credits = state.credits
      account.isExempt = state.isExempt
      account.isClosed = state.isClosed
      return try body(account)
    }
  }

  /// Where the newest records of the next accounts stand.
  func positions(after name: Name?, limit: Int) -> [RecordPosition] {
    let start = name.map(place(after:)) ?? 0
    return (start..<min(count, start + limit)).map(position)
  }

  private func place(after name: Name) -> Int {
    name.text.withUTF8Bytes { name in
      var range = 0..<count
      while !range.isEmpty {
        let middle = range.lowerBound + range.count / 2
        let isAfter = names.withName(Int(order[middle])) { name.lexicographicallyPrecedes($0) }
        range = isAfter ? range.lowerBound..<middle : middle + 1..<range.upperBound
      }
      return range.lowerBound
    }
  }
}
