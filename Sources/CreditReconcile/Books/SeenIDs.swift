internal import CreditModel

/// Which ids the lines of a history had, by hashes of 64 bits: 8 to 22 bytes for each. That two of
/// a million lines share one by chance happens once in 30 million histories.
struct SeenIDs {
  /// The most ids that are kept: memory has a limit.
  static let limit = 100_000_000

  /// Open addressing; 0 is a free place.
  private var places = [UInt64](repeating: 0, count: 1 << 12)
  private var count = 0

  static func hash(_ id: UnsafeRawBufferPointer) -> UInt64 { max(1, NameTable.hash(id)) }

  func contains(_ hash: UInt64) -> Bool { places[place(of: hash)] != 0 }

  /// Notes an id.
  /// - Returns: whether it was not there yet.
  /// - Throws: `limit_exceeded`.
  mutating func insert(_ hash: UInt64) throws(CreditError) -> Bool {
    let place = place(of: hash)
    if places[place] != 0 { return false }
    guard count < Self.limit else {
      throw CreditError(.limitExceeded, "the history has more than \(Self.limit) lines")
    }
    places[place] = hash
    count += 1
    if count * 4 > places.count * 3 { grow() }
    return true
  }

  private func place(of hash: UInt64) -> Int {
    let mask = places.count - 1
    var place = Int(truncatingIfNeeded: hash >> 20) & mask
    while places[place] != 0, places[place] != hash { place = (place + 1) & mask }
    return place
  }

  private mutating func grow() {
    let old = places
    places = [UInt64](repeating: 0, count: old.count * 2)
    for hash in old where hash != 0 { places[place(of: hash)] = hash }
  }
}
