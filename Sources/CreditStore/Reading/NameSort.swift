internal import CreditModel
internal import CreditSystem

/// Sorts the accounts of a part by their names' bytes.
///
/// Eight bytes behind the names' common prefix distinguish most of them. Those are sorted byte by
/// byte from the last, and only names that share them are compared. For 190,000 names that takes a
/// quarter of the time of comparing all.
final class NameSort {
  private let part: AccountPart
  private let start: Int
  private let memory: MutableBytes
  private var keys: Cells<Key>

  /// Eight bytes of a name as a sortable number, and the name's account.
  private struct Key {
    let word: UInt64
    let place: AccountPart.Place
  }

  /// - Parameter start: length of the names' common prefix in bytes.
  init(of part: AccountPart, from start: Int) {
    self.part = part
    self.start = start
    memory = LargePages.allocate(byteCount: 2 * part.count * MemoryLayout<Key>.stride)
    keys = memory.cells(of: Key.self, count: part.count)
  }

  deinit {
    memory.deallocate()
  }

  func sort() {
    var count = 0
    part.forEachPlace { place in
      keys[count] = Key(word: part.word(place, from: start), place: place)
      count += 1
    }
    sortByWords()
    var first = 0
    while first < keys.count {
      var end = first + 1
      while end < keys.count, keys[end].word == keys[first].word { end += 1 }
      if end - first > 1 {
        var alike = Cells(rebasing: keys[first..<end])
        alike.sort { precedes($0, self, $1) }
      }
      first = end
    }
  }

  /// Merges these accounts with others, both sorted: returns twice the place of each, plus one if
  /// it is among the others.
  /// - Parameter place: a table of at least as many elements, whose memory the result takes.
  func merged(with other: NameSort, inPlaceOf place: LargeTable<RecordPosition>)
    -> LargeTable<Int>
  {
    let merged = LargeTable<Int>(count: keys.count + other.keys.count, inPlaceOf: place)
    var (count, next) = (0, 0)
    for key in keys {
      while next < other.keys.count, other.precedes(other.keys[next], self, key) {
        merged.elements[count] = other.keys[next].place << 1 | 1
        next += 1
        count += 1
      }
      merged.elements[count] = key.place << 1
      count += 1
    }
    for key in other.keys[next...] {
      merged.elements[count] = key.place << 1 | 1
      count += 1
    }
    return merged
  }

  private func precedes(_ left: Key, _ other: NameSort, _ right: Key) -> Bool {
    if left.word != right.word { return left.word < right.word }
    return part.name(left.place).lexicographicallyPrecedes(other.part.name(right.place))
  }

  private func sortByWords() {
    guard let first = keys.first else { return }
    var spare = memory.cells(
      of: Key.self, from: keys.count * MemoryLayout<Key>.stride, count: keys.count)
    // All names agree in the other bits.
    let changing = keys.reduce(0) { $0 | ($1.word ^ first.word) }
    for shift in stride(from: UInt64(0), to: 64, by: 8) where changing >> shift & 0xFF != 0 {
      Self.sort(keys, byByteAt: shift, into: spare)
      swap(&keys, &spare)
    }
  }

  private static func sort(_ keys: Cells<Key>, byByteAt shift: UInt64, into sorted: Cells<Key>) {
    withTemporaryBytes(byteCount: 257 * MemoryLayout<Int>.stride) { memory in
      let starts = memory.cells(of: Int.self, count: 257)
      starts.fill(0)
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

/// A table in large pieces of memory. Its elements are not initialized.
final class LargeTable<Element: BitwiseCopyable>: @unchecked Sendable {
  let elements: Cells<Element>
  private let memory: MutableBytes
  /// The owner of the table's memory, if it is another table.
  private let owner: AnyObject?

  init(count: Int) {
    memory = LargePages.allocate(byteCount: count * MemoryLayout<Element>.stride)
    elements = memory.cells(of: Element.self, count: count)
    owner = nil
  }

  /// A table in the memory of another one, which is not used any more: new memory from the system
  /// takes time.
  /// - Parameter count: no more than fit there.
  init<Other>(count: Int, inPlaceOf other: LargeTable<Other>) {
    memory = other.memory
    elements = memory.cells(of: Element.self, count: count)
    owner = other
  }

  deinit {
    if owner == nil { memory.deallocate() }
  }
}
