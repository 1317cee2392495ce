internal import CreditJSON
internal import CreditModel

/// Movements of an account's credits in a month, and its balances before and after. It contains no
/// costs of the seller.
struct StatementBook: ~Copyable {
  let account: String
  let period: ReportPeriod
  /// Whether each use is a separate line.
  let listsEach: Bool
  private var balances = BalanceBook()
  private var own: DatedLines
  /// Charges of all accounts below it, with the parts of all payers.
  private var ofMembers: DatedLines
  /// The account's parts in charges of others, by the lines of those, which have their teams.
  private var paid: DatedLines
  /// The rest of the members' charges and of its own, which others paid.
  private var byOthers: DatedLines
  private var lineCount = 0
  private var order = LineOrder()
  private var oldestTime: Timestamp?
  private var total: Int128 = 0
  private var ownLines = KnownLines()
  private var memberLines = KnownLines()
  /// True if it has paid for members, or for those of a team under it.
  private var hasPaid = false
  /// True if a line of its own is a part of a member's charge.
  private var hasShares = false
  private var removed = RemovedMembers()
  /// The texts of purchases' bonuses by their ids.
  private var bonuses: [String: String] = [:]
  /// The names of grants that expire, by their ids.
  private var grants: [String: String] = [:]
  private var parents = ChargeParents<MemberPart>()
  /// The accounts below it and above it, by the charges that it paid a part of.
  private var (below, above): (Set<String>, Set<String>) = ([], [])
  /// The payers above each other parent on each day; the account alone if it paid a part.
  private var payersAbove: [String: [CalendarDay: Set<[String]>]] = [:]
  /// Charges of other parents' members that it paid no part of, by day and payers.
  private var unpaid: [String: [CalendarDay: [[String]: DatedLines]]] = [:]
  /// Corrections and refunds, with the parents of the charges.
  private var corrections: [(part: MemberPart, parent: String?)] = []

  /// A line of a charge of another account.
  private struct MemberPart {
    let account: String
    /// The parent of the line's own time.
    let parent: String?
    let place: LinePlace
    let day: CalendarDay
    /// Nil if it is not of the period.
    let line: StatementLine?
    /// The part of this account, signed; nil if it has none.
    let paid: Int128?
    /// The other accounts that pay for it, the nearest first, with signed credits.
    let payers: [(account: String, credits: Int128)]
  }

  init(of account: String, in period: ReportPeriod, listsEach: Bool) {
    self.account = account
    self.period = period
    self.listsEach = listsEach
    own = DatedLines(listsEach: listsEach)
    ofMembers = own
    paid = own
    byOthers = own
  }

  mutating func add(_ line: ReportLine) throws(CreditError) {
    ownLines.note(period.time(of: line), in: period)
    if line.counts {
      lineCount += 1
      order.note(line)
      total += Int128(line.credits)
      oldestTime = min(oldestTime ?? line.recordedAt, line.recordedAt)
    }
    if line.isShare { hasShares = true }
    for part in line.parts { try add(part, of: line) }
  }

  private mutating func add(_ line: ReportLine, of whole: ReportLine) throws(CreditError) {
    let time = period.time(of: line)
    if !line.isSaleOnly {
      balances.add(whole, on: period.day(of: time), isBefore: period.isBefore(time))
    }
    let payment = try line.payment()
    removed.note(line)
    let name = line.recordedSubject
    if line.promotion != nil { bonuses[line.id] = name }
    if !name.isEmpty, line.value.hasMember("expiresAt") { grants[line.id] = name }
    if line.isEmptyRefund(payment) || !period.contains(time) { return }
    let entry = StatementLine(line, payment, in: period)
    let place = LinePlace(time: time, number: lineCount)
    own.add(entry, at: place)
    removed.add(entry, of: line)
    var whole = entry
    whole.credits = line.creditsOfAll
    if let rest = whole.rest(without: entry.credits) { byOthers.add(rest, at: place) }
  }

