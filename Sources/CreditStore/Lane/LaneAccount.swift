internal import CreditJSON
internal import CreditModel

// The accounts of plain requests.
extension PlainLane {
  /// The account of a name, which may be a new one that is in the books once something is recorded
  /// of it; nil where the ledger is to look.
  @inline(__always)
  func account(_ name: UnsafeRawBufferPointer) throws(CreditError) -> KnownAccount? {
    if let known = try books.known(name) { return known }
    return try newAccount(name)
  }

  /// See ``Ledger/register(_:at:)``.
  private func newAccount(_ name: UnsafeRawBufferPointer) throws(CreditError) -> KnownAccount? {
    guard policy.registersAutomatically else { return nil }
    var account = try Account(
      registering: Name(trusted: String(decoding: name, as: UTF8.self)), at: time, under: policy)
    guard let registration = account.registerPlainly() else { return nil }
    return KnownAccount(new: account, registration: registration)
  }

  /// Appends the record that `write` writes, after the account's registration if that is new, and
  /// notes that it is the account's newest.
  /// - Parameters:
  ///   - name: the account's.
  ///   - time: of the record.
  ///   - write: is given where the account's record before stands.
  @inline(__always)
  func append(
    to known: KnownAccount, _ name: UnsafeRawBufferPointer, at time: Timestamp,
    _ write: (inout JSONWriter, RecordPosition?) -> Void
  ) -> Int {
    if let registration = known.registration { register(known, name, registration) }
    let position = batch.end
    let previous = known.position
    batch.append { write(&$0, previous) }
    changes.setAccountOffset(known.number, Int(position.value), at: &known.changedPlace)
    known.position = position
    books.latestTime = time
    return Int(position.value)
  }

  private func register(
    _ known: KnownAccount, _ name: UnsafeRawBufferPointer, _ state: PlainState
  ) {
    known.registration = nil
    books.add(known)
    known.position = batch.end
    batch.append { $0.plainRegistration(of: name, state) }
  }
}
