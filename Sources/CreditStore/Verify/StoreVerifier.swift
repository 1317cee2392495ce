internal import CreditJSON
public import CreditModel
internal import CreditSystem

/// Result of checking a whole store.
public struct StoreSummary {
  public var version = StoreVersion.first
  public var records = 0
  public var accounts = 0
  public var credits: Int128 = 0
  public var bytes = 0
  /// The first findings: `corrupt_store`, with line and offset.
  public var findings: [CreditError] = []
  public var findingCount = 0
  /// Appends that did not finish.
  public var tornTails: [TornTail] = []
  /// Whether the index lacks lines of the journal. The next process adds them.
  public var isIndexBehind = false

  /// The most findings that are kept.
  public static let findingLimit = 1000

  public init() {}
}

extension LocalStore {
  /// Checks the whole store.
  ///
  /// That is: checksums, the form of each record, that each account's state follows by the rules
  /// from the previous one and the event, that ids are unique, that the records lead to one
  /// another, and that the index leads to them. The lock is held only to find the journal's length.
  /// - Parameter progress: called now and then with the bytes checked, and the total.
  /// - Throws: errors that keep the store from being read: `no_store`, `store_locked`, `io_error`,
  ///   `permission_denied`.
  public func verify(progress: (Int, Int) -> Void = { _, _ in }) throws(CreditError)
    -> StoreSummary
  {
    try requireExists()
    return try reporting { () throws(StoreFault) in
      var summary: StoreSummary
      do throws(StoreFault) {
        summary = try StoreVerifier(self, asksIndex: true).run(progress)
      } catch {
        guard case .indexUnusable = error else { throw error }
        summary = try StoreVerifier(self, asksIndex: false).run(progress)
      }
      summary.tornTails = try tornTails() + summary.tornTails
      return summary
    }
  }
}

/// One check of a whole store at one moment, in one of two ways.
///
/// In a sound store the index has every id and key once, and leads to its newest record. The check
/// sums up the entries that the index has to have, forgets most of them, and compares the sums in
/// the end, so that it takes no memory for ids and keys. That cannot locate a fault: then, or
/// without an index, the check begins again and keeps all ids and keys.
private final class StoreVerifier {
  private let asksIndex: Bool
  private let journal: JournalFile
  private let index: VerifierIndex?
  private let books: VerifierBooks
  private let end: Int
  private let markedReason: String?
  /// Set if the index has more records than can be read.
  private let shortened: ShortenedJournal?
  /// Nil if no torn tail is left in the journal.
  private let tornTail: TornTail?
  private let lock: StoreLock
  private let waitMilliseconds: Int
  // Exclusivity is unchecked: one thread at a time, and no callee reaches back.
  @exclusivity(unchecked) private var reader = RecordReader()
  @exclusivity(unchecked) private var lineCount = 0
  @exclusivity(unchecked) private var batch: ContiguousArray<TakenRecord> = []
  @exclusivity(unchecked) private var batchHashes: ContiguousArray<UInt64> = []

  /// Number of records that are looked up together.
  private static let batchCount = 64

  private struct TakenRecord {
    let stored: StoredRecord
    let hashes: VerifierBooks.Hashes
    let line: Int
  }
  private var summary = StoreSummary()

