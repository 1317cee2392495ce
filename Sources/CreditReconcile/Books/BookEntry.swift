internal import CreditReport

/// Something that the books have: a call, or what a correction changed of one.
struct BookEntry {
  var day: Int64
  let subject: Int
  var usage: Quantities
  let money: DecimalSum?
  /// 0 for a correction: the call counts where it was charged.
  let callCount: Int64
  let key: String?
}
