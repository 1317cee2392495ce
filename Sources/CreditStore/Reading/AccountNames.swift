internal import CreditModel
internal import CreditSystem

/// Every account as of one end of the books, in the order of names.
///
/// Takes some 80 bytes and the name of each account, and 32 more while sorting. It points into the
/// memory of its parts, so its owner keeps it until the end.
struct AccountNames {
  let end: RecordPosition
  private let parts: (AccountPart, AccountPart)
  private let memory: (MutableBytes, MutableBytes)
  /// The accounts: twice each one's place, plus one if it is in the second part.
  private let order: LargeTable<Int>

  /// The accounts of two parts, which do not change any more.
  /// - Parameters:
  ///   - thread: an idle one, which sorts the second part.
  ///   - positions: at least one element for each account; the order takes its memory.
  init(
    of first: AccountPart, _ second: AccountPart, before end: RecordPosition,
    _ thread: WorkerThread, inPlaceOf positions: LargeTable<RecordPosition>
  ) {
    self.end = end
    parts = (first, second)
    memory = (first.memory, second.memory)
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

  /// Number of names from which another thread helps to sort.
  private static let sharedCount = 2_000

  var count: Int { order.elements.count }

  // MARK: By numbers in the order

  @inline(__always)
  private func place(_ number: Int) -> (AccountPart.Place, in: MutableBytes) {
    let account = order.elements[number]
    return (account >> 1, account & 1 == 0 ? memory.0 : memory.1)
  }

  func position(_ number: Int) -> RecordPosition {
    let (place, memory) = place(number)
    return AccountPart.row(place, in: memory).position
  }

  /// How many accounts ahead are prefetched.
  private static let prefetchCount = 16

  /// Prefetches the account some numbers ahead: it lies anywhere in memory.
  @inline(__always)
  func prefetch(ahead number: Int) {
    let ahead = number + Self.prefetchCount
    guard ahead < count else { return }
    let (place, memory) = place(ahead)
    memory.prefetch(place)
    memory.prefetch(place + 63)
  }

  /// Calls `body` with accounts until it returns false, or until a record has to be read.
  /// - Returns: the number of that account; otherwise the end of the numbers.
  func forEachUndated(_ numbers: Range<Int>, _ body: (Account) -> Bool) -> Int {
    for number in numbers {
      prefetch(ahead: number)
      let (place, memory) = place(number)
      guard let account = AccountPart.account(place, in: memory), body(account) else {
        return number
      }
    }
    return numbers.upperBound
  }

  func positions(after name: Name?, limit: Int) -> [RecordPosition] {
    let start = name.map(number(after:)) ?? 0
    return (start..<start + min(count - start, limit)).map(position)
  }

  private func number(after name: Name) -> Int {
    name.text.withUTF8Bytes { name in
      var range = 0..<count
      while !range.isEmpty {
        let middle = range.lowerBound + range.count / 2
        let (place, memory) = place(middle)
        let isAfter = name.lexicographicallyPrecedes(AccountPart.name(place, in: memory))
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
