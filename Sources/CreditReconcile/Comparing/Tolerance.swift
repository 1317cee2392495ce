internal import CreditModel
internal import CreditReport

/// By how much a line may differ and count as equal.
package struct Tolerance: Sendable {
  /// As it was given.
  package let text: String
  private let amount: DecimalSum
  private let isPercent: Bool

  package static let none = Tolerance(text: "0", amount: DecimalSum(), isPercent: false)

  private init(text: String, amount: DecimalSum, isPercent: Bool) {
    self.text = text
    self.amount = amount
    self.isPercent = isPercent
  }

  /// - Parameter text: dollars, `0.05`, or a share of what the bill has, `0.01%`.
  /// - Returns: nil for anything else.
  package init?(text: String) {
    let isPercent = text.utf8.last == UInt8(ascii: "%")
    let digits = String(isPercent ? text.dropLast() : text[...])
    guard let amount = digits.withUTF8Bytes({ DecimalSum(text: $0) }),
      amount.coefficient >= 0
    else { return nil }
    self.init(text: text, amount: amount, isPercent: isPercent)
  }

  /// Whether nothing may differ.
  var isZero: Bool { amount.isZero }

  /// Whether a difference is within it.
  func allows(_ difference: DecimalSum, of bill: DecimalSum) -> Bool {
    if difference.isZero { return true }
    if !isPercent { return difference.size.isAtMost(amount) }
    guard let limit = amount.times(bill.size)?.shifted(right: 2) else { return false }
    return difference.size.isAtMost(limit)
  }
}
