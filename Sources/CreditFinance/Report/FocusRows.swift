public import CreditModel

/// Usage as rows of FOCUS 1.2, the FinOps Foundation's format of bills: comma-separated values.
///
/// A charge has one price for all of its counts, so each group of lines has a row with its price,
/// measured in credits, and rows without a price for its counts. A waived price is listed, but not
/// billed. Refunds of charges are rows of the category Credit. Refunds and corrections of charges
/// of an earlier month have rows of their own, of the class Correction. The payer is billed, and
/// the account that used the credits is the subaccount, also if it is the same.
public final class FocusRows: ReportForm {
  public var output = ReportText()
  public static let standardColumns: [ReportColumn] = [.day, .payer, .account, .model]

  private let columns: [ReportColumn]
  private let period: ReportPeriod
  private let provider: String
  private let showsCost: Bool
  /// The account whose rows are printed, as payer or as member; nil for all.
  private let account: String?
  private var table: SumTable
  private var counter = UsageCounter()
  private var credits: FocusCredits
  private var groups: [[String?]: Int] = [:]
  private var counts: [[Int128]] = []
  private var days: ClosedRange<CalendarDay>?
  private var tags: TagColumns
  private var unpriced = UnpricedUse()

  /// - Parameters:
  ///   - provider: the seller of the credits.
  ///   - showsCost: true for a column with the providers' cost.
  ///   - account: only rows that this account paid or used; nil for all.
  public init(
    by asked: [ReportColumn], in period: ReportPeriod, provider: String, showsCost: Bool,
    of account: String? = nil
  ) {
    var columns: [ReportColumn] = []
    for column in asked {
      // The payer of an account's work is billed, and the account is the subaccount.
      let own = column == .account || column == .member ? [.payer, .account] : [column]
      columns += own.filter { !columns.contains($0) }
    }
    columns.append(.chargeClass)
    self.columns = columns
    self.account = columns.contains(.payer) ? account : nil
    self.period = period
    self.provider = provider
    self.showsCost = showsCost
    tags = TagColumns(columns)
    table = SumTable(by: columns, in: period)
    credits = FocusCredits(by: columns, in: period)
  }

  public var need: ReportLine.Source { .datedPrice }

  /// A payer's rows are made of its members' lines.
  public var readsAllAccounts: Bool { account != nil }

  public var remarks: [String] {
    var remarks = tags.remarks
    if columns.contains(.payer), table.owners.lacksAny {
      remarks.append(
        "the lines of members name the payers of these rows: give the lines of all accounts")
    }
    let effect = "BilledCost is 0"
    return remarks + unpriced.remarks(effect) + credits.unvalued.remarks(effect, of: "refund")
  }

  public func add(_ line: ReportLine) throws(CreditError) {
    guard line.counts else { return }
    try credits.add(line)
    let isOfPeriod = line.isOfWork && period.contains(line)
    let isUsage = isOfPeriod && line.kind == .usage
    for change in counter.changes(by: line, in: isUsage ? group(of: line) : nil) {
      counts[change.group][change.kind.number] += Int128(change.count)
    }
    guard isOfPeriod else { return }
    let day = period.day(of: line)
    days = days.map { min($0.lowerBound, day)...max($0.upperBound, day) } ?? day...day
    guard isUsage else { return }
    tags.note(line)
    try table.add(line)
    unpriced.add(line, of: account)
  }

  public func add(repeated line: ReportLine) throws(CreditError) { try credits.add(line) }

  private func group(of line: ReportLine) -> Int {
    let values = columns.map { column in
      column == .payer ? line.lastPayer : column.value(of: line, in: period)
    }
    if let group = groups[values] { return group }
    groups[values] = counts.count
    counts.append([Int128](repeating: 0, count: UsageKind.all.count))
    return counts.count - 1
  }

  public func finish(at end: Timestamp?) throws(CreditError) {
    let noRow = FocusRow(
      .init(values: columns.map { _ in nil }, firstDay: CalendarDay(number: 0)), columns, period,
      nil)
    let noItem = Item(category: "", frequency: "", meter: "")
    output.appendCSV(
      cells(noRow, noItem, nil, list: nil, credits: 0, costUSD: nil).map { .text($0.name) })
    try table.finish()
    for group in try table.sorted() where isPrinted(group) {
      let row = FocusRow(group, columns, period, days)
      try append(
        row, meter: "credits", unit: "Credits", quantity: group.sums.spent, group.sums)
      guard let number = groups[group.values] else { continue }
      for (kind, count) in zip(UsageKind.all, counts[number]) where count != 0 {
        try append(row, meter: kind.member.description, unit: kind.unit, quantity: count, nil)
      }
    }
    for (group, usd) in try credits.sorted() where isPrinted(group) {
      // Credits given back have no quantity, and the providers give nothing back for them.
      let item = Item(category: "Credit", frequency: "One-Time", meter: "credits given back")
      output.appendCSV(
        cells(
          FocusRow(group, columns, period, days), item, usd.negated, list: usd.negated,
          credits: group.sums.spent, costUSD: nil
        ).map(\.cell))
    }
  }

  private func isPrinted(_ group: SumTable.Group) -> Bool {
    guard let account else { return true }
    return zip(columns, group.values).contains { column, value in
      (column == .payer || column == .account) && value == account
    }
  }