  /// - Throws: ``StoreFault/indexUnusable(_:)`` if the index is needed and unusable;
  ///   ``StoreFault/system(_:)``.
  init(_ store: LocalStore, asksIndex: Bool) throws(StoreFault) {
    self.asksIndex = asksIndex
    let directory = store.directory
    let lock = try StoreLock(in: directory, .read)
    self.lock = lock
    waitMilliseconds = store.options.waitMilliseconds
    let (end, source): (Int, RecordSource)
    (markedReason, journal, end, source, index, shortened, tornTail) = try lock.withLock(
      .shared, waitMilliseconds: waitMilliseconds
    ) { () throws(StoreFault) in
      let journal = try JournalFile(in: directory, .read)
      let file = try directory.open(JournalFile.name, .read)
      var end = try journal.refreshIsSound() ? journal.length : journal.byteCount()
      var index: VerifierIndex?
      var shortened: ShortenedJournal?
      do throws(StoreFault) {
        index = try VerifierIndex(of: journal, in: directory)
      } catch {
        guard case .shortened(let reason) = error else { throw error }
        // The rest was acknowledged: each unreadable line of it is damage.
        end = try journal.byteCount()
        shortened = reason
      }
      return (
        try lock.markedReason(), journal, end, RecordSource(file), index, shortened,
        end == journal.length ? try journal.tornTail() : nil
      )
    }
    self.end = end
    let hasher =
      index?.hasher ?? KeyHasher(seed: (store.system.randomWord(), store.system.randomWord()))
    if asksIndex, index?.coverage != end || markedReason != nil {
      throw .indexUnusable("it lacks a part of the journal")
    }
    // Few records are shorter, and those that are longer have two keys.
    books = VerifierBooks(
      hasher: hasher, expectedCount: asksIndex ? 0 : end / 250, keepsAll: !asksIndex
    ) { (offset) throws(StoreFault) in
      try source.recordWithEnd(at: offset, limit: end)?.stored.record
    }
  }

  func run(_ progress: (Int, Int) -> Void) throws(StoreFault) -> StoreSummary {
    if let markedReason {
      find(CreditError(.corruptStore, "\(StoreFault.marked(reason: markedReason))"))
    }
    if let shortened { find(CreditError(StoreFault.shortened(shortened))) }
    try journal.scan(from: 0, to: end) { (offset, line, isSound) throws(StoreFault) in
      lineCount += 1
      if lineCount & 0xFFF == 0 { progress(offset, end) }
      if offset == 0 {
        // It was read under the lock.
        if journal.header == nil { try addGap("is not a store's header", at: offset) }
      } else if isSound {
        try take(line, at: offset)
      } else if offset + line.count < end || JournalLine.hasChangedNewline(line) {
        try addGap("has a wrong checksum", at: offset)
      }
      if asksIndex && summary.findingCount > 0 { throw .indexUnusable("something is wrong") }
    }
    try checkBatch()
    for unfinished in books.groups.unfinished {
      find(
        CreditError(
          .corruptStore,
          "\(JournalFile.name) ends \(unfinished.end); restore the store from a backup",
          unfinished.account.map { [.account($0)] } ?? []))
    }
    for broken in try books.brokenChains() {
      find(CreditError(.corruptStore, broken.sentence, [.account(broken.account.name)]))
    }
    if let index, index.coverage == end { try check(index) }
    summary.isIndexBehind = index.map { $0.coverage < end } ?? false
    if let tornTail { summary.tornTails = [tornTail] }
    if summary.findingCount == 0 && books.credits != books.movedCredits {
      find(
        CreditError(
          .corruptStore,
          "all grants less all charges are \(books.movedCredits), and all balances together "
            + "\(books.credits)"))
    }
    if asksIndex && summary.findingCount > 0 { throw .indexUnusable("something is wrong") }
    summary.version = journal.header?.version ?? .first
    summary.records = books.recordCount
    summary.accounts = books.accountCount
    summary.credits = books.credits
    summary.bytes = end
    return summary
  }

  private func take(_ line: Bytes, at offset: Int) throws(StoreFault) {
    guard let stored = reader.read(line, at: RecordPosition(Int64(offset))) else {
      return try addGap(RecordFault.unreadable.reason, at: offset)
    }
    if let version = journal.header?.version, stored.record.version > version {
      find(
        "needs version \(stored.record.version.rawValue) of the journal, but the first line says "
          + "\(version.rawValue)", lineCount, at: offset, stored.record)
    }
    let hashes = books.hashes(of: stored.record.event, account: stored.record.account.name)
    if let id = hashes.id { batchHashes.append(id) }
    if let key = hashes.key { batchHashes.append(key) }
    if let original = hashes.originalID { batchHashes.append(original) }
    batch.append(TakenRecord(stored: consume stored, hashes: hashes, line: lineCount))
    if batch.count == Self.batchCount { try checkBatch() }
  }

