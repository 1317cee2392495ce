internal import CreditModel

/// The prices of the models that plain charges name, at one time of use.
struct PlainPrices {
  private let policy: Policy
  /// The prices of models; nil where one is not plain, or there is none.
  private var known = FewNamed<PlainPrice?>()
  /// The one that was asked for last, which is mostly the next one, too.
  private var last: (model: Name, price: PlainPrice?) = (.nobody, nil)
  private var time = Timestamp.earliest

  init(_ policy: Policy) {
    self.policy = policy
  }

  /// The price of a model at a time; nil where it is not plain, or there is none.
  @inline(__always)
  mutating func price(of model: UnsafeRawBufferPointer, at time: Timestamp) -> PlainPrice? {
    if time != self.time || !last.model.text.hasSameBytes(as: model) { find(model, at: time) }
    return last.price
  }

  @inline(never)
  private mutating func find(_ model: UnsafeRawBufferPointer, at time: Timestamp) {
    if time != self.time { known.removeAll() }
    self.time = time
    last = known.value(of: model) { [policy] name in
      (try? policy.model(name, at: time)).flatMap { PlainPrice(of: $0, under: policy.priceRules) }
    }
  }
}
