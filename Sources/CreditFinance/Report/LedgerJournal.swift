internal import CreditBytes
public import CreditModel

/// A journal in double entry for another program. An account's credits are under
/// `assets:credits:NAME`, so that the program's balances are the store's; each movement's other
/// side has its purpose.
public final class LedgerJournal: ReportForm {
  public var output = ReportText()
  private let dialect: JournalDialect
  private let period: ReportPeriod
  /// The accounts that were opened for beancount.
  private var opened = NameTable()
  private var names = AccountNames()
  /// The day that was written last, and its text: most lines are of the day of the one before.
  private var day: (day: CalendarDay, text: String)?

  public init(_ dialect: JournalDialect, in period: ReportPeriod) {
    self.dialect = dialect
    self.period = period
  }

  public var need: ReportLine.Source { .history }

  public func add(_ line: ReportLine) throws(CreditError) {
    for part in line.parts where period.contains(part.recordedAt) { try addPart(part) }
  }

  private func addPart(_ line: ReportLine) throws(CreditError) {
    let payment = try line.payment()
    if line.credits == 0, payment == nil { return }
    var postings = [
      Posting(account: "assets:credits", part: line.account, amount: String(line.credits)),
      Posting(
        account: "equity:" + line.kind.rawValue, part: Self.part(of: line),
        amount: String(-Int128(line.credits))),
    ]
    if let payment {
      postings += [
        Posting(
          account: "assets:receipts", amount: payment.received.fullText,
          commodity: payment.currency),
        Posting(
          account: payment.isBack ? "income:refunds" : "income:sales",
          part: line.text("productID"),
          amount: payment.received.negated.fullText, commodity: payment.currency),
      ]
    }
    write(line, postings.map { (names.account($0.account, $0.part, in: dialect), $0) })
  }

  public func finish() {}

  /// Returns the purpose on a movement's other side.
  private static func part(of line: ReportLine) -> String? {
    line.text("model") ?? line.text("productID")
  }

  private func write(_ line: ReportLine, _ postings: [(account: String, posting: Posting)]) {
    let day = dayText(of: line)
    var text = ""
    if dialect == .beancount {
      for (account, _) in postings where opened.add(Name(trusted: account)) {
        text += "1900-01-01 open \(account)\n"
      }
      text += "\(day) * \(Self.quoted(line.kind.rawValue)) \(Self.quoted(line.subject))\n"
      text += "  id: \(Self.quoted(line.id))\n"
    } else {
      text += "\(day) * \(line.kind.rawValue)  ; id: \(Self.oneLine(line.id))\n"
    }
    for (account, posting) in postings {
      text += "    \(account)  \(posting.amount) \(posting.commodity)\n"
    }
    output.append(text + "\n")
  }

  private func dayText(of line: ReportLine) -> String {
    let day = period.day(of: line.recordedAt)
    if let last = self.day, last.day == day { return last.text }
    self.day = (day, day.text)
    return day.text
  }

  /// Text without a character that could end its line or change how it is shown.
  private static func oneLine(_ text: String) -> String {
    if text.utf8.allSatisfy({ 0x20 <= $0 && $0 < 0x7F }) { return text }
    return text.escapingHidden
  }

  /// A string of beancount's.
  private static func quoted(_ text: String) -> String {
    var quoted = "\""
    for scalar in oneLine(text).unicodeScalars {
      if scalar == "\"" || scalar == "\\" { quoted += "\\" }
      quoted.unicodeScalars.append(scalar)
    }
    return quoted + "\""
  }
}

/// A movement's change of one account.
private struct Posting {
  let account: String
  var part: String?
  let amount: String
  var commodity = "CREDIT"
}

/// The names of accounts as they have been written before.
private struct AccountNames: ~Copyable {
  private var numbers = NameTable()
  private var texts: [String] = []

  mutating func account(
    _ path: String, _ part: String?, in dialect: JournalDialect
  ) -> String {
    let key = Name(trusted: "\(path)\(part.map { ":" + $0 } ?? "")")
    let (number, isNew) = numbers.enter(key)
    if isNew { texts.append(dialect.account(path, part)) }
    return texts[number]
  }
}

/// The format of a double-entry bookkeeping program.
public enum JournalDialect: Sendable {
  case hledger, ledger, beancount

  /// Returns an account's name, with its own part such as a customer's name.
  /// - Parameter path: `assets:credits`.
  func account(_ path: String, _ part: String? = nil) -> String {
    switch self {
    case .hledger, .ledger: path + (part.map { ":" + Self.escaped($0) } ?? "")
    case .beancount:
      path.split(separator: ":").map(Self.capitalized).joined(separator: ":")
        + (part.map { ":N-" + Self.dashed($0) } ?? "")
    }
  }

  private static func capitalized(_ word: Substring) -> String {
    word.prefix(1).uppercased() + word.dropFirst()
  }

  /// Returns a part of an account's name without the marks that end it: bytes other than letters,
  /// digits and some marks are `%3A`. Two names are never written alike.
  private static func escaped(_ name: String) -> String {
    let marks = " ._@+-/#&".unicodeScalars
    var escaped = ""
    var last: Unicode.Scalar = " "
    for scalar in name.unicodeScalars {
      let isPlain =
        scalar.isASCII
        ? scalar.isLetterOrDigit || marks.contains(scalar)
        : !scalar.isHidden && !scalar.properties.isWhitespace
      if isPlain && !(scalar == " " && last == " ") {
        escaped.unicodeScalars.append(scalar)
      } else {
        for byte in String(scalar).utf8 { escaped += "%" + byte.hexadecimal }
      }
      last = scalar
    }
    return escaped
  }

  /// The same of letters, digits and hyphens alone: other bytes are `-3A`.
  private static func dashed(_ name: String) -> String {
    var dashed = ""
    for byte in name.utf8 {
      let scalar = Unicode.Scalar(byte)
      if scalar.isASCII && scalar.isLetterOrDigit {
        dashed.unicodeScalars.append(scalar)
      } else {
        dashed += "-" + byte.hexadecimal
      }
    }
    return dashed
  }
}

extension Unicode.Scalar {
  fileprivate var isLetterOrDigit: Bool {
    switch self {
    case "a"..."z", "A"..."Z", "0"..."9": true
    default: false
    }
  }
}

extension UInt8 {
  fileprivate var hexadecimal: String {
    (self < 16 ? "0" : "") + String(self, radix: 16).uppercased()
  }
}
