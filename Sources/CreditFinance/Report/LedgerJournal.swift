public import CreditModel

/// A journal in double entry for another program.
///
/// An account's credits are under `assets:credits:NAME`, so that the program's balances are the
/// store's; each movement's other side has its purpose. A sale is income on its day, or a liability
/// until it is earned. As comma-separated values it has the money alone.
public final class LedgerJournal: ReportForm {
  public var output = ReportText()
  public private(set) var remarks: [String] = []
  private let dialect: JournalDialect
  private let period: ReportPeriod
  private var opened: Set<Name> = []
  /// The names of accounts as they have been written before.
  private var names: [Name: String] = [:]
  /// The day that was written last, and its text: most lines are of the day of the one before.
  private var day: (day: CalendarDay, text: String)?
  private var chains = BalanceChains()
  /// Expiries and turns of quotas, to be written in the order of their times.
  ///
  /// Time alone makes them, and their place in a history changes when a later record is made.
  private var turns: [(time: Timestamp, account: Name, entry: Entry)] = []
  /// The history, to find the earned part of each sale; nil if a sale is income at once.
  private var timeline: GrantTimeline?
  private let now: Timestamp
  private var newest = Timestamp.earliest
  private var entryCount = 0

  /// - Parameters:
  ///   - defersSales: true to book a sale as a liability until it is earned.
  ///   - now: subscriptions are earned up to here, or to the newest line if that is later.
  public init(
    _ dialect: JournalDialect, in period: ReportPeriod, defersSales: Bool = false,
    now: Timestamp = .earliest
  ) {
    self.dialect = dialect
    self.period = period
    self.now = now
    timeline = defersSales ? GrantTimeline() : nil
    if dialect == .csv {
      let names = ["date", "entry", "account", "debit", "credit", "currency", "memo", "id"]
      output.appendCSV((names + (period.namedZone == nil ? [] : ["zone"])).map { .text($0) })
    }
  }

  public var need: ReportLine.Source { .history }

  public func add(_ line: ReportLine) throws(CreditError) {
    if try timeline?.add(line) == false { throw GrantTimeline.tooLong("--deferred") }
    newest = max(newest, line.recordedAt)
    if line.counts { chains.add(line) }
    for part in line.parts where period.contains(part.recordedAt) { try addPart(part) }
  }

  public func add(repeated line: ReportLine) throws(CreditError) {
    try timeline?.add(endIn: line)
  }

  private func addPart(_ line: ReportLine) throws(CreditError) {
    let payment = try line.payment()
    if line.credits == 0, payment == nil { return }
    var postings = [
      Posting(account: "assets:credits", part: line.account, amount: String(line.credits)),
      Posting(
        account: "equity:" + line.kind.rawValue,
        part: (line.kind == .refund ? nil : line.text("model")) ?? line.text("productID"),
        amount: String(-Int128(line.credits))),
    ]
    if let payment {
      postings += [
        Posting(
          account: "assets:receipts", amount: payment.text(payment.received),
          currency: payment.currency),
        Posting(
          account: timeline != nil
            ? Self.liability : payment.isBack ? "income:refunds" : "income:sales",
          part: line.text("productID"),
          amount: payment.text(payment.received.negated), currency: payment.currency),
      ]
    }
    let entry = Entry(
      day: dayText(of: line.recordedAt), kind: line.kind.rawValue, subject: line.recordedSubject,
      tags: [("id", line.id)] + (line.text("member").map { [("member", $0)] } ?? [])
        + (line.disputeNote.isEmpty ? [] : [("note", String(line.disputeNote.dropFirst(2)))]),
      postings: postings, note: line.disputeNote)
    if line.kind == .expiry || line.kind == .quota {
      turns.append((line.recordedAt, Name(trusted: line.account), entry))
    } else {
      write(entry)
    }
  }

  private static let liability = "liabilities:deferred"

  public func finish(at end: Timestamp?) throws(CreditError) {
    turns.sort {
      ($0.time, $0.account, $0.entry.tags[0].value) < ($1.time, $1.account, $1.entry.tags[0].value)
    }
    for (_, _, entry) in turns { write(entry) }
    var (incomplete, doubts) = (chains.incomplete, [String]())
    if let timeline {
      let sales = try DeferredSales(timeline, in: period, now: now)
      incomplete += sales.book.incompleteAccounts.filter { !incomplete.contains($0) }
      doubts += [sales.book.remarkOnOrder].compactMap(\.self)
      addEarned(sales, note: incomplete.isEmpty && doubts.isEmpty ? "" : "; incomplete")
      doubts += sales.book.remarksOnMoney
      newest = max(newest, timeline.newest)
    }
    if let remark = period.remark(onEnd: max(now, newest)) {
      remarks.append("balances so far: \(remark)")
    }
    if !incomplete.isEmpty {
      let effect =
        timeline != nil
        ? "earned and deferred amounts are not exact" : "balances are changes in this period only"
      doubts.append("incomplete: lines of \(incomplete.quotedInShort) are missing, so \(effect)")
    }
    remarks += doubts
    if dialect != .csv { for doubt in doubts { output.append("; \(doubt)\n") } }
  }

