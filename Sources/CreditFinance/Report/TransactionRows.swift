internal import CreditJSON
public import CreditModel

/// The transactions of the period, a row each, in the order of the input. Refunded ones appear in
/// their earlier state, as the refund is a separate row; likewise grants that have started since
/// their record.
public final class TransactionRows: ReportForm {
  public var output = ReportText()
  private let period: ReportPeriod
  private let form: RowForm

  private static let names: [StaticString] = [
    "id", "account", "type", "status", "credits", "balance", "timestamp", "updatedAt", "usedAt",
    "model", "productID", "quantity", "price", "currency", "usd", "costUSD", "creditsWaived",
    "creditsRefunded", "key", "reason", "expiresAt", "counterparty", "originalTransactionID",
    "tags", "usage", "productName", "member", "parent", "paidBy",
    "creditsForfeited", "carriedOver",
  ]

  /// Decimal numbers, though JSON has them as text.
  private static let decimals: Set<String> = ["price", "usd", "costUSD"]

  /// The members of a line that a later refund changes.
  private static let changing: [StaticString] = ["updatedAt", "creditsRefunded"]

  private let showsCost: Bool
  private let columns: [StaticString]

  /// - Parameter showsCost: true to show the providers' cost.
  public init(_ form: RowForm, in period: ReportPeriod, showsCost: Bool = true) {
    self.form = form
    self.period = period
    self.showsCost = showsCost
    columns = Self.names.filter { showsCost || $0.description != "costUSD" }
    if form == .csv { output.appendCSV(columns.map { .text($0.description) }) }
  }

  public var need: ReportLine.Source { period.isBounded ? .datedPrice : .price }

  public func add(_ line: ReportLine) throws(CreditError) {
    guard period.contains(line.booked), !line.isEmptyRefund(try line.statedPayment()) else {
      return
    }
    switch form {
    case .json, .table: addJSON(line)
    case .csv: addCSV(line)
    }
  }

  private func addJSON(_ line: ReportLine) {
    var text = JSONWriter()
    text.beginObject()
    let isPriced = line.source < .history
    let paidEnd = line.paidEnd(in: period)
    if isPriced {
      text.member("type", line.kind.rawValue)
      text.member("status", line.status.rawValue)
    }
    let left: [StaticString] =
      Self.changing(line) + (isPriced ? ["type", "status"] : [])
      + (paidEnd == nil ? [] : ["endedAt", "extended"]) + (showsCost ? [] : ["costUSD"])
    for (name, value) in line.value.members where !left.contains(where: name.utf8Equals) {
      if isPriced, name.utf8Equals("credits") {
        text.member("credits", line.credits, Whole.self)
      } else if let paidEnd, name.utf8Equals("until") {
        text.member("until", paidEnd.until, Time.self)
        if let endedAt = paidEnd.endedAt { text.member("endedAt", endedAt, Time.self) }
      } else if name.utf8Equals("status") {
        text.member("status", Self.status(of: line).rawValue)
      } else {
        text.member(name, value)
      }
    }
    text.endObject()
    output.append(text.string + "\n")
  }

  private func addCSV(_ line: ReportLine) {
    for (index, name) in columns.enumerated() {
      if index > 0 { output.append(",") }
      if line.source < .history, let text = Self.text(name, ofPriced: line) {
        output.append(text)
        continue
      }
      guard let value = Self.value(name, of: line), !value.isNull else { continue }
      if name.description == "status" {
        output.append(Self.status(of: line).rawValue)
      } else {
        appendCSV(value, isText: !Self.decimals.contains(name.description))
      }
    }
    output.append("\r\n")
  }

  /// Returns a line's value in a column: for a line that counts, its original value without later
  /// refunds.
  private static func value(_ name: StaticString, of line: ReportLine) -> JSONValue? {
    guard changing(line).contains(where: { $0.description == name.description }) else {
      return line.value.member(name)
    }
    let isCompletion = name.description == "updatedAt" && line.scheduledAt == nil
    return isCompletion ? line.value.member("completedAt") : nil
  }

  /// Returns the members that may change after the line has taken effect.
  private static func changing(_ line: ReportLine) -> [StaticString] {
    if line.scheduledAt != nil { return changing + ["completedAt", "balance"] }
    return line.counts ? changing : []
  }

  private static func status(of line: ReportLine) -> Transaction.Status {
    line.scheduledAt == nil ? line.status : .scheduled
  }

  /// Returns the value of a priced request in a history's column.
  ///
  /// A priced request is not a line of a history.
  private static func text(_ name: StaticString, ofPriced line: ReportLine) -> String? {
    switch name.description {
    case "type": line.kind.rawValue
    case "status": line.status.rawValue
    case "credits": String(line.credits)
    case "id", "balance", "timestamp": ""
    default: nil
    }
  }

  public func finish(at end: Timestamp?) {}

  /// - Parameter isText: whether text in it may look like a formula.
  private func appendCSV(_ value: JSONValue, isText: Bool) {
    switch value.kind {
    case .string:
      value.withUTF8 { text in
        let digits = text.dropFirst(text.first == UInt8(ascii: "-") ? 1 : 0)
        let isNumber = digits.allSatisfy { (48...57).contains($0) || $0 == 46 }
        output.appendCSV(text, isText: isText || !isNumber)
      }
    case .object, .array:
      JSONCompact.text(of: value).withBytes { output.appendCSV($0, isText: true) }
    default: output.appendCSV(value.raw, isText: false)
    }
  }
}
