internal import CreditJSON
package import CreditModel

/// The transactions of the period, a row each, in the order of the input.
package final class TransactionRows: ReportForm {
  package var output = ReportText()
  private let period: ReportPeriod
  private let form: RowForm

  private static let names: [StaticString] = [
    "id", "account", "type", "status", "credits", "balance", "timestamp", "updatedAt", "usedAt",
    "model", "productID", "quantity", "price", "currency", "usd", "costUSD", "creditsWaived",
    "creditsRefunded", "key", "reason", "expiresAt", "counterparty", "originalTransactionID",
    "tags", "usage",
  ]

  /// Where `price`, `usd` and `costUSD` stand: decimal numbers, though JSON has them as text.
  private static let decimals = [12, 14, 15]

  package init(_ form: RowForm, in period: ReportPeriod) {
    self.form = form
    self.period = period
    if form == .csv { output.appendCSV(Self.names.map { .text($0.description) }) }
  }

  package func add(_ line: ReportLine) throws(CreditError) {
    guard period.contains(line.time) else { return }
    switch form {
    case .json:
      var text = JSONWriter()
      JSONCompact.write(line.value, into: &text)
      output.append(text.string + "\n")
    case .csv:
      for (index, name) in Self.names.enumerated() {
        if index > 0 { output.append(",") }
        guard let value = line.value.member(name), !value.isNull else { continue }
        appendCSV(value, isText: !Self.decimals.contains(index))
      }
      output.append("\r\n")
    }
  }

  package func finish() {}

  /// - Parameter isText: whether text in it may look like a formula.
  private func appendCSV(_ value: JSONValue, isText: Bool) {
    switch value.kind {
    case .string: value.withUTF8 { output.appendCSV($0, isText: isText || !$0.isDecimal) }
    case .object, .array:
      var text = JSONWriter()
      JSONCompact.write(value, into: &text)
      text.withBytes { output.appendCSV($0, isText: true) }
    default: output.appendCSV(value.raw, isText: false)
    }
  }
}

extension UnsafeRawBufferPointer {
  /// Whether a text is a decimal number, perhaps below zero: no formula.
  fileprivate var isDecimal: Bool {
    dropFirst(first == UInt8(ascii: "-") ? 1 : 0).allSatisfy { (48...57).contains($0) || $0 == 46 }
  }
}
