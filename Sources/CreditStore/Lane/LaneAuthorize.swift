internal import CreditJSON
internal import CreditModel

// Plain authorizations: made, and found again when they are charged.
extension PlainLane {
  /// An authorization without a hold, under a new id.
  /// - Parameter passed: the request, where its result is to be added to it.
  func authorize(
    _ request: PlainRequest, in text: UnsafeRawBufferPointer, _ hash: UInt64,
    addedTo passed: PassedRequest?
  ) throws(CreditError) -> Bool {
    let hasID = request.reference.count > 0
    let account = accountName(of: request, in: text)
    guard !hasID || changes.isFree(hash), let known = try self.account(account),
      let state = known.account.authorizePlainly(at: time)
    else { return false }
    func append(_ id: UnsafeRawBufferPointer, _ hash: UInt64) {
      let entry = PlainEntry(
        account: account, state, authorization: id, authorizedAt: state.updatedAt)
      output.plainAuthorized(entry, addedTo: passed)
      let offset = self.append(to: known, account, at: state.updatedAt) { record, previous in
        record.plainAuthorization(entry, previous: previous)
      }
      changes.set(hash, offset, replacing: nil)
    }
    if hasID {
      append(text[request.reference], hash)
    } else {
      makeID(state.updatedAt).text.withUTF8Bytes {
        append($0, hasher.authorization($0))
      }
    }
    return true
  }

  /// An authorization that is open and has neither a hold nor tags, and where its record stands;
  /// nil where there is none such under that id.
  func openAuthorization(_ id: UnsafeRawBufferPointer, _ hash: UInt64) throws(CreditError)
    -> (offset: Int, PlainAuthorization)?
  {
    var found: PlainAuthorization?
    let offset = try reporting { () throws(StoreFault) in
      try changes.lookup(hash) { (offset) throws(StoreFault) in
        found = try books.finder.plainAuthorization(id, at: offset)
        return true
      }
    }
    guard let offset, let found, !changes.isDamaged else { return nil }
    return (offset, found)
  }
}
