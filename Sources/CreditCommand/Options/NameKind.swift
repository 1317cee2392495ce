/// The kinds of names that a store has, as completions ask for them.
package enum NameKind: String, CaseIterable, Sendable {
  case account, model, product, plan
  /// A limit of a plan, or a period that is one.
  case limit
  /// An authorization that is neither charged nor voided.
  case authorization
  /// An authorization that has been charged.
  case charge
}
