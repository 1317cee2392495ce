internal import CreditModel

/// The prices of the models that plain charges name, looked up once each.
struct PlainPrices {
  private let policy: Policy
  private var entries: ContiguousArray<Entry> = []
  /// The one that was asked for last, which is mostly the next one, too.
  private var lastModel = Name.nobody
  private var lastPrice: PlainPrice?
  /// The time of use that the prices are for.
  private var time = Timestamp.earliest

  /// A model, and its price where that is plain.
  private struct Entry {
    let model: Name
    let price: PlainPrice?
  }

  /// More models than any input has names of; others are forgotten for them.
  private static let limit = 16

  init(_ policy: Policy) {
    self.policy = policy
  }

  /// The price of a model at a time; nil where it is not plain, or there is none.
  @inline(__always)
  mutating func price(of model: UnsafeRawBufferPointer, at time: Timestamp) -> PlainPrice? {
    if time == self.time, lastModel.text.hasSameBytes(as: model) { return lastPrice }
    let entry = entry(of: model, at: time)
    lastModel = entry.model
    lastPrice = entry.price
    return lastPrice
  }

  @inline(never)
  private mutating func entry(of model: UnsafeRawBufferPointer, at time: Timestamp) -> Entry {
    if time != self.time { entries.removeAll() }
    self.time = time
    if let entry = entries.first(where: { $0.model.text.hasSameBytes(as: model) }) { return entry }
    let name = Name(trusted: String(decoding: model, as: UTF8.self))
    let priced = try? policy.model(name, at: time)
    let entry = Entry(
      model: name, price: priced.flatMap { PlainPrice(of: $0, under: policy.priceRules) })
    if entries.count >= Self.limit { entries.removeLast() }
    entries.insert(entry, at: 0)
    return entry
  }
}
