internal import CreditModel

public enum ReportColumn: Hashable, Sendable {
  case day, week, month, account, member, parent, payer, model, product, currency, type, status
  case tag(String)
  /// The class of FOCUS: `Correction` for a later month's correction or refund of a charge.
  case chargeClass

  private static let words: [(String, ReportColumn)] = [
    ("day", .day), ("week", .week), ("month", .month), ("account", .account), ("member", .member),
    ("parent", .parent), ("payer", .payer), ("model", .model),
    ("product", .product), ("currency", .currency), ("type", .type), ("status", .status),
  ]

  static let correction = "Correction"

  var isTime: Bool { [.day, .week, .month].contains(self) }

  /// True if sums by it count a charge with all that was paid for it, on its account's line.
  public var isOfChain: Bool { self == .parent || self == .payer }

  /// The names of columns, for messages and completions.
  public static let names = words.map(\.0) + ["tag.NAME"]

  /// - Parameter text: `month`, `tag.project`.
  public init?(text: String) {
    if text.hasPrefix("tag."), text.utf8.count > 4 {
      self = .tag(String(text.dropFirst(4)))
    } else if let word = Self.words.first(where: { $0.0 == text }) {
      self = word.1
    } else {
      return nil
    }
  }

  var tag: String? { if case .tag(let name) = self { name } else { nil } }

  /// The name that was asked for.
  var name: String {
    if case .tag(let name) = self { return "tag." + name }
    return Self.words.first { $0.1 == self }?.0 ?? ""
  }

  func value(of line: ReportLine, in period: ReportPeriod) -> String? {
    switch self {
    case .day: period.day(of: line).text
    case .week: period.day(of: line).weekText
    case .month: period.day(of: line).monthText
    case .account, .payer: line.account
    case .parent: line.parent
    case .member: line.text("member")
    case .model: line.text("model")
    case .product: line.text("productID")
    case .currency: line.text("currency")
    case .type: line.kind.rawValue
    case .status: line.status.rawValue
    case .chargeClass: line.isOfEarlierMonth(in: period) ? Self.correction : nil
    case .tag(var name):
      name.withUTF8 {
        line.value.member("tags")?.member(utf8: Bytes($0))?.string
      }
    }
  }
}
