internal import CreditJSON
internal import CreditModel

/// Reads the counts that each line adds. A correction's line has the whole new use of its charge,
/// and adds the difference, as it does of credits.
///
/// The lines come newest first, as the history prints them, or oldest first, as a follower writes
/// them. Only in the second order a charge is read before its correction is known, and each
/// charge's use has to be kept.
struct UsageCounter: ~Copyable {
  private var order = LineOrder()
  /// The line that was read last of each charge that may have another one.
  private var last = LinesOfCharges()

  struct Change: Equatable {
    /// The group of the line, or of the correction that the line is before.
    let group: Int
    let kind: UsageKind
    /// Below 0 if it is taken back.
    let count: Int64
  }

  /// Returns the counts that a usage line adds and takes back; empty for others.
  /// - Parameter group: a number of the caller's; nil for a line that does not count. It still
  ///   tells the use before a correction.
  mutating func changes(by line: ReportLine, in group: Int?) -> [Change] {
    // A payer's line repeats the id of its member's, which has the usage.
    guard line.kind == .usage, line.counts, !line.isShare else { return [] }
    let reference = CorrectionReference(id: line.id)
    let charge = Name(trusted: reference?.charge ?? line.id)
    let isOfHistory = line.source == .history
    if isOfHistory { order.note(line.timestamp) }
    let before = isOfHistory ? last.line(of: charge) : nil
    let mayHaveOthers = isOfHistory && (reference != nil || order.isNewestFirst != true)
    // Most lines outside a month: their use need not be read.
    if group == nil, before == nil, !mayHaveOthers { return [] }
    let isReturn = reference?.isReturn ?? false
    let now = LineOfCharge(
      rank: 2 * (reference?.number ?? 0) - (isReturn ? 1 : 0), group: group,
      used: Self.usage(of: line))
    let own = now.changes(isReturn ? -1 : 1, in: group)
    guard let before else {
      if mayHaveOthers { last.set(now, of: charge) }
      return own
    }
    // A line that comes again.
    if now.rank == before.rank { return [] }
    last.set(now, of: charge)
    if isReturn || before.isReturn { return own }
    return own
      + (now.rank > before.rank
        ? before.changes(-1, in: group) : now.changes(-1, in: before.group))
  }

  /// In the order of ``UsageCount``, then units.
  private static func usage(of line: ReportLine) -> [(kind: UsageKind, count: Int64)] {
    guard let usage = line.value.member("usage"), usage.isObject else { return [] }
    return UsageKind.all.compactMap { kind in
      guard let count = usage.int64(kind.member), count > 0 else { return nil }
      return (kind, count)
    }
  }
}

/// Finds whether the newest lines come first, by the newest of those with another time than the
/// first one.
struct LineOrder {
  private var first: Timestamp?
  /// Nil while all lines have one time.
  private(set) var isNewestFirst: Bool?

  mutating func note(_ time: Timestamp) {
    if let first, time != first { isNewestFirst = time < first }
    first = first ?? time
  }
}

private struct LineOfCharge {
  /// 0 for the charge itself; later lines have higher ones, that of a return an odd one.
  let rank: Int64
  let group: Int?
  let used: [(kind: UsageKind, count: Int64)]

  /// Whether it gives the whole use back: a correction for another model follows.
  var isReturn: Bool { rank % 2 == 1 }

  func changes(_ sign: Int64, in group: Int?) -> [UsageCounter.Change] {
    guard let group else { return [] }
    return used.map { UsageCounter.Change(group: group, kind: $0.kind, count: sign * $0.count) }
  }
}

/// A line of each charge, in about 100 bytes.
private struct LinesOfCharges {
  /// Index of each charge in ``words``, by the hash of its id.
  private var places: [UInt64: Int] = [:]
  /// For each line: its rank, its group or -1, the number of its kinds, and each kind with its
  /// count.
  private var words: [Int64] = []

