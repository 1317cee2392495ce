import CreditJSON
import CreditModel
import CreditSystem

@testable import CreditStore
@testable import TestSupport

/// Checks of a store as a new process finds it.
///
/// The journal's bytes never change. So after a crash its old bytes have to equal those that were
/// found right before, and its new lines are read, audited and compared with the model.
extension Simulation {
  /// The journal's unchecked records, with their bytes.
  struct NewRecords {
    var records: [LedgerRecord] = []
    var bytes: [UInt8] = []

    var count: Int { records.count }
  }

  // MARK: After a crash

  /// Checks everything that a crash can have changed, and now and then the whole store.
  /// - Parameter records: the records, if they were read already.
  func checkAfterCrash(_ records: NewRecords? = nil) throws {
    counts.checks += 1
    try accept(records ?? newRecords())
    try checkExport()
    // After a power cut the index is made again from the checked part.
    if !machine.isJustStarted || machine.random.once(in: 4) { try compareTouched() }
    if machine.random.once(in: 40) { try checkEverything() }
  }

  /// Reads the journal's new lines, as any process does, or one that recovers the store first.
  func newRecords(recovering: Bool = false) throws -> NewRecords {
    try repairFailedSync()
    return try quietly { store in
      if recovering { _ = try makeGate(store).perform([], under: policy) }
      return try newRecords(store)
    }
  }

  /// Whether a journal begins with the checked part. Its first line may have a later version by
  /// now, or after a power cut the earlier one again; the version that the records need is checked
  /// with them.
  private func isSameJournal(_ bytes: [UInt8]) -> Bool {
    guard let header = header(of: checkedBytes) else { return bytes.starts(with: checkedBytes) }
    return bytes.dropFirst(JournalHeader.byteCount)
      .starts(with: checkedBytes.dropFirst(JournalHeader.byteCount))
      && self.header(of: bytes)?.createdAt == header.createdAt
  }

  private func header(of bytes: [UInt8]) -> JournalHeader? {
    bytes.withBytes { JournalHeader($0) }
  }

  private func newRecords(_ store: LocalStore) throws -> NewRecords {
    guard isSameJournal(machine.storeFile(JournalFile.name)?.bytes ?? []) else {
      throw Violation("the journal is another one")
    }
    let directory = StoreDirectory(path: SimulatedMachine.storePath, system: store.system)
    let journal = try JournalFile(in: directory, .read)
    try journal.refreshWhole()
    guard journal.length >= checkedBytes.count else {
      throw Violation("the journal ends at \(journal.length), before \(checkedBytes.count)")
    }
    var new = NewRecords()
    var reader = RecordReader()
    var isHeader = checkedBytes.isEmpty
    var strange = 0
    try journal.forEachLine(from: checkedBytes.count, to: journal.length) { offset, line in
      if let stored = reader.read(line, at: RecordPosition(Int64(offset))) {
        new.records.append(stored.record.withoutPosition)
      } else if !isHeader {
        strange += 1
      }
      isHeader = false
      new.bytes += line
      new.bytes.append(UInt8(ascii: "\n"))
    }
    if strange > 0 { throw Violation("\(strange) lines that are no records") }
    return new
  }

  /// Holds new records against the model.
  private func accept(_ new: NewRecords) throws(Violation) {
    for record in new.records { try audit.take(record) }
    let expected = model.records[checkedCount...].map(\.withoutPosition)
    guard new.records.elementsEqual(expected) else {
      let pair = zip(new.records, expected).first { $0 != $1 }
      throw Violation(
        "\(new.count) records, not \(expected.count)"
          + (pair.map { ": \($0.event), not \($1.event)" } ?? ""))
    }
    // A store without records only has a header, which is not acknowledged.
    if !new.records.isEmpty { checkedBytes += new.bytes }
    checkedCount += new.count
    try audit.checkAcknowledged()
  }