  /// - Parameter sums: the row's price; nil for a row that only counts.
  private func append(
    _ row: FocusRow, meter: String, unit: String, quantity: Int128, _ sums: LineSums?
  ) throws(CreditError) {
    let item = Item(
      category: "Usage", frequency: "Usage-Based", meter: meter, unit: .text(unit),
      quantity: .decimal("\(quantity).0"), pricing: .text("Standard"))
    let credits = sums.map { 0 - $0.credits } ?? 0
    let list = try sums?.listUSD()
    output.appendCSV(
      cells(row, item, sums?.usd, list: list, credits: credits, costUSD: sums?.costUSD)
        .map(\.cell))
  }

  private struct Item {
    let category: String
    let frequency: String
    let meter: String
    var unit = ReportCell.none
    var quantity = ReportCell.none
    var pricing = ReportCell.none
  }

  /// The mandatory columns of FOCUS 1.2, and other useful ones.
  ///
  /// The last two are always empty: rules of the others refer to them, and there are no commitments
  /// and no invoices.
  /// - Parameters:
  ///   - billed: the price without its waived part.
  ///   - list: the whole price.
  private func cells(
    _ row: FocusRow, _ item: Item, _ billed: ExactDecimal?, list: ExactDecimal?, credits: Int128,
    costUSD: ExactDecimal?
  ) -> [(name: String, cell: ReportCell)] {
    let (billed, price) = (Self.decimal(billed), Self.decimal(list))
    let provider = ReportCell.text(provider)
    let account = ReportCell.text(row.account)
    return [
      ("BilledCost", billed), ("BillingAccountId", account), ("BillingAccountName", account),
      ("BillingCurrency", .text("USD")), ("BillingPeriodEnd", .text(row.billingEnd)),
      ("BillingPeriodStart", .text(row.billingStart)), ("ChargeCategory", .text(item.category)),
      ("ChargeClass", ReportCell(row.chargeClass)),
      ("ChargeDescription", .text("\(row.model ?? "All models"): \(item.meter)")),
      ("ChargeFrequency", .text(item.frequency)), ("ChargePeriodEnd", .text(row.chargeEnd)),
      ("ChargePeriodStart", .text(row.chargeStart)), ("ConsumedQuantity", item.quantity),
      ("ConsumedUnit", item.unit), ("ContractedCost", price), ("EffectiveCost", billed),
      ("InvoiceIssuerName", provider), ("ListCost", price), ("PricingCategory", item.pricing),
      ("PricingQuantity", item.quantity), ("PricingUnit", item.unit), ("ProviderName", provider),
      ("PublisherName", provider), ("ServiceCategory", .text("AI and Machine Learning")),
      ("ServiceName", .text(row.model ?? "AI models")),
      ("ServiceSubcategory", .text("Generative AI")), ("SubAccountId", ReportCell(row.member)),
      ("SubAccountName", ReportCell(row.member)), ("Tags", .text(row.tags)),
      ("x_Credits", .decimal("\(credits).0")),
    ] + (showsCost ? [("x_CostUSD", Self.decimal(costUSD))] : [])
      + [("CommitmentDiscountStatus", .none), ("InvoiceId", .none)]
  }

  /// Costs always have a point: readers that guess a column's type take whole numbers for another.
  private static func decimal(_ sum: ExactDecimal?) -> ReportCell {
    let text = (sum ?? .zero).text
    return .decimal(text.contains(".") ? text : text + ".0")
  }
}

/// The common values of a group's rows.
private struct FocusRow {
  let account: String
  let member: String?
  let model: String?
  let chargeClass: String?
  let tags: String
  let chargeStart: String
  let chargeEnd: String
  let billingStart: String
  let billingEnd: String

  init(
    _ group: SumTable.Group, _ columns: [ReportColumn], _ period: ReportPeriod,
    _ days: ClosedRange<CalendarDay>?
  ) {
    let values = Dictionary(uniqueKeysWithValues: zip(columns, group.values))
    func value(_ column: ReportColumn) -> String? { values[column] ?? nil }
    let payer = value(.payer)
    account = payer ?? value(.account) ?? "all accounts"
    member = value(.account)
    (model, chargeClass) = (value(.model), value(.chargeClass))
    tags = Self.tags(columns, group.values)
    let charge = Self.span(group.firstDay, columns) ?? days
    let first = charge?.lowerBound ?? CalendarDay(number: 0)
    let last = charge?.upperBound ?? first
    chargeStart = period.start(of: first).focusText
    chargeEnd = period.start(of: CalendarDay(number: last.number + 1)).focusText
    billingStart = period.start(of: first.monthStart).focusText
    billingEnd = period.start(of: last.nextMonth).focusText
  }

  /// Returns the days of a row, by its finest column of time.
  ///
  /// It is nil if the row has no column of time.
  private static func span(
    _ day: CalendarDay, _ columns: [ReportColumn]
  ) -> ClosedRange<CalendarDay>? {
    if columns.contains(.day) { return day...day }
    if columns.contains(.week) {
      return day.weekStart...CalendarDay(number: day.weekStart.number + 6)
    }
    guard columns.contains(.month) else { return nil }
    return day.monthStart...CalendarDay(number: day.nextMonth.number - 1)
  }

  /// The tags that rows are made by, as an object.
  private static func tags(_ columns: [ReportColumn], _ values: [String?]) -> String {
    var text = JSONWriter()
    text.beginObject()
    for case (.tag(let name), let value?) in zip(columns, values) {
      name.withUTF8Bytes { text.key(utf8: $0) }
      text.string(value)
    }
    text.endObject()
    return text.string
  }
}

extension Timestamp {
  /// As FOCUS writes times: `2026-11-01T00:00:00Z`.
  fileprivate var focusText: String { text.prefix(17) + "00Z" }
}
