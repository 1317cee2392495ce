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
        changes.set(changes.hasher.transaction(id), offset, replacing: nil)
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
    return purchases.purchase(of: text[request.subject]) { product in
      try? ledger.purchase(.product(product, quantity: 1), of: known.account)
    }
  }
}

/// What is bought by the products that plain top-ups name, looked up once each.
struct PlainPurchases {
  private var entries: ContiguousArray<Entry> = []

  /// A product, and what is bought by it where it is known.
  private struct Entry {
    let product: Name
    let purchase: PlainPurchase?
  }

  /// More products than any input has names of; others are forgotten for them.
  private static let limit = 16

  /// - Parameter transaction: what a purchase of a product is recorded as.
  mutating func purchase(
    of product: UnsafeRawBufferPointer, _ transaction: (Name) -> Transaction?
  ) -> PlainPurchase? {
    if let place = entries.firstIndex(where: { $0.product.text.hasSameBytes(as: product) }) {
      return entries[place].purchase
    }
    let name = Name(trusted: String(decoding: product, as: UTF8.self))
    let entry = Entry(product: name, purchase: transaction(name).map(PlainPurchase.init))
    if entries.count >= Self.limit { entries.removeLast() }
    entries.insert(entry, at: 0)
    return entry.purchase
  }
}
