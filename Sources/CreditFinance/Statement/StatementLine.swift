internal import CreditJSON
internal import CreditModel

/// One line of a statement: a movement of an account's credits, or all usage of a model on a day.
struct StatementLine {
  let day: CalendarDay
  /// The hour and minute; nil for the usage of a day.
  private(set) var clock: String?
  let type: StatementType
  /// The account's balance right after it; nil for the usage of a day, or if it is not known.
  private(set) var balance: Int64?
  /// The model, product or gift.
  private var subject: String
  private var grant: String?
  let model: String
  /// Parts of other accounts in it.
  private(set) var others: OtherPayers
  /// Number of charges or corrections that it sums. A line that only gives back another model's
  /// credits, before a correction, has none.
  private(set) var count: Int64
  /// See ``ReportLine/units``.
  private var units: [UsageKind: Int128]
  /// Signed.
  var credits: Int128
  var payment: Payment?
  /// The transaction's id; nil for the usage of a day.
  private(set) var id: String?
  /// The account whose work it is, if that is another one.
  var member: Member?
  /// The day of the work, if it is not that of the line.
  let usedOn: CalendarDay?
  /// Whether that is the day of the charge that it corrects or gives back.
  private var isChargeDay: Bool
  /// See ``ReportLine/notes(in:)``.
  private let ending: String
  /// Credits of its price that no account paid.
  private(set) var waived: Int128
  /// Credits that could not be given back, as they had expired; below 0 if they were taken again.
  private(set) var forfeited: Int128
  /// See ``HistoryLine/carriedOver``.
  private let carriedOver: Int128

  init(_ line: ReportLine, _ payment: Payment?, in period: ReportPeriod) {
    let time = period.time(of: line)
    day = period.day(of: time)
    clock = period.clock(of: time)
    balance = line.isSaleOnly ? nil : line.balance
    type = StatementType(line)
    subject = Self.text(of: line)
    model = line.text("model") ?? ""
    others = OtherPayers(of: line)
    credits = Int128(line.credits)
    self.payment = payment
    id = line.isOfWork ? line.text("key") ?? line.id : line.id
    member = line.text("member").map { Member(name: $0) }
    usedOn = line.workDay(in: period)
    isChargeDay = line.usedAt == nil
    ending = line.notes(in: period)
    let isPart = CorrectionReference(id: line.id)?.isReturn == true || line.isStartOfSale
    count = isPart ? 0 : 1
    units = line.units
    waived = line.waived
    forfeited = Int128(line.value.int64("creditsForfeited") ?? 0)
    carriedOver = Int128(line.carriedOver)
  }

  /// A charge of another account, a correction or a refund of one, with the parts of all payers.
  init(ofMember line: ReportLine, in period: ReportPeriod) {
    self.init(line, nil, in: period)
    credits = line.creditsOfAll
    others = OtherPayers()
    balance = nil
    member = Member(name: line.account)
  }

  func part(_ credits: Int128) -> StatementLine {
    var part = self
    part.credits = credits
    part.waived = 0
    return part
  }

  /// The rest of it beside that part. Of a member's charge it has the count and the forfeited
  /// credits if the account paid none of it. Nil if others paid none.
  func rest(without paid: Int128) -> StatementLine? {
    if paid == credits { return nil }
    var rest = self
    rest.credits -= paid
    rest.waived = 0
    if paid != 0 || member == nil { (rest.count, rest.units, rest.forfeited) = (0, [:], 0) }
    return rest
  }

  /// The usage of its model on its day, so far.
  var ofDay: StatementLine {
    var whole = self
    (whole.clock, whole.balance, whole.id, whole.subject) = (nil, nil, nil, model)
    return whole
  }

  mutating func add(_ other: StatementLine) {
    count += other.count
    units.merge(other.units, uniquingKeysWith: +)
    credits += other.credits
    waived += other.waived
    forfeited += other.forfeited
    isChargeDay = isChargeDay && other.isChargeDay
    others.add(other.others)
  }

  /// Its part of a type's sum. Credits that a quota has carried over have not expired.
  func part(of type: StatementType) -> Int128 {
    let own = type == self.type ? credits - carriedOver : 0
    return type == .kind(.expiry) ? own + carriedOver : own
  }

  /// Names the bonus that it takes back, if that is one of these, instead of the reason.
  /// - Parameter grants: names of grants by their ids, for people.
  mutating func name(_ bonuses: [String: String], _ grants: [String: String]) {
    guard let id else { return }
    grant = type == .kind(.expiry) ? grants[String(id.dropFirst("expiry:".count))] : nil
    guard type == .kind(.refund) || type == .reversal else { return }
    let ids = GrantTimeline.subjects(ofRefund: id)
    subject = ids.lazy.compactMap { bonuses[$0] }.first ?? subject
  }

