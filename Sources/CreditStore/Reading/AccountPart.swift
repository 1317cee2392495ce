internal import CreditModel
internal import CreditSystem

/// Accounts that one thread has read, in the order in which it read them.
///
/// They are never moved or copied: a list refers to the parts of two threads.
final class AccountPart {
  /// The position of an account's newest record, and the account if it has undated credits only.
  /// Its name follows.
  struct Row {
    let position: RecordPosition
    var registeredAt = Timestamp.earliest
    var updatedAt = Timestamp.earliest
    var recordCount: Int64 = 0
    var transactionCount: Int64 = 0
    var credits = UndatedCredits()
    /// At most `Name.accountLimit`.
    var nameCount: UInt8 = 0
    var isWhole = false
    var isExempt = false
    var isClosed = false
  }

  /// An account's place in its part, in bytes.
  typealias Place = Int
  /// Divides each place.
  private static let unit = 8

  private(set) var count = 0
  /// Length of the common prefix of all names, in bytes.
  private(set) var commonCount = 0
  private(set) var memory: MutableBytes
  private var end = 0

  /// - Parameter expectedCount: an estimate of the accounts; memory grows as needed.
  init(expectedCount: Int) { memory = LargePages.allocate(byteCount: 64 * max(expectedCount, 16)) }

  deinit {
    memory.deallocate()
  }

  /// Adds an account that has undated credits only.
  func add(_ account: Account, at position: RecordPosition) {
    var row = Row(position: position)
    row.registeredAt = account.registeredAt
    row.updatedAt = account.updatedAt
    row.recordCount = account.recordCount
    row.transactionCount = account.transactionCount
    row.credits = account.buckets.undated
    row.isWhole = true
    row.isExempt = account.isExempt
    row.isClosed = account.isClosed
    account.name.text.withUTF8Bytes { add(row, $0) }
  }

  func add(_ account: Name, at position: RecordPosition) {
    account.text.withUTF8Bytes { add(Row(position: position), $0) }
  }

  @inline(__always)
  private func add(_ row: Row, _ name: Bytes) {
    commonCount = count == 0 ? name.count : commonCount(with: name)
    count += 1
    let byteCount = Self.byteCount(nameCount: name.count)
    if memory.count - end < byteCount { grow() }
    var row = row
    row.nameCount = UInt8(name.count)
    memory.storeBytes(of: row, toByteOffset: end, as: Row.self)
    MutableBytes(rebasing: memory[(end + MemoryLayout<Row>.size)...]).copyMemory(from: name)
    end += byteCount
  }

  private func grow() {
    let larger = LargePages.allocate(byteCount: 2 * memory.count)
    larger.copyMemory(from: Bytes(rebasing: memory[..<end]))
    memory.deallocate()
    memory = larger
  }

  private static func byteCount(nameCount: Int) -> Int {
    (MemoryLayout<Row>.size + nameCount + unit - 1) / unit * unit
  }

  @inline(__always)
  func forEachPlace(_ body: (Place) -> Void) {
    var start = 0
    while start < end {
      body(start)
      start += Self.byteCount(nameCount: name(start).count)
    }
  }

  // MARK: Rows

  /// Returns the name behind a row.
  @inline(__always)
  static func name(_ place: Place, in memory: MutableBytes) -> Bytes {
    let start = place + MemoryLayout<Row>.size
    return Bytes(rebasing: memory[start..<start + Int(row(place, in: memory).nameCount)])
  }

  @inline(__always)
  static func row(_ place: Place, in memory: MutableBytes) -> Row {
    Bytes(memory).loadUnaligned(fromByteOffset: place, as: Row.self)
  }

  /// Returns the account of a row; nil if its record has to be read.
  static func account(_ place: Place, in memory: MutableBytes) -> Account? {
    let row = row(place, in: memory)
    guard row.isWhole else { return nil }
    var account = Account(
      name: Name(trusted: String(decoding: name(place, in: memory), as: UTF8.self)),
      registeredAt: row.registeredAt)
    account.updatedAt = row.updatedAt
    account.recordCount = row.recordCount
    account.transactionCount = row.transactionCount
    account.buckets = Buckets(row.credits, listed: nil)
    account.isExempt = row.isExempt
    account.isClosed = row.isClosed
    return account
  }

  func name(_ place: Place) -> Bytes { Self.name(place, in: memory) }

  /// Returns the length of the common prefix of all names and those of another part.
  func commonCount(with other: AccountPart) -> Int {
    if count == 0 { return other.commonCount }
    if other.count == 0 { return commonCount }
    return commonCount(with: Bytes(rebasing: other.name(0)[..<other.commonCount]))
  }

  /// Returns the length of the common prefix of all names and another one.
  private func commonCount(with other: Bytes) -> Int {
    let first = name(0)
    let limit = min(commonCount, other.count)
    var count = 0
    while count < limit, first[count] == other[count] { count += 1 }
    return count
  }

  /// Returns eight bytes of a name from one on; zeros, which no name has, behind its end.
  func word(_ place: Place, from start: Int) -> UInt64 {
    let rest = Bytes(rebasing: name(place)[start...])
    if rest.count >= 8 { return UInt64(bigEndian: rest.loadUnaligned(as: UInt64.self)) }
    var word: UInt64 = 0
    for byte in rest { word = word << 8 | UInt64(byte) }
    return rest.isEmpty ? 0 : word << UInt64(8 * (8 - rest.count))
  }
}
