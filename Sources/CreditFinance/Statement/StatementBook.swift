internal import CreditBytes
internal import CreditModel

/// Movements of an account's credits in a month, and its balances before and after. It contains no
/// costs of the seller.
struct StatementBook: ~Copyable {
  let account: String
  let period: ReportPeriod
  /// Whether each use is a separate line.
  private let listsEach: Bool
  private var balances = BalanceBook()
  private var listed: [Listed] = []
  private var usage: [DayAndModel: Use] = [:]
  private var chain = BalanceChain()
  private var lineCount = 0
  private var firstTime: Timestamp?
  private var oldestTime: Timestamp?
  /// The credits of all lines.
  private var total: Int128 = 0
  private var isNewestFirst = true
  /// By the names of members.
  private var members: [String: MemberUse]?
  private var parents = ChargeParents<MemberPart>()

  /// A line of a charge of another account.
  private struct MemberPart {
    let account: String
    /// The parent of the line's own time.
    let parent: String?
    let isOfPeriod: Bool
    let isCharge: Bool
    /// Signed.
    let credits: Int128
    /// The part of this account.
    let paid: Int128
  }

  /// The parts that the account paid for others, by team and member, from their lines.
  private var paid: [Member: MemberUse] = [:]
  /// The same by member alone, from its own lines.
  private var shares: [Member: MemberUse] = [:]

  private struct Member: Hashable {
    let team: String?
    let name: String
  }

  private struct Listed {
    let time: Timestamp
    let place: Int
    let line: StatementLine
  }

  private struct DayAndModel: Hashable {
    let day: CalendarDay
    let model: String
    /// Whether it is of corrections.
    let isCorrection: Bool
  }

  private struct Use {
    var count: Int64 = 0
    var credits: Int128 = 0
    var others = OtherPayers()

    mutating func add(_ line: ReportLine) {
      count += 1
      credits += Int128(line.credits)
      others.add(line)
    }
  }

  init(of account: String, in period: ReportPeriod, listsEach: Bool) {
    self.account = account
    self.period = period
    self.listsEach = listsEach
  }

  /// Adds a line of the account.
  mutating func add(_ line: ReportLine) throws(CreditError) {
    if line.counts {
      noteOrder(line.recordedAt)
      chain.add(line)
      total += Int128(line.credits)
      oldestTime = min(oldestTime ?? line.recordedAt, line.recordedAt)
    }
    for part in line.parts { try add(part, of: line) }
  }

  /// Adds a line of another account, a member if this account was its parent at the charge.
  mutating func add(ofOther line: ReportLine) throws(CreditError) {
    guard line.isOfWork, line.counts, !line.isShare else { return }
    let parent = line.parent
    for part in parents.parts(of: line) { add(part, under: parent) }
    let paid = line.otherPayers.reduce(Int128(0)) { $0 + ($1.account == account ? $1.credits : 0) }
    if line.isCharge, parent != account, paid == 0 { return }
    let part = MemberPart(
      account: line.account, parent: parent, isOfPeriod: period.contains(line),
      isCharge: line.isCharge, credits: try line.amountsOfAll.credits, paid: paid)
    if line.isCharge { return add(part, under: parent) }
    if let parent = parents.parent(of: line, orKeep: part) { add(part, under: parent.name) }
  }

  private mutating func add(_ part: MemberPart, under parent: String?) {
    if part.isOfPeriod, part.paid != 0 {
      let team = parent == account ? nil : parent
      let use = MemberUse(team: team, name: part.account)
      paid[Member(team: team, name: part.account), default: use]
        .add(part.paid, isCharge: part.isCharge)
    }
    guard parent == account else { return }
    if members == nil { members = [:] }
    guard part.isOfPeriod else { return }
    var use = members?[part.account] ?? MemberUse(name: part.account)
    use.add(part.credits, isCharge: part.isCharge)
    members?[part.account] = use
  }

  /// Ends the lines.
  /// - Parameter isKnown: true if the account has own lines: its statement is of those alone.
  mutating func finish(isKnown: Bool) {
    for part in parents.takeRest() { add(part, under: part.parent) }
    if isKnown { members = nil }
  }

