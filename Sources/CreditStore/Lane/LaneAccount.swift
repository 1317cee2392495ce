internal import CreditJSON
internal import CreditModel

/// An account that a plain request is about.
struct LaneAccount {
  let name: UnsafeRawBufferPointer
  let known: KnownAccount
  /// How a new account was registered; nil for one that is in the books.
  let registration: PlainState?
}

extension PlainLane {
  /// The account of a request, which may be a new one that is in the books once something is
  /// recorded of it; nil where the ledger is to look.
  @inline(__always)
  func account(of request: PlainRequest, in text: UnsafeRawBufferPointer) throws(CreditError)
    -> LaneAccount?
  {
    let name = accountName(of: request, in: text)
    guard let known = try books.known(name) else { return try newAccount(name) }
    return LaneAccount(name: name, known: known, registration: nil)
  }

  /// See ``Ledger/register(_:at:)``.
  private func newAccount(_ name: UnsafeRawBufferPointer) throws(CreditError) -> LaneAccount? {
    guard policy.registersAutomatically else { return nil }
    var account = try Account(
      registering: Name(trusted: String(decoding: name, as: UTF8.self)), at: time, under: policy)
    guard let registration = account.registerPlainly() else { return nil }
    return LaneAccount(
      name: name, known: KnownAccount(new: account), registration: registration)
  }

  /// Appends the record that `write` writes, after the account's registration if that is new, and
  /// notes that it is the account's newest.
  /// - Parameters:
  ///   - time: of the record.
  ///   - write: is given where the account's record before stands.
  @inline(__always)
  func append(
    to account: LaneAccount, at time: Timestamp,
    _ write: (inout JSONWriter, RecordPosition?) -> Void
  ) -> Int {
    if let registration = account.registration { register(account, registration) }
    let known = account.known
    let position = batch.end
    let previous = known.position
    batch.append { write(&$0, previous) }
    batch.changes.setAccountOffset(known.number, Int(position.value))
    known.position = position
    books.latestTime = time
    return Int(position.value)
  }

  private func register(_ account: LaneAccount, _ state: PlainState) {
    books.add(account.known)
    account.known.position = batch.end
    batch.append { $0.plainRegistration(of: account.name, state) }
  }
}
