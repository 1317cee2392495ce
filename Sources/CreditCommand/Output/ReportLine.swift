internal import CreditJSON
internal import CreditModel

/// What a page shows of a transaction.
struct ReportLine {
  let id: String
  let account: String
  let kind: String
  let status: String
  let credits: Int64
  let balance: Int64
  let timestamp: Timestamp
  /// The model, product or reason.
  let subject: String

  /// Nil where the value is no transaction.
  init?(_ value: JSONValue) {
    guard let id = value.string("id"), let account = value.string("account"),
      let kind = value.string("type"), let status = value.string("status"),
      let credits = value.int64("credits"), let balance = value.int64("balance"),
      let timestamp = value.timestamp("timestamp")
    else { return nil }
    self.id = id
    self.account = account
    self.kind = kind
    self.status = status
    self.credits = credits
    self.balance = balance
    self.timestamp = timestamp
    subject =
      value.string("model") ?? value.string("productID") ?? value.string("reason") ?? ""
  }

  /// Whether its credits count in the balance.
  var counts: Bool { status == "completed" || status == "refunded" }
}
