internal import CShims
internal import CreditModel
internal import CreditSystem

/// Every account as of one end of the books, in the order of names.
///
/// Takes some 80 bytes and the name of each account, and 32 more while the order is made.
/// Whoever uses it keeps it until the end, as it looks into the memory of what it holds.
struct AccountNames {
  let end: RecordPosition
  private let parts: (AccountPart, AccountPart)
  /// Where their accounts are, which stay as long as they do.
  private let memory: (UnsafeRawPointer, UnsafeRawPointer)
  /// The accounts: twice the place of each, and one more where it is of the second part.
  private let order: LargeTable<Int>

  /// The accounts of two parts, to which no more are added.
  /// - Parameters:
  ///   - thread: one that has nothing to do, which sorts the second part.
  ///   - positions: of as many elements at least as there are accounts; the order takes its memory.
  init(
    of first: AccountPart, _ second: AccountPart, before end: RecordPosition,
    _ thread: WorkerThread, inPlaceOf positions: LargeTable<RecordPosition>
  ) {
    self.end = end
    parts = (first, second)
    memory = (UnsafeRawPointer(first.memory), UnsafeRawPointer(second.memory))
    let start = first.commonCount(with: second)
    let firstSort = NameSort(of: first, from: start)
    let secondSort = NameSort(of: second, from: start)
    if second.count >= Self.sharedCount {
      thread.start { secondSort.sort() }
    } else {
      secondSort.sort()
    }
    firstSort.sort()
    thread.wait()
    order = firstSort.merged(with: secondSort, inPlaceOf: positions)
  }

  /// How many names are enough for another thread to sort them.
  private static let sharedCount = 2_000

  var count: Int { order.elements.count }

  // MARK: By numbers in the order

  @inline(__always)
  private func row(_ number: Int) -> UnsafeRawPointer {
    let account = order.elements[number]
    return (account & 1 == 0 ? memory.0 : memory.1) + (account >> 1)
  }

  /// Where the newest record of an account is.
  func position(_ number: Int) -> RecordPosition {
    row(number).assumingMemoryBound(to: AccountPart.Row.self).pointee.position
  }

  /// How many accounts ahead are fetched.
  private static let prefetchCount = 16

  /// Fetches what is known of the account some numbers ahead: it lies anywhere in memory.
  @inline(__always)
  func prefetch(ahead number: Int) {
    let ahead = number + Self.prefetchCount
    guard ahead < count else { return }
    CShims.prefetch(row(ahead))
    CShims.prefetch(row(ahead) + 63)
  }

  /// Calls `body` with accounts, up to the first whose record has to be read, or to that for which
  /// it returns false.
  /// - Returns: the number of that account; otherwise the end of the numbers.
  func forEachUndated(_ numbers: Range<Int>, _ body: (Account) -> Bool) -> Int {
    for number in numbers {
      prefetch(ahead: number)
      guard let account = AccountPart.account(row(number)), body(account) else { return number }
    }
    return numbers.upperBound
  }

  /// Where the newest records of the next accounts are.
  func positions(after name: Name?, limit: Int) -> [RecordPosition] {
    let start = name.map(number(after:)) ?? 0
    return (start..<start + min(count - start, limit)).map(position)
  }

  private func number(after name: Name) -> Int {
    name.text.withUTF8Bytes { name in
      var range = 0..<count
      while !range.isEmpty {
        let middle = range.lowerBound + range.count / 2
        let isAfter = name.lexicographicallyPrecedes(AccountPart.name(row(middle)))
        range = isAfter ? range.lowerBound..<middle : middle + 1..<range.upperBound
      }
      return range.lowerBound
    }
  }
}

/// The accounts of a store as of one end of its books.
final class ReadAccounts: AccountList, @unchecked Sendable {
  private let names: AccountNames
  private let reader: StoreReader

  init(_ names: AccountNames, _ reader: StoreReader) {
    self.names = names
    self.reader = reader
  }

  var count: Int { names.count }

  func forEachUndated(_ numbers: Range<Int>, _ body: (Account) -> Bool) -> Int {
    names.forEachUndated(numbers, body)
  }

  func newest(_ number: Int) throws(CreditError) -> StoredRecord {
    try reader.reading { () throws(StoreFault) in
      try reader.record(at: names.position(number))
    }
  }
}