  /// The use of each member of the account by name; nil if it has none.
  var memberUses: [MemberUse]? {
    members?.values.sorted { Name(trusted: $0.name) < Name(trusted: $1.name) }
  }

  /// The parts that the account paid for others: by team if all its members' lines are here.
  var paidUses: [MemberUse] {
    func total(_ uses: [Member: MemberUse]) -> Int128 { uses.values.reduce(0) { $0 + $1.credits } }
    let known = total(paid) == total(shares) ? paid : shares
    return known.values.sorted {
      (Name(trusted: $0.team ?? ""), Name(trusted: $0.name))
        < (Name(trusted: $1.team ?? ""), Name(trusted: $1.name))
    }
  }

  private mutating func add(_ line: ReportLine, of whole: ReportLine) throws(CreditError) {
    let time = period.time(of: line)
    let day = period.day(of: time)
    if !line.isSaleOnly { balances.add(whole, on: day, isBefore: period.isBefore(time)) }
    guard period.contains(time) else { return }
    if let name = line.text("member") {
      shares[Member(team: nil, name: name), default: MemberUse(name: name)]
        .add(Int128(line.credits), isCharge: line.isCharge)
    }
    if line.kind == .usage, !listsEach {
      let key = DayAndModel(
        day: day, model: line.text("model") ?? "", isCorrection: line.isCorrection)
      usage[key, default: Use()].add(line)
    } else {
      let line = StatementLine(line, try line.payment(), in: period)
      listed.append(Listed(time: time, place: lineCount, line: line))
    }
  }

  /// Determines the order of lines of one instant: the history may come newest first.
  private mutating func noteOrder(_ time: Timestamp) {
    lineCount += 1
    if let firstTime, time != firstTime { isNewestFirst = time < firstTime }
    firstTime = firstTime ?? time
  }

  /// - Throws: `invalid_request` if lines are missing before the newest one.
  func check() throws(CreditError) {
    guard let newest = balances.balance(of: account), !chain.leads(to: newest) else { return }
    throw CreditError(
      .invalidRequest,
      "the history of \(quoted(account)) has gaps: a statement needs all its lines up to the "
        + "newest")
  }

  /// The account's balance at the beginning.
  var opening: Int128 { balances.opening }

  /// Says that lines of the period may be missing: the first one of the input is in it, and the
  /// account had another balance before.
  var remarkOnBeginning: String? {
    guard let oldestTime, let balance = balances.balance(of: account),
      Int128(balance) != total, !period.isBefore(oldestTime)
    else { return nil }
    return "the first line of \(quoted(account)) is of \(oldestTime.text), and not its first of "
      + "all: what came before it is in the opening balance alone"
  }

  /// All movements, the oldest first; a day's usage comes last, but before charges given back.
  var lines: [StatementLine] {
    let single = listed.sorted { left, right in
      if left.time != right.time { return left.time < right.time }
      return isNewestFirst ? left.place > right.place : left.place < right.place
    }.map(\.line)
    let daily = usage.sorted {
      ($0.key.day, Name(trusted: $0.key.model), $0.key.isCorrection ? 1 : 0)
        < ($1.key.day, Name(trusted: $1.key.model), $1.key.isCorrection ? 1 : 0)
    }.map { key, sum in
      StatementLine(
        usageOf: key.model + sum.others.text, on: key.day, count: sum.count, credits: sum.credits,
        isCorrection: key.isCorrection)
    }
    var merged: [StatementLine] = []
    var next = 0
    for line in single {
      while next < daily.count,
        daily[next].day < line.day || line.isGivenBack && daily[next].day == line.day
      {
        merged.append(daily[next])
        next += 1
      }
      merged.append(line)
    }
    return merged + daily[next...]
  }
}