  private static func text(of line: ReportLine) -> String {
    guard line.kind == .transfer, let other = line.text("counterparty") else {
      let subject = line.recordedSubject
      guard line.isOfCharge, let model = line.text("model"), model != subject else {
        return subject
      }
      return "\(model): \(subject)"
    }
    let way = line.credits < 0 ? "to \(other)" : "from \(other)"
    return line.text("reason").map { "\(way): \($0)" } ?? way
  }

  /// The model, product or gift, and the other payers of a charge.
  var text: String { subject + others.text }

  /// The same with the member and the notes, for people.
  var fullText: String {
    let subject = grant.map { "credits of \($0)" } ?? text
    return (subject + (member.map { "; for \($0.name)" } ?? "") + notes).withoutFirstMark
  }

  /// The text with the notes: `chat; used 2026-10-30; 20 waived`.
  var notedText: String { text + notes }

  private var notes: String {
    let lost =
      type == .kind(.refund) ? "had expired, not taken back" : "expired, not given back"
    let used = usedOn?.note(isOfCharge: isChargeDay) ?? ""
    return UsageKind.note(on: units) + ending + used + waived.note("waived")
      + (forfeited < 0
        ? "; \(forfeited.magnitude.separated) paid with expired credits" : forfeited.note(lost))
  }

  /// `2026-11-03`, or with the minute.
  var time: String { clock.map { "\(day.text) \($0)" } ?? day.text }
}

/// Lines in the order of their time: some as they are, and the usage of each model on a day.
struct DatedLines {
  private let listsEach: Bool
  private var listed: [(place: LinePlace, line: StatementLine)] = []
  private var usage: [DayAndModel: StatementLine] = [:]

  private struct DayAndModel: Hashable {
    let day: CalendarDay
    let model: String
    let isCorrection: Bool
    let usedOn: CalendarDay?
    var member: Member?

    var order: (CalendarDay, Name, Int, Int64, Name, Name) {
      (
        day, Name(trusted: model), isCorrection ? 1 : 0, usedOn?.number ?? .max,
        Name(trusted: member?.team ?? ""), Name(trusted: member?.name ?? "")
      )
    }
  }

  init(listsEach: Bool) { self.listsEach = listsEach }

  mutating func add(_ line: StatementLine, at place: LinePlace) {
    guard !listsEach, line.type == .kind(.usage) || line.type == .correction else {
      listed.append((place, line))
      return
    }
    let key = DayAndModel(
      day: line.day, model: line.model, isCorrection: line.type == .correction,
      usedOn: line.usedOn, member: line.member)
    if usage[key]?.add(line) == nil { usage[key] = line.ofDay }
  }

  var sumOfMembers: WorkSum {
    WorkSum((listed.map(\.line) + usage.values).filter { $0.member != nil })
  }

  /// Takes over the lines of members from others, which know their teams.
  mutating func replaceMembers(by others: DatedLines) {
    listed.removeAll { $0.line.member != nil }
    usage = usage.filter { $0.key.member == nil }
    add(others)
  }

  mutating func add(_ others: DatedLines) {
    listed += others.listed
    for (key, line) in others.usage where usage[key]?.add(line) == nil { usage[key] = line }
  }

  /// Sums each day's usage over all members, but not its corrections.
  mutating func sumMembers() {
    let parts = usage.sorted { $0.key.order < $1.key.order }
    usage = [:]
    for (key, part) in parts {
      var (key, part) = (key, part)
      if !key.isCorrection { (key.member, part.member) = (nil, nil) }
      if usage[key]?.add(part) == nil { usage[key] = part }
    }
  }

  /// All lines, the oldest first; a day's usage comes last, but before charges given back.
  func lines(isNewestFirst: Bool) -> [StatementLine] {
    let single = listed.sorted { left, right in
      if left.place.time != right.place.time { return left.place.time < right.place.time }
      let (left, right) = (left.place.number, right.place.number)
      return isNewestFirst ? left > right : left < right
    }.map(\.line)
    let daily = usage.sorted { $0.key.order < $1.key.order }.map(\.value)
    var merged: [StatementLine] = []
    var next = 0
    for line in single {
      while next < daily.count,
        daily[next].day < line.day || line.type == .refundOfCharge && daily[next].day == line.day
      {
        merged.append(daily[next])
        next += 1
      }
      merged.append(line)
    }
    return merged + daily[next...]
  }
}

