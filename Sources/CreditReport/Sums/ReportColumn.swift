internal import CreditJSON
internal import CreditModel

/// What sums go by.
package enum ReportColumn: Hashable, Sendable {
  case day, week, month, account, member, model, product, currency, type, status
  case tag(String)

  private static let words: [(String, ReportColumn)] = [
    ("day", .day), ("week", .week), ("month", .month), ("account", .account), ("member", .member),
    ("model", .model),
    ("product", .product), ("currency", .currency), ("type", .type), ("status", .status),
  ]

  /// Whether its value is a time.
  var isTime: Bool { [.day, .week, .month].contains(self) }

  /// The words that stand for columns, for messages and completions.
  package static let names = words.map(\.0) + ["tag.NAME"]

  /// - Parameter text: `month`, `tag.project`.
  package init?(text: String) {
    if text.hasPrefix("tag."), text.utf8.count > 4 {
      self = .tag(String(text.dropFirst(4)))
    } else if let word = Self.words.first(where: { $0.0 == text }) {
      self = word.1
    } else {
      return nil
    }
  }

  /// The name that was asked for.
  var name: String {
    if case .tag(let name) = self { return "tag." + name }
    return Self.words.first { $0.1 == self }?.0 ?? ""
  }

  /// What a line has there; nil for nothing.
  func value(of line: ReportLine, in period: ReportPeriod) -> String? {
    switch self {
    case .day: period.day(of: line).text
    case .week: period.day(of: line).weekText
    case .month: period.day(of: line).monthText
    case .account: line.account
    case .member: line.text("member")
    case .model: line.text("model")
    case .product: line.text("productID")
    case .currency: line.text("currency")
    case .type: line.kind.rawValue
    case .status: line.status.rawValue
    case .tag(var name):
      name.withUTF8 {
        line.value.member("tags")?.member(utf8: UnsafeRawBufferPointer($0))?.string
      }
    }
  }
}