  func line(of charge: Name) -> LineOfCharge? {
    guard let place = places[Self.hash(charge)] else { return nil }
    let start = place + 3
    let used = stride(from: start, to: start + 2 * Int(words[place + 2]), by: 2).map {
      (kind: UsageKind(number: Int(words[$0])), count: words[$0 + 1])
    }
    let group = Int(words[place + 1])
    return LineOfCharge(rank: words[place], group: group < 0 ? nil : group, used: used)
  }

  mutating func set(_ line: LineOfCharge, of charge: Name) {
    places[Self.hash(charge)] = words.count
    words += [line.rank, Int64(line.group ?? -1), Int64(line.used.count)]
    for (kind, count) in line.used { words += [Int64(kind.number), count] }
  }

  private static func hash(_ charge: Name) -> UInt64 { charge.text.withUTF8Bytes(HashTable.hash) }
}

struct UsageKind: Hashable {
  let number: Int

  static let all = (0...UsageCount.allCases.count).map(UsageKind.init)

  private var row: UsageCount.Row? {
    number < UsageCount.allCases.count ? UsageCount.allCases[number].row : nil
  }

  /// The member of a usage: `inputTokens`.
  var member: StaticString { row?.member ?? "units" }

  /// Its name in a table: `input tokens`.
  var title: String { member.description.asWords }

  /// The unit of one, as FOCUS names units.
  var unit: String {
    switch row?.kind {
    case .input, .output: "Tokens"
    case .calls: title.prefix(1).uppercased() + title.dropFirst()
    case nil: "Units"
    }
  }

  var isTokens: Bool { row.map { $0.kind != .calls } ?? false }
}

/// Finds the parents under which corrections and refunds of charges count: those of the charges.
///
/// Such a line has the parent of its own time, and its account may have moved since the charge. A
/// part of a sum waits for the line of its charge, as the newest lines usually come first.
struct ChargeParents<Part> {
  /// Parents of charges whose lines were read before those of their refunds and corrections.
  private var known: [UInt64: Parent] = [:]
  /// Numbers of the waiting parts, by the hash of a charge that they may be of.
  private var waiting: [UInt64: [Int]] = [:]
  private var parts: [Int: Part] = [:]
  private var count = 0
  private var order = LineOrder()
  /// Numbers of the parts whose lines have a parent.
  private var parented: Set<Int> = []
  /// Sentences about the parts whose charges have no line.
  private(set) var remarks: [String] = []

  struct Parent {
    let name: String?
  }

  /// Reads a line, also one outside the period.
  /// - Returns: the parts that have waited for it, if it is a charge.
  mutating func parts(of line: ReportLine) -> [Part] {
    guard line.isCharge, !line.isShare else { return [] }
    order.note(line.recordedAt)
    // If the newest come first, a correction comes before its charge.
    guard line.isRefunded || !waiting.isEmpty || order.isNewestFirst != true else { return [] }
    let charge = Self.hash(of: line.id, line.account)
    if let numbers = waiting.removeValue(forKey: charge) {
      return numbers.compactMap { parts.removeValue(forKey: $0) }
    }
    known[charge] = Parent(name: line.parent)
    return []
  }

  /// Returns the parent of the charge that a line corrects or refunds, if its line was read before;
  /// else keeps the part until then.
  mutating func parent(of line: ReportLine, orKeep part: @autoclosure () -> Part) -> Parent? {
    let charges = line.chargeIDs.map { Self.hash(of: $0, line.account) }
    for charge in charges {
      if let parent = known[charge] { return parent }
    }
    count += 1
    parts[count] = part()
    if line.parent != nil { parented.insert(count) }
    for charge in charges { waiting[charge, default: []].append(count) }
    return nil
  }

  /// Returns the parts whose charges have no line here, in the order of their lines.
  mutating func takeRest() -> [Part] {
    let rest = parts.sorted { $0.key < $1.key }.map(\.value)
    let count = parts.keys.count { parented.contains($0) }
    if count > 0 {
      remarks.append(
        "charges have no line here, so that corrections and refunds of them (\(count.separated)) "
          + "count under the parent of their own time")
    }
    (parts, waiting) = ([:], [:])
    return rest
  }

