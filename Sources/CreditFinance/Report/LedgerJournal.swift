internal import CreditBytes
public import CreditModel

/// A journal in double entry for another program.
///
/// An account's credits are under `assets:credits:NAME`, so that the program's balances are the
/// store's; each movement's other side has its purpose. A sale is income on its day, or a liability
/// until it is earned.
public final class LedgerJournal: ReportForm {
  public var output = ReportText()
  public private(set) var remarks: [String] = []
  private let dialect: JournalDialect
  private let period: ReportPeriod
  /// The accounts that were opened for beancount.
  private var opened = NameTable()
  private var names = AccountNames()
  /// The day that was written last, and its text: most lines are of the day of the one before.
  private var day: (day: CalendarDay, text: String)?
  private var chains = BalanceChains()
  /// The history, to find the earned part of each sale; nil if a sale is income at once.
  private var timeline: GrantTimeline?
  private let defersSales: Bool
  private let now: Timestamp

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
    self.defersSales = defersSales
    if defersSales { timeline = GrantTimeline() }
  }

  public var need: ReportLine.Source { .history }

  public func add(_ line: ReportLine) throws(CreditError) {
    if try timeline?.add(line) == false { throw GrantTimeline.tooLong("--deferred") }
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
        account: "equity:" + line.kind.rawValue, part: Self.part(of: line),
        amount: String(-Int128(line.credits))),
    ]
    if let payment {
      postings += [
        Posting(
          account: "assets:receipts", amount: payment.text(payment.received),
          commodity: payment.currency),
        Posting(
          account: timeline != nil
            ? Self.liability : payment.isBack ? "income:refunds" : "income:sales",
          part: line.text("productID"),
          amount: payment.text(payment.received.negated), commodity: payment.currency),
      ]
    }
    write(
      dayText(of: line.recordedAt), line.kind.rawValue, line.subject,
      tags: [("id", line.id)] + (line.text("member").map { [("member", $0)] } ?? []), postings)
  }

  private static let liability = "liabilities:deferred"

  public func finish() throws(CreditError) {
    var incomplete = chains.incomplete
    if let timeline { try addEarned(timeline, &incomplete) }
    timeline = nil
    if incomplete.isEmpty { return }
    let effect =
      defersSales
      ? "what is earned and deferred is not exact" : "a balance is the change of this time alone"
    let remark = "incomplete: lines of \(incomplete.quotedInShort) are missing, so \(effect)"
    remarks.append(remark)
    output.append("; \(remark)\n")
  }

  /// Adds the entries of revenue.
  /// - Parameter incomplete: gets the accounts with missing lines.
  private func addEarned(
    _ timeline: GrantTimeline, _ incomplete: inout [String]
  ) throws(CreditError) {
    let sales = try DeferredSales(timeline, in: period, now: now)
    incomplete += sales.incomplete.filter { !incomplete.contains($0) }
    if let remark = period.remark(onEnd: period.end(after: now, timeline)) {
      remarks.append(remark)
    }
    for (day, product, currency, income) in sales.entries {
      let amounts = [
        (Self.liability, income.earned.adding(income.expired)?.adding(income.kept)),
        ("income:sales", income.earned.negated), ("income:breakage", income.expired.negated),
        ("income:refunds", income.kept.negated),
      ]
      var postings: [Posting] = []
      for case (let account, let amount?) in amounts where !amount.isZero {
        postings.append(
          Posting(
            account: account, part: product, amount: amount.fullText, commodity: currency))
      }
      write(day.text, "earned", product ?? "", tags: [], postings)
    }
  }

  /// Returns the purpose on a movement's other side.
  private static func part(of line: ReportLine) -> String? {
    line.kind == .refund ? line.text("productID") : line.text("model") ?? line.text("productID")
  }

  private func write(
    _ day: String, _ kind: String, _ subject: String, tags: [(name: String, value: String)],
    _ postings: [Posting]
  ) {
    let postings = postings.map { (names.account($0.account, $0.part, in: dialect), $0) }
    var text = ""
    if dialect == .beancount {
      for (account, _) in postings where opened.add(Name(trusted: account)) {
        text += "1900-01-01 open \(account)\n"
      }
      text += "\(day) * \(Self.quoted(kind)) \(Self.quoted(subject))\n"
      for (name, value) in tags { text += "  \(name): \(Self.quoted(value))\n" }
    } else {
      let tags = tags.map { "\($0.name): \(Self.oneLine($0.value))" }.joined(separator: ", ")
      text += "\(day) * \(kind)\(tags.isEmpty ? "" : "  ; " + tags)\n"
    }
    for (account, posting) in postings {
      text += "    \(account)  \(posting.amount) \(posting.commodity)\n"
    }
    output.append(text + "\n")
  }

  private func dayText(of time: Timestamp) -> String {
    let day = period.day(of: time)
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
public enum JournalDialect: String, Sendable {
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

/// The income of each day from sales that were paid before, for a journal.
///
/// A sale is a liability first. It becomes income when its credits are used or expire, and a
/// subscription's at the end of each month. Each top-up's entries sum to its price less the money
/// paid back, as amounts are rounded to the currency's digits from the exact state of each day.
struct DeferredSales: ~Copyable {
  private let period: ReportPeriod
  private var book: GrantBook
  private var states: [Int: Income] = [:]
  /// The subscriptions whose time is not over yet.
  private var running: Set<Int> = []
  private var day: CalendarDay?
  private(set) var entries: [Entry] = []
  /// The accounts with sales whose use is not known.
  private(set) var incomplete: [String] = []

  /// Income of a top-up so far, or of a product's sales on a day.
  struct Income {
    var earned = ExactDecimal.zero
    var expired = ExactDecimal.zero
    /// Price of refunded credits beyond the money paid back for them.
    var kept = ExactDecimal.zero

    var isZero: Bool { earned.isZero && expired.isZero && kept.isZero }

    mutating func add(_ later: Income, since earlier: Income) throws(CreditError) {
      for part in [\Income.earned, \.expired, \.kept] {
        try self[keyPath: part].add(later[keyPath: part])
        try self[keyPath: part].add(earlier[keyPath: part].negated)
      }
    }
  }

  typealias Entry = (day: CalendarDay, product: String?, currency: String, income: Income)

  /// - Parameter now: subscriptions are earned up to here, or to the newest line if that is later.
  /// - Throws: `amount_out_of_range`.
  init(_ timeline: GrantTimeline, in period: ReportPeriod, now: Timestamp) throws(CreditError) {
    self.period = period
    book = GrantBook(timeline)
    book.grants.isWatched = true
    try timeline.forEachInstant(until: period.until) { (events) throws(CreditError) in
      if let event = events.first { try advance(to: event.time) }
      book.addInstant(events)
    }
    let end = period.end(after: now, timeline)
    let last = Timestamp(milliseconds: end.milliseconds - 1)
    if let day, day < period.day(of: last) { try advance(to: last) }
    if let day { try close(day, at: end, isMonthEnd: true) }
    incomplete = book.incompleteAccounts
  }

  /// Closes the days before a time.
  private mutating func advance(to time: Timestamp) throws(CreditError) {
    let next = period.day(of: time)
    var current = day ?? next
    while current < next {
      let following = CalendarDay(number: current.number + 1)
      let isMonthEnd = following == following.monthStart
      try close(current, at: period.start(of: following), isMonthEnd: isMonthEnd)
      let nextMonth = CalendarDay(number: following.monthStart.number + 31).monthStart
      current = running.isEmpty ? next : min(next, CalendarDay(number: nextMonth.number - 1))
    }
    day = next
  }

  /// Adds the entries of a day.
  /// - Parameters:
  ///   - time: the day's end.
  ///   - isMonthEnd: true to book the income of subscriptions.
  private mutating func close(
    _ day: CalendarDay, at time: Timestamp, isMonthEnd: Bool
  ) throws(CreditError) {
    var places = book.grants.takeChanged()
    running.formUnion(places.filter { book.grants[$0].timeInForce != nil })
    if isMonthEnd {
      places.formUnion(running)
      running = running.filter { book.grants[$0].timeInForce.map { $0.end > time } ?? false }
    } else {
      places = places.filter { book.grants[$0].timeInForce == nil }
    }
    var sums: [String: Entry] = [:]
    for place in places.sorted() { try add(place, at: time, on: day, to: &sums) }
    guard period.contains(Timestamp(milliseconds: time.milliseconds - 1)) else { return }
    entries += sums.sorted { $0.key < $1.key }.map(\.value).filter { !$0.income.isZero }
  }

  /// Adds the change of a top-up since its last entry.
  private mutating func add(
    _ place: Int, at time: Timestamp, on day: CalendarDay, to sums: inout [String: Entry]
  ) throws(CreditError) {
    let grant = book.grants[place]
    guard let currency = grant.currency, let state = try Self.state(of: grant, at: time) else {
      return
    }
    let before = states.updateValue(state, forKey: place) ?? Income()
    let key = "\(currency) \(grant.product ?? "")"
    try sums[key, default: (day, grant.product, currency, Income())]
      .income.add(state, since: before)
  }

  /// Returns all income of a top-up so far: the rest of its price is the liability, rounded, or was
  /// paid back.
  private static func state(
    of grant: GrantedCredits, at time: Timestamp
  ) throws(CreditError) -> Income? {
    let places = grant.minorDigits
    guard let price = grant.price,
      let deferred = try grant.deferred(at: time)?.rounded(places: places),
      let expired = try grant.breakage?.rounded(places: places)
    else { return nil }
    let kept = try grant.kept?.rounded(places: places) ?? .zero
    var state = Income(earned: price, expired: expired, kept: kept)
    for part in [deferred, expired, kept, grant.refundedPrice ?? .zero] {
      try state.earned.add(part.negated)
    }
    return state
  }
}