  /// Adds a line of another account: of a member if this account was its parent at the charge, or
  /// has paid for another charge of that parent's members.
  mutating func add(ofOther line: ReportLine) {
    guard line.isOfWork, line.counts, !line.isShare else { return }
    let parent = line.parent
    for part in parents.parts(of: line) { add(part, under: parent) }
    let paid = line.part(of: account)
    if line.isCharge, parent == nil, paid == nil { return }
    lineCount += 1
    order.note(line)
    let time = period.time(of: line)
    let part = MemberPart(
      account: line.account, parent: parent,
      place: LinePlace(time: time, number: lineCount),
      day: period.day(of: min(line.value.timestamp("chargedAt") ?? time, time)),
      line: period.contains(time) ? StatementLine(ofMember: line, in: period) : nil, paid: paid,
      payers: line.otherPayers)
    // Credits that are given back go to payers of an earlier time.
    let takes = line.kind == .usage && paid != 0 && line.payers.allSatisfy { $0.credits <= 0 }
    if takes { noteChain(of: part, hasOrder: true) }
    if line.isCharge { return add(part, under: parent, isCharge: true) }
    if let parent = parents.parent(of: line, orKeep: part) { add(part, under: parent.name) }
  }

  /// Notes up to the period's end that the payers are above the part's own parent.
  private mutating func noteChain(of part: MemberPart, hasOrder: Bool) {
    if period.isAfter(part.place.time) { return }
    let names = part.payers.map(\.account)
    let isMember = part.parent == account
    let isPayer = isMember || part.paid != nil
    let team = isMember ? nil : part.parent
    if isPayer {
      let rank = isMember || !hasOrder ? 0 : names.firstIndex(of: account) ?? 0
      below.formUnion([part.account, team ?? part.account] + names[..<rank])
      above.formUnion(names[rank...])
    }
    guard let team else { return }
    payersAbove[team, default: [:]][period.day(of: part.place.time), default: []]
      .insert(isPayer ? [account] : names.filter { $0 != team })
  }

  private mutating func add(_ part: MemberPart, under parent: String?, isCharge: Bool = false) {
    let isMember = parent == account
    if isMember { memberLines.note(part.place.time, in: period) }
    if part.paid != nil { hasPaid = true }
    guard var line = part.line else { return }
    if !isCharge { return corrections.append((part, parent)) }
    line.member?.team = isMember ? nil : parent
    guard let parent, !isMember, part.paid == nil else { return add(line, of: part) }
    let payers = part.payers.map(\.account).filter { $0 != parent }
    let none = DatedLines(listsEach: listsEach)
    unpaid[parent, default: [:]][part.day, default: [:]][payers, default: none]
      .add(line, at: part.place)
  }

  private mutating func add(_ line: StatementLine, of part: MemberPart) {
    ofMembers.add(line, at: part.place)
    if let rest = line.rest(without: part.paid ?? 0) { byOthers.add(rest, at: part.place) }
    if let share = part.paid { paid.add(line.part(share), at: part.place) }
  }

  /// Adds the work that chains below the account paid alone, corrections and refunds. The next work
  /// that the account or a stranger pays shows whether a team is below it, or else the last one.
  ///
  /// A correction goes with its charge, without the parts of strangers: the member may have moved
  /// to them. Of a charge of a stranger's team it is the account's part, and the team has no name
  /// here.
  private mutating func addBelow() {
    let relatives = below.union(above).union([account])
    let shown = payersAbove.mapValues { days in
      days.compactMap { day, payers -> (day: CalendarDay, isBelow: Bool)? in
        if payers.contains([account]) { return (day, true) }
        return payers.joined().allSatisfy(relatives.contains) ? nil : (day, false)
      }.sorted { $0.day < $1.day }
    }
    func isBelow(_ team: String, on day: CalendarDay) -> Bool {
      let next = shown[team]?.first { $0.day >= day } ?? shown[team]?.last
      return next?.isBelow ?? below.contains(team)
    }
    for (team, days) in unpaid {
      for (day, work) in days where isBelow(team, on: day) {
        for (payers, lines) in work where payers.allSatisfy(relatives.contains) {
          ofMembers.add(lines)
          byOthers.add(lines)
        }
      }
    }
    for (part, parent) in corrections {
      guard var line = part.line else { continue }
      let team = parent == account ? nil : parent
      guard let parent, team.map({ isBelow($0, on: part.day) }) ?? true else {
        if let share = part.paid { add(line.part(share), of: part) }
        continue
      }
      line.member?.team = team
      let isWhole = team == nil && isParentAlone
      let strangers = part.payers.filter {
        !isWhole && !relatives.contains($0.account) && $0.account != parent
      }
      line.credits -= strangers.reduce(0) { $0 + $1.credits }
      if strangers.isEmpty || line.credits != 0 || part.paid != nil { add(line, of: part) }
    }
  }

