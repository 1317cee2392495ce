internal import CreditModel

/// One line of a statement: a movement of an account's credits, or all usage of a model on a day.
struct StatementLine {
  let day: CalendarDay
  /// The hour and minute; nil for the usage of a day.
  let clock: String?
  let kind: HistoryLine.Kind
  /// The model, product or gift, as text.
  let text: String
  /// How many charges it sums.
  var count: Int64 = 1
  /// Signed.
  var credits: Int128
  /// The payment, or the money paid back.
  var payment: Payment?
  /// The transaction's id; nil for the usage of a day.
  let id: String?

  /// A transaction as it is.
  init(_ line: ReportLine, _ payment: Payment?, in period: ReportPeriod) {
    let time = period.time(of: line)
    day = period.day(of: time)
    clock = period.clock(of: time)
    kind = line.kind
    text = Self.text(of: line)
    credits = Int128(line.credits)
    self.payment = payment
    id = line.kind == .usage ? line.text("key") ?? line.id : line.id
  }

  /// The usage of a model on a day.
  init(usageOf model: String, on day: CalendarDay, count: Int64, credits: Int128) {
    self.day = day
    clock = nil
    kind = .usage
    text = model
    self.count = count
    self.credits = credits
    id = nil
  }

  private static func text(of line: ReportLine) -> String {
    guard line.kind == .transfer, let other = line.text("counterparty") else {
      return line.subject
    }
    let way = line.credits < 0 ? "to \(other)" : "from \(other)"
    return line.text("reason").map { "\(way): \($0)" } ?? way
  }

  /// `2026-11-03`, or with the minute.
  var time: String { clock.map { "\(day.text) \($0)" } ?? day.text }
}

extension HistoryLine.Kind {
  /// What customers read.
  var title: String {
    switch self {
    case .purchase: "Purchase"
    case .subscription: "Subscription"
    case .usage: "Usage"
    case .bonus: "Bonus"
    case .adjustment: "Adjustment"
    case .transfer: "Transfer"
    case .starter: "Starter credits"
    case .quota: "Quota"
    case .refund: "Refund"
    case .expiry: "Expiry"
    }
  }
}