/// One line of a statement: a movement of an account's credits, or all usage of a model on a day.
struct StatementLine {
  let day: CalendarDay
  /// The hour and minute; nil for the usage of a day.
  let clock: String?
  let type: StatementType
  /// The model, product or gift, as text.
  let text: String
  /// Number of charges that it sums.
  var count: Int64 = 1
  /// Signed.
  var credits: Int128
  /// The payment, or the money paid back.
  var payment: Payment?
  /// Whether it gives back a charge.
  var isGivenBack = false
  /// The transaction's id; nil for the usage of a day.
  let id: String?

  /// A transaction as it is.
  init(_ line: ReportLine, _ payment: Payment?, in period: ReportPeriod) {
    let time = period.time(of: line)
    day = period.day(of: time)
    clock = period.clock(of: time)
    type =
      line.isCorrection ? .correction : line.isReversal ? .reversal : .kind(line.kind)
    text = Self.text(of: line)
    credits = Int128(line.credits)
    self.payment = payment
    isGivenBack = line.isOfCharge
    id = line.kind == .usage ? line.text("key") ?? line.id : line.id
  }

  init(
    usageOf model: String, on day: CalendarDay, count: Int64, credits: Int128,
    isCorrection: Bool = false
  ) {
    self.day = day
    clock = nil
    type = isCorrection ? .correction : .kind(.usage)
    text = model
    self.count = count
    self.credits = credits
    id = nil
  }

  private static func text(of line: ReportLine) -> String {
    guard line.kind == .transfer, let other = line.text("counterparty") else {
      return line.subject + OtherPayers(of: line).text
    }
    let way = line.credits < 0 ? "to \(other)" : "from \(other)"
    return line.text("reason").map { "\(way): \($0)" } ?? way
  }

  /// `2026-11-03`, or with the minute.
  var time: String { clock.map { "\(day.text) \($0)" } ?? day.text }
}

/// The parts of other accounts in an account's use.
struct OtherPayers {
  /// By account, below 0 if more was given back.
  private var paid: [(account: String, credits: Int128)] = []

  init() {}

  init(of line: ReportLine) { add(line) }

  mutating func add(_ line: ReportLine) {
    guard line.isOfWork, !line.isShare else { return }
    for (account, credits) in line.otherPayers {
      let place = paid.firstIndex { $0.account == account } ?? paid.count
      if place == paid.count { paid.append((account, 0)) }
      paid[place].credits -= credits
    }
  }

  /// `; acme paid 300`, to follow the model; empty if no other paid.
  var text: String { phrases.map { "; " + $0 }.joined() }

  fileprivate var phrases: [String] {
    paid.sorted { Name(trusted: $0.account) < Name(trusted: $1.account) }.map { account, credits in
      credits < 0
        ? "\(account) got \((0 - credits).separated) back"
        : "\(account) paid \(credits.separated)"
    }
  }
}

/// The type of a statement's line: that of the history, a charge's correction, or the reversal of
/// a refund.
enum StatementType: Hashable {
  case kind(HistoryLine.Kind)
  case correction, reversal

  /// In the order of sums.
  static var all: [StatementType] {
    HistoryLine.Kind.allCases.flatMap { kind -> [StatementType] in
      switch kind {
      case .usage: [.kind(kind), .correction]
      case .refund: [.kind(kind), .reversal]
      default: [.kind(kind)]
      }
    }
  }

  /// The word of a row.
  var word: String {
    switch self {
    case .kind(let kind): kind.rawValue
    case .correction: "correction"
    case .reversal: "reversal"
    }
  }

  var title: String {
    switch self {
    case .kind(let kind): kind.title
    case .correction: "Correction"
    case .reversal: "Reversal"
    }
  }
}

extension ReportLine {
  /// The other accounts of a charge, for people: `acme paid 300`, or `for ana` in a payer's line.
  public var otherAccounts: String {
    text("member").map { "for \($0)" }
      ?? OtherPayers(of: self).phrases.joined(separator: ", ")
  }

  /// Whether it is the difference of a corrected charge.
  var isCorrection: Bool { kind == .usage && CorrectionReference(id: id) != nil }
}

extension HistoryLine.Kind {
  fileprivate var title: String {
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
