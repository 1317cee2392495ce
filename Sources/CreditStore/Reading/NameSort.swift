internal import CreditSystem

/// Brings some names in the order of their bytes.
///
/// The eight bytes behind what all names begin with tell most of them apart: those are sorted byte
/// by byte from the last, and only names that have them in common are compared. Of 190,000 names
/// that takes a quarter of what comparing all takes.
final class NameSort {
  private let names: NameBytes
  private let numbers: Range<Int>
  private let start: Int
  private var keys = ContiguousArray<Key>()

  /// Eight bytes of a name as a number in their order, and which name it is.
  private struct Key {
    var word: UInt64 = 0
    var number: UInt32 = 0
  }

  /// - Parameter start: how many bytes all names begin with in common.
  init(of names: NameBytes, _ numbers: Range<Int>, from start: Int) {
    self.names = names
    self.numbers = numbers
    self.start = start
  }

  func sort() {
    keys.reserveInLargePages(numbers.count)
    for number in numbers {
      keys.append(Key(word: names.word(of: number, from: start), number: UInt32(number)))
    }
    sortByWords()
    var first = 0
    while first < keys.count {
      var end = first + 1
      while end < keys.count, keys[end].word == keys[first].word { end += 1 }
      if end - first > 1 {
        keys[first..<end].sort { names.precedes($0.number, $1.number) }
      }
      first = end
    }
  }

  /// The numbers of these names and of others, both sorted.
  func merged(with other: NameSort) -> ContiguousArray<UInt32> {
    var merged = ContiguousArray<UInt32>()
    merged.reserveCapacity(keys.count + other.keys.count)
    var next = 0
    for key in keys {
      while next < other.keys.count, precedes(other.keys[next], key) {
        merged.append(other.keys[next].number)
        next += 1
      }
      merged.append(key.number)
    }
    merged.append(contentsOf: other.keys[next...].lazy.map(\.number))
    return merged
  }

  private func precedes(_ left: Key, _ right: Key) -> Bool {
    left.word == right.word
      ? names.precedes(left.number, right.number) : left.word < right.word
  }

  private func sortByWords() {
    var spare = ContiguousArray<Key>()
    spare.reserveInLargePages(keys.count)
    spare.append(contentsOf: repeatElement(Key(), count: keys.count))
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
    _ keys: UnsafeBufferPointer<Key>, byByteAt shift: UInt64,
    into sorted: UnsafeMutableBufferPointer<Key>
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