  private func checkBatch() throws(StoreFault) {
    if batch.isEmpty { return }
    for hash in batchHashes { books.keys.prefetch(hash) }
    batchHashes.removeAll(keepingCapacity: true)
    for taken in batch {
      guard let fault = try books.add(taken.stored, taken.hashes) else { continue }
      find(fault.reason, taken.line, at: Int(taken.stored.position.value), taken.stored.record)
    }
    batch.removeAll(keepingCapacity: true)
  }

  private func addGap(_ reason: String, at offset: Int) throws(StoreFault) {
    try checkBatch()
    books.addGap(at: offset)
    find(reason, lineCount, at: offset, nil)
  }

  private func check(_ index: VerifierIndex) throws(StoreFault) {
    try checkBatch()
    if asksIndex {
      guard index.holds(books) else { throw .indexUnusable("it holds something else") }
      return
    }
    // An index is as wrong as the journal that it was made from.
    guard summary.findingCount == 0, index.finding(against: books) != nil else { return }
    // If a process was changing it, that process has finished before the second check.
    try lock.withLock(.shared, waitMilliseconds: waitMilliseconds) { () throws(StoreFault) in
      index.recheck()
      if let finding = index.finding(against: books) { find(finding) }
    }
  }

  private func find(_ reason: String, _ line: Int, at offset: Int, _ record: LedgerRecord?) {
    var details: [CreditError.Detail] = [.line(line), .offset(offset)]
    var what = ""
    if let record {
      what = ", \(record.title),"
      details.append(.account(record.account.name))
    }
    find(
      CreditError(
        .corruptStore,
        "\(JournalFile.name) line \(line) (byte \(offset))\(what) \(reason); restore the "
          + "store from a backup\(record == nil ? Self.otherWay : "")", details))
  }

  /// Advice if there is no backup, with its cost.
  private static let otherWay =
    ", or drop it: credit-store rebuild --drop-damaged FILE goes on without what cannot be read"

  private func find(_ finding: CreditError) {
    summary.findingCount += 1
    if summary.findingCount <= StoreSummary.findingLimit { summary.findings.append(finding) }
  }
}

extension LedgerRecord {
  /// The record's name in messages.
  var title: String {
    let whose = "of account \(quoted(account.name.text))"
    func named(_ what: String, _ id: Name) -> String { "\(what) \(quoted(id.text)) \(whose)" }
    return switch event {
    case .registration: "the registration \(whose)"
    case .claim: "a claim of an id"
    case .payment(let id, _): "news of payment \(quoted(id.text))"
    case .share(let share):
      "the share \(whose) in authorization \(quoted(share.authorization.text))"
    case .settings: "new settings \(whose)"
    case .expiry: "an expiry \(whose)"
    case .refill: "a refill \(whose)"
    case .dropped: "a note of dropped records \(whose)"
    case .authorization(let authorization): named("authorization", authorization.id)
    case .void(let authorization): named("the end of authorization", authorization.id)
    case .charge(let charge):
      named("the charge of authorization", charge.receipt.authorization.id)
    case .amend(let charge):
      named("the amended charge of authorization", charge.receipt.authorization.id)
    case .chargeRefund(let charge, _):
      named("the refund of authorization", charge.receipt.authorization.id)
    case .topUp(let topUp): named("top-up", topUp.transaction.id)
    case .topUpRefund(let topUp, _): named("the refund of top-up", topUp.transaction.id)
    case .topUpNews(let topUp, _): named("news of top-up", topUp.transaction.id)
    case .transferOut(let transfer), .transferIn(let transfer): named("transfer", transfer.id)
    }
  }
}
