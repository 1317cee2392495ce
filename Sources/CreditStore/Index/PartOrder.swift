/// Puts things in the order of the parts that they are in, those of one part in their own order:
/// counted, as to compare them takes longer.
enum PartOrder {
  /// The numbers of the things.
  /// - Parameter part: the part of a thing by its number, below `partCount`.
  @inline(__always)
  static func numbers(of count: Int, partCount: Int, part: (Int) -> Int)
    -> ContiguousArray<UInt32>
  {
    var order = ContiguousArray<UInt32>(repeating: 0, count: count)
    forEach(of: count, partCount: partCount, part: part) { order[$1] = UInt32($0) }
    return order
  }

  /// Calls `body` with the number of each thing and its place in the order.
  @inline(__always)
  static func forEach(
    of count: Int, partCount: Int, part: (Int) -> Int, _ body: (_ number: Int, _ place: Int) -> Void
  ) {
    var starts = ContiguousArray(repeating: 0, count: partCount + 1)
    for number in 0..<count { starts[part(number) + 1] += 1 }
    for part in starts.indices.dropFirst() { starts[part] += starts[part - 1] }
    for number in 0..<count {
      let part = part(number)
      body(number, starts[part])
      starts[part] += 1
    }
  }
}
