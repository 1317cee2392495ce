package import CreditJSON
internal import CreditModel

/// A line of `credit-history` as a report reads it: a view, valid as long as the value it was read
/// from.
package struct ReportLine {
  package let value: JSONValue
  let kind: HistoryLine.Kind
  let status: Transaction.Status
  /// Signed.
  let credits: Int64
  /// The account's balance right after it.
  let balance: Int64
  let timestamp: Timestamp
  /// When the work was done that a charge is for, where the line says so.
  let usedAt: Timestamp?

  /// Nil where the value is no line of a history.
  package init?(_ value: JSONValue) {
    guard value.member("id")?.kind == .string, value.member("account")?.kind == .string,
      let kind = value.string("type").flatMap(HistoryLine.Kind.init(rawValue:)),
      let status = value.string("status").flatMap(Transaction.Status.init(rawValue:)),
      let credits = value.int64("credits"), let balance = value.int64("balance"),
      let timestamp = value.timestamp("timestamp")
    else { return nil }
    self.value = value
    self.kind = kind
    self.status = status
    self.credits = credits
    self.balance = balance
    self.timestamp = timestamp
    usedAt = value.timestamp("usedAt")
  }

  var id: String { text("id") ?? "" }
  var account: String { text("account") ?? "" }

  /// A member that is text; nil where it is absent or something else.
  func text(_ member: StaticString) -> String? { value.string(member) }

  /// Whether its credits count in the balance.
  var counts: Bool { status == .completed || status == .refunded }

  /// When what it tells of happened: work that was charged later, when it was done.
  var time: Timestamp { usedAt ?? timestamp }

  /// When the balance was what it says: a purchase that was pending first, when it was completed.
  var balanceTime: Timestamp {
    guard status == .completed, let updatedAt = value.timestamp("updatedAt") else {
      return timestamp
    }
    return max(timestamp, updatedAt)
  }

  /// What was used or bought, or why.
  var subject: String { text("model") ?? text("productID") ?? text("reason") ?? "" }

  /// A decimal number.
  /// - Throws: ``CreditError`` where the member is there and says none.
  func amount(_ member: StaticString) throws(CreditError) -> DecimalSum? {
    guard let text = value.member(member), !text.isNull else { return nil }
    let amount = text.withUTF8 { DecimalSum(text: $0) } ?? text.numberText.flatMap(DecimalSum.init)
    guard let amount else {
      throw CreditError(.invalidRequest, "\(member) is no decimal number in \(quoted(id))")
    }
    return amount
  }

  /// What a purchase was paid with; nil where the line is no purchase with a price and a currency.
  func payment() throws(CreditError) -> Payment? {
    guard kind == .purchase, counts, let currency = text("currency"),
      let amount = try amount("price")
    else { return nil }
    let isCode =
      (2...24).contains(currency.utf8.count) && currency.utf8.allSatisfy { (65...90).contains($0) }
    guard isCode else {
      throw CreditError(.invalidRequest, "\(quoted(currency)) is no currency in \(quoted(id))")
    }
    return Payment(amount: amount, currency: currency, isRefunded: status == .refunded)
  }
}

/// What a purchase was paid with.
struct Payment {
  let amount: DecimalSum
  /// An ISO 4217 code.
  let currency: String
  /// Whether it was given back since, in part or whole.
  let isRefunded: Bool
}