  /// Looks up the subjects of some current requests.
  private func compareTouched() throws {
    if attempt.requests.isEmpty { return }
    try quietly { store in
      let reader = try StoreReader(store)
      for _ in 0..<2 {
        let request = attempt.requests[machine.random.number(below: attempt.requests.count)]
        let (account, authorization) = request.subject
        if let id = authorization { try compare(id, reader) }
        let entry = try authorization.flatMap(model.authorization)
        let owner = entry?.authorization.account
        if let name = account ?? owner { try compare(account: name, reader) }
      }
    }
  }

  // MARK: Everything

  /// Checks all of the store: a reader's view, a writer's result, and the output of `verify`.
  func checkEverything() throws {
    counts.wholeChecks += 1
    try repairFailedSync()
    try accept(newRecords())
    if machine.random.once(in: 2) { try quietly { try compareLookups(StoreReader($0)) } }
    try accept(newRecords(recovering: true))
    try quietly { store in
      let summary = try store.verify()
      if let finding = summary.findings.first { throw Violation("verify: \(finding.message)") }
      guard summary.records == model.records.count, summary.credits == audit.sumOfBalances else {
        throw Violation("verify: \(summary.records) records, \(summary.credits) credits")
      }
      try compareLookups(StoreReader(store))
    }
  }

  /// Exports the store after the crash: the export is complete.
  private func checkExport() throws {
    if checkedBytes.isEmpty { return }
    try quietly { store in
      let export = try StoreExport(store)
      var text = JSONWriter()
      while try export.write(into: &text) {}
      // The records come after a line about the export and one of its policy.
      let count = text.withBytes { bytes in bytes.count { $0 == UInt8(ascii: "\n") } } - 2
      guard count == checkedCount else {
        throw Violation("an export of \(count) records, not \(checkedCount)")
      }
    }
  }

  private func compareLookups(_ reader: StoreReader) throws {
    for name in RandomBatches.accounts { try compare(account: name, reader) }
    guard let record = model.records.randomElement(using: &machine.random),
      case .authorization(let id)? = record.keys.id
    else { return }
    try compare(id, reader)
  }

  private func compare(account name: Name, _ reader: StoreReader) throws {
    let account = try reader.newest(of: .account(name))?.record.account
    guard account == model.account(name), account?.balance == audit.balances[name] else {
      throw Violation("\(name.text) is not found as it is")
    }
  }

  private func compare(_ id: Name, _ reader: StoreReader) throws {
    let newest = try reader.newest(of: .authorization(id))
    let found = try newest.flatMap(AuthorizationEntry.init)
    let expected = try model.authorization(id)
    let none = (step: -1, charge: Charge?.none, refund: Refund?.none)
    guard found?.authorization == expected?.authorization,
      found?.state.parts ?? none == expected?.state.parts ?? none
    else { throw Violation("authorization \(id.text) is not found as it is") }
  }
}

extension GateRequest {
  /// The account that a request names, and the authorization.
  fileprivate var subject: (account: Name?, authorization: Name?) {
    switch self {
    case .authorize(let request): (request.account, request.id)
    case .void(let request): (nil, request.id)
    case .charge(let request):
      switch request.reference {
      case .authorization(let id, _): (nil, id)
      case .key(_, let account): (account, nil)
      }
    case .topUp(let request): (request.account, nil)
    case .refund(let request):
      if case .authorization(let id) = request.reference { (nil, id) } else { (nil, nil) }
    case .account(let request): (request.account, nil)
    case .transfer(let request): (request.to, nil)
    case .payment(let request): (request.changes.first?.account, nil)
    case .storeKit, .notification: (nil, nil)
    }
  }
}

extension AuthorizationEntry.State {
  /// The parts for comparison.
  fileprivate var parts: (step: Int, charge: Charge?, refund: Refund?) {
    switch self {
    case .open: (0, nil, nil)
    case .voided: (1, nil, nil)
    case .charged(let charge): (2, charge, nil)
    case .refunded(let charge, let refund): (3, charge, refund)
    }
  }
}

extension LedgerRecord {
  /// The record without the members that depend on its place.
  fileprivate var withoutPosition: LedgerRecord {
    var record = self
    record.original = nil
    return record
  }
}
