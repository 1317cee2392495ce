internal import CreditSystem

/// Names as bytes, one behind the other, by their numbers.
struct NameBytes {
  private var bytes: ContiguousArray<UInt8> = []
  /// Where each name ends, which is where the next one starts.
  private var ends: ContiguousArray<Int> = []

  /// - Parameter expectedCount: how many names there may be.
  init(expectedCount: Int) {
    bytes.reserveInLargePages(16 * expectedCount)
    ends.reserveInLargePages(expectedCount)
  }

  var count: Int { ends.count }

  mutating func append(_ name: UnsafeRawBufferPointer) {
    bytes.append(contentsOf: name)
    ends.append(bytes.count)
  }

  mutating func append(_ other: NameBytes) {
    let start = bytes.count
    bytes.append(contentsOf: other.bytes)
    ends.append(contentsOf: other.ends.lazy.map { start + $0 })
  }

  private func range(_ number: Int) -> Range<Int> {
    (number == 0 ? 0 : ends[number - 1])..<ends[number]
  }

  /// Fetches where a name stands: what ``prefetch(_:)`` needs, some time later.
  @inline(__always)
  func prefetchRange(_ number: Int) { ends.prefetch(max(0, number - 1)) }

  /// Fetches the bytes of a name.
  @inline(__always)
  func prefetch(_ number: Int) { bytes.prefetch(range(number).lowerBound) }

  @inline(__always)
  func withName<Result, Failure>(
    _ number: Int, _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let range = range(number)
    return try bytes.span.withUnsafeBytes { (bytes) throws(Failure) in
      try body(UnsafeRawBufferPointer(rebasing: bytes[range]))
    }
  }

  // MARK: Order

  /// The numbers of the names in the order of their bytes.
  /// - Parameter thread: one that has nothing to do, which sorts half of many names.
  func sortedNumbers(with thread: WorkerThread) -> ContiguousArray<UInt32> {
    let start = commonCount
    let half = count < Self.sharedCount ? count : count / 2
    let first = NameSort(of: self, 0..<half, from: start)
    let second = NameSort(of: self, half..<count, from: start)
    if half < count { thread.start { second.sort() } }
    first.sort()
    thread.wait()
    return first.merged(with: second)
  }

  /// How many names are enough for two threads to sort them.
  private static let sharedCount = 4_000

  func precedes(_ left: UInt32, _ right: UInt32) -> Bool {
    withName(Int(left)) { left in
      withName(Int(right)) { right in left.lexicographicallyPrecedes(right) }
    }
  }

  /// How many bytes all names begin with in common.
  private var commonCount: Int {
    if count == 0 { return 0 }
    return withName(0) { first in
      var common = first.count
      for number in 1..<count where common > 0 {
        withName(number) { name in
          common = min(common, name.count)
          var place = 0
          while place < common, name[place] == first[place] { place += 1 }
          common = place
        }
      }
      return common
    }
  }

  /// The eight bytes of a name from a place on; zeros, which no name has, where it ends.
  func word(of number: Int, from start: Int) -> UInt64 {
    withName(number) { name in
      let rest = UnsafeRawBufferPointer(rebasing: name[start...])
      if rest.count >= 8 { return UInt64(bigEndian: rest.loadUnaligned(as: UInt64.self)) }
      var word: UInt64 = 0
      for byte in rest { word = word << 8 | UInt64(byte) }
      return rest.isEmpty ? 0 : word << UInt64(8 * (8 - rest.count))
    }
  }
}
