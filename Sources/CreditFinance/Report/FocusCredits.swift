internal import CreditJSON
internal import CreditModel

/// Credits refunded for charges, on the day of the refund.
///
/// The lines come in any order, so refunds are kept, and the charges that were refunded or
/// corrected.
struct FocusCredits: ~Copyable {
  private let columns: [ReportColumn]
  private let period: ReportPeriod
  private let payerPlace: Int?
  private var names = NameTable()
  private var charges: [Charge] = []
  private var refunds: [Refund] = []
  /// Refunds without dollars, of charges that have no line here.
  private(set) var unvalued = UnpricedUse()

  private struct Charge {
    /// True once its own line has been read; a correction may come before it.
    var hasLine = false
    /// True once its own account's refund has been read, which has the parts of all payers.
    var hasRefund = false
    /// The first day of its own line's month.
    var month: CalendarDay?
    /// Its last correction, and the values of the columns in that.
    var correction: Int64 = -1
    var values: [String?] = []
    /// All that its line and its corrections have charged; credits are signed.
    var (credits, usd): (Int128, ExactDecimal?) = (0, nil)
  }

  private struct Refund {
    /// Which charges its id may mean.
    let charges: [Int]
    let credits: Int128
    /// Its dollars that were billed, below 0.
    let usd: ExactDecimal?
    let day: CalendarDay
    /// The values of the columns in it.
    let values: [String?]
    /// True if it is a payer's part: the refund of the charged account has that, too.
    let isShare: Bool
  }

  init(by columns: [ReportColumn], in period: ReportPeriod) {
    self.columns = columns
    self.period = period
    payerPlace = columns.firstIndex(of: .payer)
  }

  /// Adds a line that counts; only usage and refunds of charges matter.
  mutating func add(_ line: ReportLine) throws(CreditError) {
    guard line.source == .history else { return }
    if line.kind == .usage, !line.isShare { return try add(usage: line) }
    guard line.isOfCharge, period.contains(line), payerPlace == nil || !line.isShare else { return }
    let owner = line.text("member") ?? line.account
    let charges = line.chargeIDs.map { number(of: $0, owner) }
    if !line.isShare { for number in charges { self.charges[number].hasRefund = true } }
    var values = columns.map { $0.value(of: line, in: period) }
    let parts = payerPlace == nil ? [(line.account, line.creditsOfAll)] : line.payers
    let amounts =
      try payerPlace == nil ? [(line.account, line.amountsOfAll())] : line.amountsByPayer()
    for (payer, credits) in parts where credits != 0 || parts.count == 1 {
      if let payerPlace { values[payerPlace] = payer }
      refunds.append(
        Refund(
          charges: charges, credits: credits,
          usd: amounts.first { $0.payer == payer }?.amounts.usd, day: period.day(of: line),
          values: values, isShare: line.isShare))
    }
  }

  private mutating func add(usage line: ReportLine) throws(CreditError) {
    let reference = CorrectionReference(id: line.id)
    let id = reference?.charge ?? line.id
    let isKnown = names.number(of: Self.name(of: id, line.account)) != nil
    guard isKnown || line.isRefunded || reference != nil else { return }
    let number = number(of: id, line.account)
    if reference == nil {
      if charges[number].hasLine { return }
      charges[number].hasLine = true
      charges[number].month = period.day(of: line).monthStart
    }
    let amounts = try line.amountsOfAll()
    charges[number].credits += amounts.credits
    try charges[number].usd.add(amounts.usd)
    let correction = reference?.number ?? 0
    guard reference?.isReturn != true, correction > charges[number].correction else { return }
    charges[number].correction = correction
    charges[number].values = columns.map { $0.value(of: line, in: period) }
  }

  private static func name(of charge: String, _ account: String) -> Name {
    Name(trusted: "\(account.utf8.count):\(account)\(charge)")
  }