struct Member: Hashable {
  /// Its parent; nil if that is the account of the line, or unknown.
  var team: String?
  let name: String
}

extension String {
  /// The same without the mark of a note at its beginning: `; 20 waived`.
  var withoutFirstMark: String { hasPrefix("; ") ? String(dropFirst(2)) : self }

  /// A parent's name for people. An account that was removed has an empty one.
  var teamName: String { isEmpty ? "a removed account" : self }
}

struct LinePlace {
  let time: Timestamp
  let number: Int
}

/// The parts of other accounts in an account's use.
struct OtherPayers {
  /// By account.
  private var sums: [(account: String, paid: Int128, back: Int128)] = []

  init() {}

  /// - Parameter name: for all of them; nil for their own names.
  init(of line: ReportLine, as name: String? = nil) {
    guard line.isOfWork, !line.isShare else { return }
    for (account, sum) in line.otherPayers { add(name ?? account, max(0, 0 - sum), max(0, sum)) }
  }

  mutating func add(_ other: OtherPayers) {
    for (account, paid, back) in other.sums { add(account, paid, back) }
  }

  private mutating func add(_ account: String, _ paid: Int128, _ back: Int128) {
    let place = sums.firstIndex { $0.account == account } ?? sums.count
    if place == sums.count { sums.append((account, 0, 0)) }
    sums[place].paid += paid
    sums[place].back += back
  }

  /// `; acme paid 300`, to follow the model; empty if no other paid.
  var text: String { phrases.map { "; " + $0 }.joined() }

  /// `acme paid 300`, or `acme paid 300 and got 20 back`, for each account.
  var phrases: [String] {
    sums.sorted { Name(trusted: $0.account) < Name(trusted: $1.account) }.map { sum in
      let paid = sum.paid == 0 ? nil : "paid \(sum.paid.separated)"
      let back = sum.back == 0 ? nil : "got \(sum.back.separated) back"
      return "\(sum.account) " + [paid, back].compactMap(\.self).joined(separator: " and ")
    }
  }
}

/// The type of a statement's line: that of the history, a charge's correction or refund, or the
/// reversal of a refund.
enum StatementType: Hashable {
  case kind(HistoryLine.Kind)
  case correction, refundOfCharge, reversal

  init(_ line: ReportLine) {
    self =
      line.isCorrection
      ? .correction
      : line.isReversal ? .reversal : line.isOfCharge ? .refundOfCharge : .kind(line.kind)
  }

  /// In the order of sums.
  static var all: [StatementType] {
    HistoryLine.Kind.allCases.flatMap { kind -> [StatementType] in
      switch kind {
      case .usage: [.kind(kind), .correction]
      case .refund: [.refundOfCharge, .kind(kind), .reversal]
      default: [.kind(kind)]
      }
    }
  }

  /// The word of a row.
  var word: String {
    switch self {
    case .kind(let kind): kind.rawValue
    case .correction: "correction"
    case .refundOfCharge: HistoryLine.Kind.refund.rawValue
    case .reversal: "reversal"
    }
  }

  var title: String {
    self == .kind(.starter) ? "Starter credits" : word.prefix(1).uppercased() + word.dropFirst()
  }

  /// The title of a sum: refunds of charges and of purchases have opposite signs.
  var sumTitle: String {
    switch self {
    case .refundOfCharge: "Refunds of charges"
    case .kind(.refund): "Refunds of purchases"
    default: title
    }
  }
}

extension ReportLine {
  /// The other accounts of a charge, for people: `acme paid 300`, or `for ana` in a payer's line.
  public var otherAccounts: String {
    let waived = value.int64("creditsWaived").map { ["\($0) waived"] } ?? []
    return text("member").map { "for \($0)" }
      ?? (OtherPayers(of: self).phrases + waived).joined(separator: ", ")
  }

  var isCorrection: Bool { kind == .usage && CorrectionReference(id: id) != nil }

  /// The day of the work, or of the charge that it corrects or gives back; nil if it is the line's.
  func workDay(in period: ReportPeriod) -> CalendarDay? {
    guard isOfWork, let time = usedAt ?? value.timestamp("chargedAt") else { return nil }
    let day = period.day(of: time)
    return day == period.day(of: self) ? nil : day
  }
}

extension CalendarDay {
  /// `; charged 2026-10-01`, or the same with `used`.
  func note(isOfCharge: Bool) -> String { "; \(isOfCharge ? "charged" : "used") \(text)" }
}
