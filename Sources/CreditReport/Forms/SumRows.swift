package import CreditModel

/// Sums by columns, a row each.
package final class SumRows: ReportForm {
  package var output = ReportText()
  private let form: RowForm
  private let columns: [ReportColumn]
  private let period: ReportPeriod
  private let showsCost: Bool
  private var table: SumTable

  /// - Parameter showsCost: whether what the providers took is shown.
  package init(
    _ form: RowForm, by columns: [ReportColumn], in period: ReportPeriod, showsCost: Bool = true
  ) {
    self.form = form
    self.showsCost = showsCost
    self.columns = columns
    self.period = period
    table = SumTable(by: columns, in: period)
  }

  package var need: ReportLine.Source {
    period.isBounded || columns.contains(where: \.isTime) ? .datedPrice : .price
  }

  package func add(_ line: ReportLine) throws(CreditError) {
    for part in line.parts where period.contains(part) { try table.add(part) }
  }

  /// The names of the columns, those that were asked for first.
  package var names: [String] {
    columns.map(\.name) + ["count", "credits", "price", "refundedPrice"]
      + (hasCurrencyColumn ? [] : ["currency"]) + ["usd"] + (showsCost ? ["costUSD"] : [])
  }

  /// Whether a column has numbers in it.
  package func isNumber(_ name: String) -> Bool {
    ["count", "credits", "price", "refundedPrice", "usd", "costUSD"].contains(name)
  }

  private var hasCurrencyColumn: Bool { columns.contains(.currency) }

  package func finish() throws(CreditError) {
    let names = names
    if form == .csv { output.appendCSV(names.map { .text($0) }) }
    for group in try table.sorted() {
      switch form {
      case .json: output.appendJSON(names, cells(group), keys: columns.count)
      case .csv: output.appendCSV(cells(group))
      }
    }
  }

  private func cells(_ group: SumTable.Group) -> [ReportCell] {
    let sums = group.sums
    return group.values.map { ReportCell($0) } + [
      .integer(String(sums.count)), .integer(String(sums.credits)), ReportCell(sums.price),
      ReportCell(sums.refundedPrice),
    ] + (hasCurrencyColumn ? [] : [ReportCell(sums.currency)]) + [
      ReportCell(sums.usd, short: true)
    ] + (showsCost ? [ReportCell(sums.costUSD, short: true)] : [])
  }
}
