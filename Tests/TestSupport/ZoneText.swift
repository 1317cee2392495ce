import CreditBytes

/// A made-up zone file, so that no test depends on those of the system.
struct ZoneText {
  /// Offsets in seconds; the first one holds before the first change.
  var offsets: [Int32]
  /// Seconds since 1970, and the number of the offset from then on.
  var changes: [(second: Int64, offset: UInt8)] = []
  var rule = ""
  var version = UInt8(ascii: "2")
  var leapSeconds = 0

  var bytes: [UInt8] {
    let isLong = version != 0
    // Readers of later versions skip the first block.
    return block(isLong: false, isEmpty: isLong)
      + (isLong ? block(isLong: true, isEmpty: false) + Array("\n\(rule)\n".utf8) : [])
  }

  private func block(isLong: Bool, isEmpty: Bool) -> [UInt8] {
    func big(_ number: some FixedWidthInteger) -> [UInt8] {
      withUnsafeBytes(of: number.bigEndian) { Array($0) }
    }
    let changes = isEmpty ? [] : changes
    let offsets = isEmpty ? [] : offsets
    let leaps = isEmpty ? 0 : leapSeconds
    var bytes = Array("TZif".utf8) + [version] + [UInt8](repeating: 0, count: 15)
    for count in [0, 0, leaps, changes.count, offsets.count, isEmpty ? 0 : 4] {
      bytes += big(Int32(count))
    }
    for change in changes {
      bytes += isLong ? big(change.second) : big(Int32(truncatingIfNeeded: change.second))
    }
    bytes += changes.map(\.offset)
    for offset in offsets { bytes += big(offset) + [0, 0] }
    if !isEmpty { bytes += Array("ZZZ\0".utf8) }
    return bytes + [UInt8](repeating: 0, count: leaps * (isLong ? 12 : 8))
  }

  func zone() throws -> TimeZone { try ZoneFile.read(bytes) }

  /// A zone without changes of its own, but with a rule.
  static func rule(_ text: String, offset: Int32 = 0) throws -> TimeZone {
    try ZoneText(offsets: [offset], rule: text).zone()
  }

  static func berlin() throws -> TimeZone {
    try rule("CET-1CEST,M3.5.0,M10.5.0/3", offset: 3600)
  }
}
