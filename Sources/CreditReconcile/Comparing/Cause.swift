/// Why a line of the bill and the books differ, or that they do not.
package enum Cause: String, CaseIterable, Sendable {
  case equal
  /// The bill has it, the books do not.
  case notInBooks = "not_in_books"
  /// The books have it, the bill does not.
  case notInBill = "not_in_bill"
  /// Their counts differ, and that is all.
  case quantity
  /// Their counts agree, and their prices do not.
  case price
  /// Both their counts and their prices differ.
  case both
  /// The day is so young that the bill may still change.
  case open
  /// The bill gives money back, for nothing that was counted.
  case credit
  /// The bill has counts that no price knows: what they cost nobody can tell.
  case unread

  /// Whether a line of it is a difference that fails the comparison.
  package var isDifference: Bool { self != .equal && self != .open }

  /// As a table has it.
  package var words: String { rawValue.split(separator: "_").joined(separator: " ") }
}
