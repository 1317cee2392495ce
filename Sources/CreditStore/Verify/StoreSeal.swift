public import CreditModel

/// The records of a store at one moment: their number, and the length and hash of their text.
///
/// Records are only ever added. So a seal that is kept elsewhere, or signed, shows whether a record
/// before it was changed since.
public struct StoreSeal: Equatable, Sendable {
  /// The store's place at that moment.
  public let store: String
  public let records: Int
  /// Length of the text in bytes.
  public let bytes: Int
  /// The text's SHA-256, in 64 lower-case hexadecimal digits.
  public let sha256: String
  public let at: Timestamp

  public init(store: String, records: Int, bytes: Int, sha256: String, at: Timestamp) {
    self.store = store
    self.records = records
    self.bytes = bytes
    self.sha256 = sha256
    self.at = at
  }

  /// The error of a seal that does not hold.
  public var broken: CreditError {
    CreditError(
      .corruptStore,
      "the seal of \(at.text) does not hold: the first \(records) records are not those that it "
        + "sealed")
  }
}

extension Store {
  /// Seals all records, after it has found that earlier seals hold.
  /// - Throws: `corrupt_store` for an earlier seal that does not hold.
  public func seal(at time: Timestamp, after earlier: [StoreSeal]) throws(CreditError)
    -> StoreSeal
  {
    try requireExists()
    let reading = try SealReading(self, at: earlier.map(\.bytes), revision: 0, checks: true)
    for (seal, holds) in zip(earlier, try hold(earlier, reading)) where !holds {
      throw seal.broken
    }
    let end = reading.end
    return StoreSeal(
      store: location.path, records: end.records, bytes: end.bytes, sha256: end.sha256, at: time)
  }

  /// Returns whether each seal holds: whether the store begins with its very text.
  public func hold(_ seals: [StoreSeal]) throws(CreditError) -> [Bool] {
    try requireExists()
    return try hold(seals, SealReading(self, at: seals.map(\.bytes), revision: 0))
  }

  /// The header's version may have risen since a seal was made, so earlier headers are tried, too.
  private func hold(_ seals: [StoreSeal], _ reading: SealReading) throws(CreditError) -> [Bool] {
    var holds = seals.map(reading.holds)
    var revision = 1
    while holds.contains(false) {
      let open = seals.indices.filter { !holds[$0] }
      let earlier = try SealReading(self, at: open.map { seals[$0].bytes }, revision: revision)
      if !earlier.isRead { break }
      for place in open { holds[place] = earlier.holds(seals[place]) }
      revision += 1
    }
    return holds
  }

  /// The records as ``StoreExport`` writes them.
  public func readSealed(
    revision: Int, checks: Bool, _ body: (Bytes, Bool) throws(CreditError) -> Void
  ) throws(CreditError) -> Bool {
    if revision > 0 { return false }
    let books = try self.books()
    var text = JSONWriter(capacity: 1 << 18)
    _ = try books.searchPages(before: books.bookmark().position) {
      records throws(CreditError) -> Never? in
      for stored in records { text.exported(stored.record) }
      try text.withBytes { bytes throws(CreditError) in try body(bytes, false) }
      text.removeAll()
      return nil
    }
    return true
  }
}

extension LocalStore {
  /// The journal up to its last whole batch, perhaps as it was before its version rose.
  public func readSealed(
    revision: Int, checks: Bool, _ body: (Bytes, Bool) throws(CreditError) -> Void
  ) throws(CreditError) -> Bool {
    let reader = try StoreReader(self)
    let (end, header) = try reader.lockedJournal(toleratesDamage: !checks) {
      () throws(StoreFault) in
      if checks { try reader.checkEnd() }
      let end = try checks ? reader.wholeEnd() : reader.journal.length
      return (end, try reader.journal.header(revision: revision))
    }
    guard let header else { return false }
    if checks {
      try reporting { () throws(StoreFault) in
        try reader.journal.forEachLine(from: JournalHeader.byteCount, to: end) { _, _ in }
      }
    }
    try header.line.withBytes { bytes throws(CreditError) in try body(bytes, true) }
    var failure: CreditError?
    try reporting { () throws(StoreFault) in
      try reader.journal.eachBlock(from: JournalHeader.byteCount, to: end) { block in
        if failure != nil { return }
        do throws(CreditError) { try body(block, false) } catch { failure = error }
      }
    }
    if let failure { throw failure }
    return true
  }
}

/// One pass over the text that seals are of.
private struct SealReading {
  /// The sums at the lengths that were asked for; none beyond the end.
  private var sums: [Int: SealSum] = [:]
  private(set) var end = SealSum()
  /// False if the text never had an earlier header.
  private(set) var isRead = false

  /// - Parameters:
  ///   - revision: by how many versions the header is to be earlier.
  ///   - checks: true to refuse a damaged journal, or one that lacks records of the index.
  init(
    _ store: some Store, at lengths: [Int], revision: Int, checks: Bool = false
  ) throws(CreditError) {
    var wanted = Set(lengths).sorted()[...]
    isRead = try store.readSealed(revision: revision, checks: checks) {
      part, isHeader throws(CreditError) in
      var rest = part
      while let next = wanted.first, next - end.bytes <= rest.count {
        let count = max(0, next - end.bytes)
        end.add(Bytes(rebasing: rest[..<count]), isHeader: isHeader)
        sums[next] = end
        rest = Bytes(rebasing: rest[count...])
        wanted.removeFirst()
      }
      end.add(rest, isHeader: isHeader)
    }
  }

  func holds(_ seal: StoreSeal) -> Bool {
    guard let sum = sums[seal.bytes] else { return false }
    return sum.records == seal.records && sum.sha256 == seal.sha256
  }
}

/// The sum of a text's beginning.
private struct SealSum {
  private var hash = SHA256()
  private(set) var bytes = 0
  private(set) var records = 0

  mutating func add(_ part: Bytes, isHeader: Bool) {
    hash.update(part)
    bytes += part.count
    if isHeader { return }
    for byte in part where byte == .lineFeed { records += 1 }
  }

  var sha256: String { SHA256.text(hash.finish()) }
}