  private static func hash(of charge: String, _ account: String) -> UInt64 {
    "\(account.utf8.count):\(account)\(charge)".withUTF8Bytes(HashTable.hash)
  }
}

/// Usage that has credits, but no price in dollars.
struct UnpricedUse {
  private var (lines, credits): (Int64, Int128) = (0, 0)

  /// Adds a line that counts.
  /// - Parameter account: whose work or payments are shown; nil for all.
  mutating func add(_ line: ReportLine, of account: String? = nil) {
    guard line.value.member("usd")?.isNull ?? true, line.kind == .usage, !line.isShare
    else { return }
    guard account == nil || line.payers.contains(where: { $0.account == account })
    else { return }
    let credits = line.creditsOfAll
    if credits != 0 { (lines, self.credits) = (lines + 1, self.credits - credits) }
  }

  /// Returns a sentence about a sum of dollars that it is not in, if there is any.
  /// - Parameter start: the sum and the verb: `BilledCost is 0 for`.
  func remarks(_ start: String) -> [String] {
    if lines == 0 { return [] }
    let sum = "\(lines.separated) \(lines == 1 ? "line" : "lines") of usage"
    return ["\(start) \(sum) without a price in dollars: \(credits.separated) credits"]
  }
}

/// Finds out if a history has payers' lines, and those of the accounts that they paid for.
struct ShareOwners {
  /// The payers with lines, each with an account that it paid for.
  private(set) var payers: Set<[String?]> = []
  /// The accounts with a line of a charge that others have paid, too.
  private var owners: Set<String?> = []

  /// - Returns: true if the line names other payers.
  @discardableResult mutating func add(_ line: ReportLine) -> Bool {
    if let member = line.text("member") {
      payers.insert([line.account, member])
    } else if line.value.member("paidBy") != nil || line.value.member("shares") != nil {
      owners.insert(line.account)
      return true
    }
    return false
  }

  /// True if a payer's line is here without a line of its member.
  var lacksAny: Bool { !payers.allSatisfy { owners.contains($0[1]) } }

  /// True if payers' lines are here without any line of their members.
  var lacksAll: Bool { !payers.isEmpty && !payers.contains { owners.contains($0[1]) } }
}

/// Finds the parts of payers that the charged accounts' lines name, and whose own lines are absent.
struct NamedParts {
  /// A part with the values of its payer's own line.
  typealias Part = (values: [String?], sums: LineSums, day: CalendarDay)

  /// The most parts that wait for their other line.
  static let waitingLimit = 1 << 17

  /// The parts of which one line was read, with payer and member; nil for the payer's own line.
  private var waiting: [UInt64: (owners: [String?], part: Part)?] = [:]
  /// The sums of parts that have waited for too long, by payer, member and values.
  private var late: [[String?]: Part] = [:]

  /// Drops both lines of a part once they were read. In a history one is next to the other.
  /// - Parameters:
  ///   - part: nil if the line is the payer's own.
  ///   - id: the line's, which both have.
  mutating func pair(
    _ part: Part?, _ id: String, payer: String, member: String
  ) throws(CreditError) {
    let hash = [payer, member, id].reduce(0) {
      GrantTimeline.hash($1, of: Int(truncatingIfNeeded: $0))
    }
    if let other = waiting[hash], (other == nil) != (part == nil) {
      waiting[hash] = nil
      return
    }
    waiting[hash] = .some(part.map { ([payer, member], $0) })
    if waiting.count <= Self.waitingLimit { return }
    for (owners, part) in waiting.values.compactMap(\.self) {
      try late[owners + part.values, default: (part.values, LineSums(), part.day)].sums
        .add(part.sums)
    }
    waiting = [:]
    guard late.count <= SumTable.groupLimit else {
      throw CreditError(.limitExceeded, "there are more than \(SumTable.groupLimit) sums")
    }
  }

  /// The parts that count. Late ones do not if their payer has a line for their member.
  func rest(without owners: ShareOwners) -> [Part] {
    late.filter { !owners.payers.contains(Array($0.key.prefix(2))) }.map(\.value)
      + waiting.values.compactMap { $0?.part }
  }
}
