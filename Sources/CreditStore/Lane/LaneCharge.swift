internal import CreditJSON
internal import CreditModel

// Plain charges: direct ones, and those under an authorization.
extension PlainLane {
  /// A direct charge whose key is new.
  func charge(
    _ request: PlainRequest, in text: UnsafeRawBufferPointer, _ hash: UInt64
  ) throws(CreditError) -> Bool {
    let account = accountName(of: request, in: text)
    guard changes.isFree(hash), let work = work(of: request, in: text),
      let known = try self.account(account), !crosses(known, by: work.quote.credits),
      let state = known.account.chargePlainly(work.quote.credits, at: time)
    else { return false }
    let offset = makeID(state.updatedAt).text.withUTF8Bytes { id in
      let idHash = hasher.authorization(id)
      places.prefetchNew(idHash)
      let entry = PlainEntry(
        account: account, state, authorization: id, authorizedAt: state.updatedAt,
        key: text[request.reference])
      let offset = append(entry, work, to: known)
      changes.set(idHash, offset, replacing: nil)
      return offset
    }
    changes.set(hash, offset, replacing: nil)
    return true
  }

  /// A charge under an authorization that is open and has no hold.
  func settle(
    _ request: PlainRequest, in text: UnsafeRawBufferPointer, _ hash: UInt64
  ) throws(CreditError) -> Bool {
    let id = text[request.reference]
    guard let (offset, opened) = try openAuthorization(id, hash),
      request.account.count == 0
        || opened.account.text.hasSameBytes(as: text[request.account]),
      let known = try books.known(opened.account),
      let work = work(of: request, in: text), !crosses(known, by: work.quote.credits),
      let state = known.account.chargePlainly(work.quote.credits, at: time)
    else { return false }
    let record = opened.account.text.withUTF8Bytes { name in
      let entry = PlainEntry(
        account: name, state, authorization: id, authorizedAt: opened.time)
      return append(entry, work, to: known)
    }
    changes.set(hash, record, replacing: offset)
    return true
  }

  @inline(__always)
  private func work(of request: PlainRequest, in text: UnsafeRawBufferPointer) -> PlainWork? {
    let model = text[request.subject]
    guard let price = prices.price(of: model, at: time),
      let quote = price.quote(request.counts)
    else { return nil }
    return PlainWork(model: model, counts: request.counts, quote: quote, scale: price.scale)
  }

  @inline(__always)
  private func append(_ entry: PlainEntry, _ work: PlainWork, to known: KnownAccount) -> Int {
    output.plainReceipt(entry, work)
    return append(to: known, entry.account, at: entry.state.updatedAt) { record, previous in
      record.plainCharge(entry, work, previous: previous)
    }
  }
}