  /// - Throws: `unknown_account` if no line is of the account or of its members, `invalid_request`
  ///   if some are missing before the newest one.
  mutating func finish() throws(CreditError) {
    for part in parents.takeRest() {
      noteChain(of: part, hasOrder: false)
      add(part, under: part.parent)
    }
    addBelow()
    if own.sumOfMembers.agrees(with: paid.sumOfMembers) { own.replaceMembers(by: paid) }
    if !ownLines.hasAny && !memberLines.hasAny {
      throw CreditError(
        .unknownAccount, "the history has no line of account \(quoted(account))",
        [.account(Name(trusted: account))])
    }
    if balances.isComplete(account) { return }
    throw .invalidRequest(
      "the history of \(quoted(account)) has gaps: a statement needs all its lines up to the "
        + "newest")
  }

  /// True if it has members, and no lines of its own: its statement is of their spending.
  var isParentAlone: Bool {
    memberLines.hasAny && !ownLines.hasAnyUpToEnd
      && (memberLines.hasAnyUpToEnd || !ownLines.hasAny)
  }

  /// The use of each member of the account, with the parts of all payers.
  var memberUses: [MemberUse] {
    MemberUse.all(in: ofMembers.lines(isNewestFirst: order.isNewestFirst))
  }

  /// The members' use and its own as far as others paid for it, the oldest first.
  var linesByOthers: [StatementLine] {
    byOthers.lines(isNewestFirst: order.isNewestFirst)
  }

  /// The parts that the account paid for accounts that were removed. An account that pays for no
  /// other has none: a line of its own that lacks a usage may look like one.
  var linesForRemoved: [StatementLine] { memberLines.hasAny || hasPaid ? removed.allLines : [] }

  /// All movements, the oldest first.
  /// - Parameter byMember: true to part a day's usage by the accounts that it was paid for.
  func lines(byMember: Bool) -> [StatementLine] {
    var own = own
    if !byMember { own.sumMembers() }
    var lines = own.lines(isNewestFirst: order.isNewestFirst)
    for place in lines.indices { lines[place].name(bonuses, grants) }
    return lines
  }

  var opening: Int128 { balances.opening }

  var remarks: [String] {
    var ofOthers = memberLines.hasAny || hasPaid ? parents.remarks : []
    if hasShares, !memberLines.hasAny, !hasPaid {
      ofOthers.append("the lines of its members are missing: credit-history --all has them")
    }
    // Lines of the period may be missing: the first one of the input is in it, and the account had
    // another balance before.
    guard let oldestTime, let balance = balances.balance(of: account),
      Int128(balance) != total, !period.isBefore(oldestTime)
    else { return ofOthers }
    let beginning =
      "the first line of \(quoted(account)) is of \(oldestTime.text), but not its first ever: "
      + "earlier lines are in the opening balance only"
    return [beginning] + ofOthers
  }
}

/// Number of charges, and their credits with those of their refunds and corrections.
struct WorkSum {
  private(set) var count: Int64 = 0
  /// Signed.
  private(set) var credits: Int128 = 0
  /// Number of corrections, and their credits, above 0 if more was spent; nil without any. A model
  /// that a charge was changed from has credits, and no count.
  private var corrections: (count: Int64, credits: Int128, haveChanges: Bool)?
  private var waived: Int128 = 0
  private(set) var givenBack: Int128 = 0