  private mutating func number(of charge: String, _ account: String) -> Int {
    let (number, isNew) = names.enter(Self.name(of: charge, account))
    if isNew { charges.append(Charge()) }
    return number
  }

  /// The sums of the columns' values, in their order, with their dollars.
  mutating func sorted() throws(CreditError) -> [(group: SumTable.Group, usd: ExactDecimal)] {
    var table = SumTable(by: columns, in: period)
    var dollars: [[String?]: ExactDecimal] = [:]
    for refund in refunds {
      let charge = refund.charges.map { charges[$0] }.first(where: \.hasLine)
      let isKnown = charge != nil || refund.charges.contains { charges[$0].hasRefund }
      if refund.isShare, isKnown { continue }
      let values = values(of: refund, charge)
      try table.add(values, credits: refund.credits, on: refund.day)
      // The lines of earlier tools have none: they give back a part of the charge's.
      var usd = refund.usd
      if usd == nil, let charge {
        usd = try LineAmounts.share(of: charge.usd, refund.credits, in: charge.credits)
      }
      if usd == nil, charge == nil { unvalued.add(0 - refund.credits) }
      if let usd { try dollars[values, default: .zero].add(usd.negated) }
    }
    return try table.sorted().map { ($0, dollars[$0.values] ?? .zero) }
  }

  /// Returns a refund's time, account and member, and its charge's other values.
  private func values(of refund: Refund, _ charge: Charge?) -> [String?] {
    columns.enumerated().map { place, column in
      switch column {
      case .day, .week, .month, .account, .member, .payer, .type, .status: refund.values[place]
      case .chargeClass:
        charge?.month.map { $0 < refund.day.monthStart ? ReportColumn.correction : nil }
          ?? refund.values[place]
      default: refund.values[place] ?? charge?.values[place] ?? nil
      }
    }
  }
}

extension ReportLine {
  /// True if it gives back a charge or a part of it.
  var isOfCharge: Bool {
    guard kind == .refund, text("productID") == nil, id.hasPrefix("refund:") else { return false }
    // A bonus without credits left is taken back by a line of 0, too.
    return credits > 0 || credits == 0 && (text("model") != nil || value.member("shares") != nil)
  }

  /// The ids of charges that it may correct or give back.
  var chargeIDs: [String] {
    CorrectionReference(id: id).map { [$0.charge] } ?? GrantTimeline.subjects(ofRefund: id)
  }

  /// True if it corrects or gives back a charge of a month before that of its record. An id that
  /// the tools have made is a UUID of version 7, which begins with its time.
  func isOfEarlierMonth(in period: ReportPeriod) -> Bool {
    guard isOfCharge || isCorrection else { return false }
    let known = value.timestamp("chargedAt")
    let times = (known == nil ? chargeIDs : []).compactMap { id -> Timestamp? in
      let parts = id.split(separator: "-")
      let isUUID = parts.map(\.utf8.count) == [8, 4, 4, 4, 12] && parts[2].hasPrefix("7")
      return isUUID ? Int64(parts[0] + parts[1], radix: 16).map(Timestamp.init) : nil
    }
    let chargedAt = known ?? times.reduce(period.time(of: self), min)
    return period.day(of: chargedAt).monthStart < period.day(of: recordedAt).monthStart
  }

  /// True if it is of a charge, a correction or a refund of a charge.
  var isOfWork: Bool { kind == .usage || isOfCharge }

  /// True if it is of a charge itself.
  var isCharge: Bool { kind == .usage && !isCorrection }

  /// True if it moves neither credits nor money: a refund of a bonus of which none was left.
  func isEmptyRefund(_ payment: Payment?) -> Bool {
    kind == .refund && credits == 0 && payment == nil && text("productID") == nil && !isOfCharge
  }

  /// True if it restores a purchase whose refund was reversed.
  var isReversal: Bool { kind == .refund && id.hasPrefix("reversal:") }
}