  /// Adds the entries of revenue.
  /// - Parameter note: that it is not exact; empty if it is.
  private func addEarned(_ sales: borrowing DeferredSales, note: String) {
    for (day, product, currency, income) in sales.entries {
      let parts = [
        ("earned", "income:sales", income.earned), ("expired", "income:breakage", income.expired),
        ("kept", "income:refunds", income.kept),
      ].filter { !$0.2.isZero }
      let sum = income.earned.adding(income.expired)?.adding(income.kept)
      // The number of the entry may be another in a later report.
      let id = ["earned", day.text, currency, product].compactMap(\.self)
      let amounts = [(Self.liability, sum)] + parts.map { ($0.1, $0.2.negated) }
      var postings: [Posting] = []
      for case (let account, let amount?) in amounts where !amount.isZero {
        postings.append(
          Posting(account: account, part: product, amount: amount.fullText, currency: currency))
      }
      write(
        Entry(
          day: day.text, kind: parts.map(\.0).joined(separator: ", "), subject: product ?? "",
          tags: dialect == .csv ? [("id", id.joined(separator: ":"))] : [], postings: postings,
          note: note))
    }
  }

  /// Writes a row for each amount of money. Accountants' programs know no credits.
  private func writeRows(of entry: Entry) {
    let postings = entry.postings.filter { posting in
      posting.currency != nil && posting.amount.contains { ("1"..."9").contains($0) }
    }
    if !postings.isEmpty { entryCount += 1 }
    for posting in postings {
      let size = ReportCell.decimal(String(posting.amount.drop { $0 == "-" }))
      let isDebit = !posting.amount.hasPrefix("-")
      output.appendCSV(
        [
          .text(entry.day), .integer(String(entryCount)), .text(account(of: posting)),
          isDebit ? size : .none, isDebit ? .none : size, ReportCell(posting.currency),
          .text(entry.kind + (entry.subject.isEmpty ? "" : ": \(entry.subject)") + entry.note),
          ReportCell(entry.tags.first?.value),
        ] + (period.namedZone.map { [.text($0)] } ?? []))
    }
  }

  private func write(_ entry: Entry) {
    if dialect == .csv { return writeRows(of: entry) }
    let (day, kind) = (entry.day, entry.kind)
    let postings = entry.postings.map { (account(of: $0), $0) }
    var text = ""
    if dialect == .beancount {
      for (account, _) in postings where opened.insert(Name(trusted: account)).inserted {
        text += "1900-01-01 open \(account)\n"
      }
      text += "\(day) * \(Self.quoted(kind)) \(Self.quoted(entry.subject))\n"
      for (name, value) in entry.tags { text += "  \(name): \(Self.quoted(value))\n" }
    } else {
      let tags = entry.tags.map { "\($0.name): \(Self.oneLine($0.value))" }.joined(separator: ", ")
      text += "\(day) * \(kind)\(tags.isEmpty ? "" : "  ; " + tags)\n"
    }
    for (account, posting) in postings {
      text += "    \(account)  \(posting.amount) \(posting.currency ?? "CREDIT")\n"
    }
    output.append(text + "\n")
  }

  private func account(of posting: Posting) -> String {
    let key = Name(trusted: posting.account + (posting.part.map { ":" + $0 } ?? ""))
    if let name = names[key] { return name }
    let name = dialect.account(posting.account, posting.part)
    names[key] = name
    return name
  }

  private func dayText(of time: Timestamp) -> String {
    let day = period.day(of: time)
    if let last = self.day, last.day == day { return last.text }
    self.day = (day, day.text)
    return day.text
  }

  /// Text without a character that could end its line or change how it is shown.
  private static func oneLine(_ text: String) -> String {
    text.utf8.allSatisfy { 0x20 <= $0 && $0 < 0x7F } ? text : text.escapingHidden
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

private struct Entry {
  let day: String
  let kind: String
  let subject: String
  let tags: [(name: String, value: String)]
  let postings: [Posting]
  /// That a refund is a dispute's, or that revenue is not exact; empty for others.
  var note = ""
}

private struct Posting {
  let account: String
  var part: String?
  let amount: String
  /// Nil for credits.
  var currency: String?
}

/// The format of a double-entry bookkeeping program, or rows for accountants.
public enum JournalDialect: String, Sendable {
  case hledger, ledger, beancount, csv

  /// Returns an account's name, with its own part such as a customer's name.
  /// - Parameter path: `assets:credits`.
  func account(_ path: String, _ part: String? = nil) -> String {
    switch self {
    case .hledger, .ledger, .csv: path + (part.map { ":" + Self.escaped($0) } ?? "")
    case .beancount:
      path.split(separator: ":").map { $0.prefix(1).uppercased() + $0.dropFirst() }
        .joined(separator: ":")
        + (part.map { ":N-" + Self.dashed($0) } ?? "")
    }
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
  fileprivate var isLetterOrDigit: Bool { ("0"..."9").contains(self) || properties.isAlphabetic }
}

extension UInt8 {
  fileprivate var hexadecimal: String {
    (self < 16 ? "0" : "") + String(self, radix: 16).uppercased()
  }
}