  init(_ lines: [StatementLine] = []) { for line in lines { add(line) } }

  /// The credits of charges less those given back.
  var spent: Int128 { 0 - credits }

  mutating func add(_ line: StatementLine) {
    if line.type == .refundOfCharge { givenBack += line.credits }
    if line.type == .kind(.usage) { count += line.count }
    if line.type == .correction {
      let (count, credits, haveChanges) = corrections ?? (0, 0, false)
      let isChange = line.count == 0
      corrections = (count + line.count, credits - line.credits, haveChanges || isChange)
    }
    credits += line.credits
    waived += line.waived
  }

  /// True if the other sum has as many charges and credits.
  func agrees(with other: WorkSum) -> Bool { (count, credits) == (other.count, other.credits) }

  /// Its charges, corrections and refunds: `3 charges; including 30 more by 1 correction`.
  var contents: String {
    if count == 0, let corrections, corrections.credits == spent {
      return Self.corrected(corrections.count, corrections.haveChanges) + waived.note("waived")
    }
    if count == 0, corrections == nil { return "refunds" + waived.note("waived") }
    return (count == 0 ? "corrections and refunds" : count.counted("charge")) + notes
  }

  /// The new price of a change of model may be here, or another payer's: then there is no number.
  private static func corrected(_ count: Int64, _ haveChanges: Bool) -> String {
    haveChanges ? "corrections" : count.counted("correction")
  }

  /// The parts of its credits: `; including 30 more by 1 correction; after 5 given back`.
  var notes: String {
    let corrected = corrections.map { count, more, haveChanges in
      "; including \(more.magnitude.separated) \(more < 0 ? "given back" : "more")"
        + " by \(Self.corrected(count, haveChanges))"
    }
    return (corrected ?? "")
      + (givenBack == 0 ? "" : "; after \(givenBack.separated) given back") + waived.note("waived")
  }
}

extension Int128 {
  /// `; 20 waived`, or `; 20 fewer waived`; empty for 0.
  func note(_ word: String) -> String {
    self == 0 ? "" : "; \(magnitude.separated) \(self < 0 ? "fewer " : "")\(word)"
  }
}

/// An account's parts in charges of accounts that were removed: its lines have no member, and no
/// counts. Lines that give back have no counts of any account, so their charges are looked up.
struct RemovedMembers {
  private var charges: Set<String> = []
  private var lines: [StatementLine] = []
  private var returns: [(charges: [String], line: StatementLine)] = []

  /// Notes a charge of any time.
  mutating func note(_ line: ReportLine) {
    if line.isCharge, line.isOfRemoved { charges.insert(line.id) }
  }

  /// Adds a line of the period.
  mutating func add(_ entry: StatementLine, of line: ReportLine) {
    guard line.isOfWork, line.isOfRemoved else { return }
    if line.isOfCharge || CorrectionReference(id: line.id)?.isReturn == true {
      returns.append((line.chargeIDs, entry))
    } else {
      lines.append(entry)
    }
  }

  var allLines: [StatementLine] {
    lines + returns.filter { !charges.isDisjoint(with: $0.charges) }.map(\.line)
  }
}

extension ReportLine {
  /// The part of another account, signed; nil if it has none. One that forfeits all it would get
  /// back has 0.
  fileprivate func part(of account: String) -> Int128? {
    let parts = payers.dropFirst().filter { $0.account == account }
    let sum = parts.reduce(Int128(0)) { $0 + $1.credits }
    let forfeits = !parts.isEmpty && value.member("creditsForfeited") != nil
    return sum != 0 || forfeits ? sum : nil
  }

  /// Whether it names neither the account that did the work nor the work.
  fileprivate var isOfRemoved: Bool {
    !isShare && text("key") == nil && value.member("usage") == nil
      && value.member("shares") == nil && value.member("paidBy") == nil
  }
}
