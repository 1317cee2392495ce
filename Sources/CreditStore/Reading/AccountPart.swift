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
    /// Whether the row has the whole account.
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
  private(set) var memory: UnsafeMutableRawPointer
  private var capacity: Int
  private var end = 0

  /// - Parameter expectedCount: an estimate of the accounts; memory grows as needed.
  init(expectedCount: Int) {
    capacity = 64 * max(expectedCount, 16)
    memory = LargePages.allocate(byteCount: capacity)
  }

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
  private func add(_ row: Row, _ name: UnsafeRawBufferPointer) {
    commonCount = count == 0 ? name.count : commonCount(with: name)
    count += 1
    let byteCount = Self.byteCount(nameCount: name.count)
    if capacity - end < byteCount { grow() }
    var row = row
    row.nameCount = UInt8(name.count)
    (memory + end).initializeMemory(as: Row.self, to: row)
    UnsafeMutableRawBufferPointer(
      start: memory + end + MemoryLayout<Row>.size, count: name.count
    ).copyMemory(from: name)
    end += byteCount
  }

  private func grow() {
    capacity *= 2
    let larger = LargePages.allocate(byteCount: capacity)
    larger.copyMemory(from: memory, byteCount: end)
    memory.deallocate()
    memory = larger
  }

  private static func byteCount(nameCount: Int) -> Int {
    (MemoryLayout<Row>.size + nameCount + unit - 1) / unit * unit
  }

  /// Calls `body` with the place of each account.
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
  static func name(_ row: UnsafeRawPointer) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(
      start: row + MemoryLayout<Row>.size,
      count: Int(row.assumingMemoryBound(to: Row.self).pointee.nameCount))
  }

  /// Returns the account of a row; nil if its record has to be read.
  static func account(_ start: UnsafeRawPointer) -> Account? {
    let row = start.assumingMemoryBound(to: Row.self).pointee
    guard row.isWhole else { return nil }
    var account = Account(
      name: Name(trusted: String(decoding: name(start), as: UTF8.self)),
      registeredAt: row.registeredAt)
    account.updatedAt = row.updatedAt
    account.recordCount = row.recordCount
    account.transactionCount = row.transactionCount
    account.buckets = Buckets(row.credits, listed: nil)
    account.isExempt = row.isExempt
    account.isClosed = row.isClosed
    return account
  }

  func name(_ place: Place) -> UnsafeRawBufferPointer { Self.name(memory + place) }

  /// Returns the length of the common prefix of all names and those of another part.
  func commonCount(with other: AccountPart) -> Int {
    if count == 0 { return other.commonCount }
    if other.count == 0 { return commonCount }
    return commonCount(
      with: UnsafeRawBufferPointer(rebasing: other.name(0)[..<other.commonCount]))
  }

  /// Returns the length of the common prefix of all names and another one.
  private func commonCount(with other: UnsafeRawBufferPointer) -> Int {
    let first = name(0)
    let limit = min(commonCount, other.count)
    var count = 0
    while count < limit, first[count] == other[count] { count += 1 }
    return count
  }

  /// Returns eight bytes of a name from one on; zeros, which no name has, behind its end.
  func word(_ place: Place, from start: Int) -> UInt64 {
    let rest = UnsafeRawBufferPointer(rebasing: name(place)[start...])
    if rest.count >= 8 { return UInt64(bigEndian: rest.loadUnaligned(as: UInt64.self)) }
    var word: UInt64 = 0
    for byte in rest { word = word << 8 | UInt64(byte) }
    return rest.isEmpty ? 0 : word << UInt64(8 * (8 - rest.count))
  }
}
