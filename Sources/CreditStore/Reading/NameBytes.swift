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

  /// Eight bytes of a name as a number in their order, and which name it is.
  private struct SortKey {
    var word: UInt64 = 0
    var number: UInt32 = 0
  }

  /// The numbers of the names in the order of their bytes.
  ///
  /// The eight bytes behind what all names begin with tell most of them apart: those are sorted
  /// byte by byte from the last, and only names that have them in common are compared. Of 190,000
  /// names that takes a quarter of what comparing all takes.
  func sortedNumbers() -> ContiguousArray<UInt32> {
    let start = commonCount
    var keys = ContiguousArray<SortKey>()
    keys.reserveInLargePages(count)
    for number in 0..<count {
      keys.append(SortKey(word: word(of: number, from: start), number: UInt32(number)))
    }
    sortByWords(&keys)
    var first = 0
    while first < keys.count {
      var end = first + 1
      while end < keys.count, keys[end].word == keys[first].word { end += 1 }
      if end - first > 1 { keys[first..<end].sort { precedes($0.number, $1.number) } }
      first = end
    }
    return ContiguousArray(keys.lazy.map(\.number))
  }

  private func precedes(_ left: UInt32, _ right: UInt32) -> Bool {
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
  private func word(of number: Int, from start: Int) -> UInt64 {
    withName(number) { name in
      let rest = UnsafeRawBufferPointer(rebasing: name[start...])
      if rest.count >= 8 { return UInt64(bigEndian: rest.loadUnaligned(as: UInt64.self)) }
      var word: UInt64 = 0
      for byte in rest { word = word << 8 | UInt64(byte) }
      return rest.isEmpty ? 0 : word << UInt64(8 * (8 - rest.count))
    }
  }

  private func sortByWords(_ keys: inout ContiguousArray<SortKey>) {
    var spare = ContiguousArray<SortKey>()
    spare.reserveInLargePages(keys.count)
    spare.append(contentsOf: repeatElement(SortKey(), count: keys.count))
    // All names agree in the bits that none of them changes.
    let changing = keys.reduce(0) { $0 | ($1.word ^ keys[0].word) }
    for shift in stride(from: UInt64(0), to: 64, by: 8) where changing >> shift & 0xFF != 0 {
      keys.withUnsafeBufferPointer { keys in
        spare.withUnsafeMutableBufferPointer { spare in
          Self.sort(keys, byByteAt: shift, into: spare)
        }
      }
      swap(&keys, &spare)
    }
  }

  private static func sort(
    _ keys: UnsafeBufferPointer<SortKey>, byByteAt shift: UInt64,
    into sorted: UnsafeMutableBufferPointer<SortKey>
  ) {
    withUnsafeTemporaryAllocation(of: Int.self, capacity: 257) { starts in
      starts.initialize(repeating: 0)
      for key in keys { starts[Int(key.word &>> shift & 0xFF) &+ 1] &+= 1 }
      for byte in 1..<256 { starts[byte] &+= starts[byte &- 1] }
      for key in keys {
        let byte = Int(key.word &>> shift & 0xFF)
        sorted[starts[byte]] = key
        starts[byte] &+= 1
      }
    }
  }
}
