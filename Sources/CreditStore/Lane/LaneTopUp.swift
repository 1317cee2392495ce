internal import CreditJSON
internal import CreditModel

// Plain top-ups: purchases by their transaction, or by a key.
extension PlainLane {
  /// A purchase whose transaction or key is new, under a policy that does not count them.
  func topUp(
    _ request: PlainRequest, in text: UnsafeRawBufferPointer, _ hash: UInt64
  ) throws(CreditError) -> Bool {
    let account = accountName(of: request, in: text)
    guard !limitsTopUps, changes.isFree(hash), let known = try self.account(account),
      let purchase = purchase(request, in: text, of: known),
      let state = known.account.depositPlainly(purchase.credits, at: time)
    else { return false }
    let reference = text[request.reference]
    if request.action == .topUp {
      let entry = PlainPurchaseEntry(
        account: account, state, transaction: reference, key: Self.noKey, purchase)
      changes.set(hash, append(entry, at: state.updatedAt, to: known), replacing: nil)
    } else {
      makeID(state.updatedAt).text.withUTF8Bytes { id in
        let entry = PlainPurchaseEntry(
          account: account, state, transaction: id, key: reference, purchase)
        let offset = append(entry, at: state.updatedAt, to: known)
        changes.set(hasher.transaction(id), offset, replacing: nil)
        changes.set(hash, offset, replacing: nil)
      }
    }
    return true
  }

  private static var noKey: UnsafeRawBufferPointer { .init(start: nil, count: 0) }

  private func append(_ entry: PlainPurchaseEntry, at time: Timestamp, to known: KnownAccount)
    -> Int
  {
    output.plainPurchase(entry)
    return append(to: known, entry.account, at: time) { record, previous in
      record.plainTopUp(entry, previous: previous)
    }
  }

  /// What the request buys; nil where that is unknown or too much.
  private func purchase(
    _ request: PlainRequest, in text: UnsafeRawBufferPointer, of known: KnownAccount
  ) -> PlainPurchase? {
    if request.subject.count == 0 {
      return request.credits <= Credits.largestGrant ? PlainPurchase(request.credits) : nil
    }
    let (_, purchase) = purchases.value(of: text[request.subject]) { product in
      (try? ledger.purchase(.product(product, quantity: 1), of: known.account))
        .map(PlainPurchase.init)
    }
    return purchase
  }
}
