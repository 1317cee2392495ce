internal import CreditFinance
internal import CreditModel

/// How a value is shown to people.
enum ValueForm: Equatable {
  case text
  /// Text whose end matters most.
  case id
  case number
  /// A number that is a debt if it is negative.
  case balance
  /// One of a few words; the usual one is not shown.
  case word(usual: String = "")
  /// The type of a transaction; the reversal of a refund is one of its own.
  case lineType
  /// `2026-02-19 10:00`, in UTC; the day alone if there is little room.
  case time
  /// `yes`, or an empty text.
  case flag
  /// Seconds, in the largest unit that fits: `3d`.
  case age
  /// The purpose of a transaction. A whole line has it if its members do not.
  case subject
  /// The accounts that share a charge, of a whole line.
  case shares
  /// A number as a share of another member of the line.
  case bar(of: String)

  /// Columns of a day: `2026-02-19`.
  static let dayWidth = 10

  var isNumber: Bool {
    switch self {
    case .number, .balance, .age: true
    case .text, .id, .word, .lineType, .time, .flag, .subject, .shares, .bar: false
    }
  }

  /// The text of a value, without characters that a terminal might take for commands.
  func text(of value: JSONValue) -> String {
    switch self {
    case .flag: value.bool == true ? "yes" : ""
    case .age: value.int64.map(Self.age) ?? ""
    case .word(let usual): value.shownText == usual ? "" : value.shownText
    case .number, .balance: value.shownText.grouped
    case .time: value.isTime ? String(value.shownText.prefix(16)).replacingT : value.shownText
    case .shares: ReportLine(value).map { $0.otherAccounts.escapingHidden } ?? ""
    case .text, .id, .lineType, .subject, .bar: value.shownText
    }
  }

  private static func age(_ seconds: Int64) -> String {
    switch seconds {
    case ..<60: "\(seconds)s"
    case ..<3600: "\(seconds / 60)m"
    case ..<86400: "\(seconds / 3600)h"
    default: "\(seconds / 86400)d"
    }
  }
}

extension JSONValue {
  /// The value for people; empty for null.
  var shown: String {
    switch kind {
    case .null: ""
    case .number: shownText.grouped
    case .string where isTime: "\(String(shownText.prefix(19)).replacingT) UTC"
    default: bool.map { $0 ? "yes" : "no" } ?? shownText
    }
  }

  /// Text that is safe for a terminal, to which hidden characters can be commands. Joiners are left
  /// out, as terminals disagree about the width of joined characters.
  fileprivate var shownText: String {
    if isNull { return "" }
    guard let text = string else { return String(decoding: raw, as: UTF8.self) }
    var shown = String.UnicodeScalarView()
    for scalar in text.unicodeScalars where !scalar.isJoiner {
      shown.append(scalar.isHidden ? "\u{FFFD}" : scalar)
    }
    return String(shown)
  }

  /// Whether it is a time as results have it: `2026-02-19T10:00:00.000Z`.
  fileprivate var isTime: Bool {
    withUTF8 { text in
      text.count == 24 && text[10] == UInt8(ascii: "T") && text[23] == UInt8(ascii: "Z")
        && text[4] == UInt8(ascii: "-") && text[13] == UInt8(ascii: ":")
    } ?? false
  }
}

extension String {
  fileprivate var replacingT: String {
    String(decoding: utf8.map { $0 == UInt8(ascii: "T") ? UInt8(ascii: " ") : $0 }, as: UTF8.self)
  }

  /// The text of a number, or of an amount with its currency, with a comma at each thousand:
  /// `-1,234.5`. Other text stays as it is.
  fileprivate var grouped: String {
    let whole = utf8.prefix { $0 != UInt8(ascii: ".") && $0 != UInt8(ascii: " ") }
    guard whole.allSatisfy({ (48...57).contains($0) || $0 == UInt8(ascii: "-") }) else {
      return self
    }
    var text = ""
    for (place, digit) in whole.enumerated() {
      let follows = whole.count - place
      if place > 0, follows % 3 == 0, text != "-" { text += "," }
      text.unicodeScalars.append(Unicode.Scalar(digit))
    }
    return text + String(dropFirst(whole.count))
  }
}

extension BinaryInteger {
  /// The number with a comma at each thousand: `6,251`.
  var grouped: String { String(self).grouped }
}
