internal import CreditJSON
internal import CreditModel

/// Reads the counts that each line adds. A correction's line has the whole new use of its charge,
/// and adds the difference, as it does of credits.
///
/// The lines come in any order, so each charge's use is kept: its correction may be read later.
struct UsageCounter: ~Copyable {
  private var lines = LinesOfCharges()

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
    let isReturn = reference?.isReturn ?? false
    let now = LineOfCharge(
      rank: 2 &* (reference?.number ?? 0) &- (isReturn ? 1 : 0), group: group,
      used: Self.usage(of: line))
    let own = now.changes(isReturn ? -1 : 1, in: group)
    guard line.source == .history else { return own }
    guard let (before, after) = lines.insert(now, of: reference?.charge ?? line.id) else {
      // A line that comes again.
      return []
    }
    return own + Self.difference(-1, before, now) + Self.difference(-1, now, after)
      + Self.difference(1, before, after)
  }

  /// The use that a line's charge had before, as a change of the line's group.
  private static func difference(
    _ sign: Int64, _ before: LineOfCharge?, _ line: LineOfCharge?
  ) -> [Change] {
    guard let before, let line, !before.isReturn, !line.isReturn else { return [] }
    return before.changes(sign, in: line.group)
  }

  /// In the order of ``UsageCount``, then units.
  static func usage(of line: ReportLine) -> [(kind: UsageKind, count: Int64)] {
    guard let usage = line.value.member("usage"), usage.isObject else { return [] }
    return UsageKind.all.compactMap { kind in
      guard let count = usage.int64(kind.member), count > 0 else { return nil }
      return (kind, count)
    }
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

/// The lines of each charge, in about 50 bytes each.
private struct LinesOfCharges: ~Copyable {
  /// The place in ``bytes`` of a line of each charge, by the hash of the charge's id.
  private var places: [UInt64: Int] = [:]
  /// The same of all lines of a charge with several, in the order of their ranks.
  private var chains: [UInt64: [Int]] = [:]
  /// For each line: its rank, its group plus one or 0, a bit for each of its kinds, and their
  /// counts, each in groups of 7 bits. All but the last of a number have the eighth bit.
  private var bytes: [UInt8] = []

  private mutating func append(_ number: Int64) {
    var rest = UInt64(bitPattern: number)
    while rest > 127 {
      bytes.append(UInt8(truncatingIfNeeded: rest | 128))
      rest >>= 7
    }
    bytes.append(UInt8(truncatingIfNeeded: rest))
  }

  /// Reads a number, and goes on to the next one.
  private func number(at place: inout Int) -> Int64 {
    var (number, shift) = (UInt64(0), 0)
    repeat {
      number |= UInt64(bytes[place] & 127) << shift
      (place, shift) = (place + 1, shift + 7)
    } while bytes[place - 1] > 127
    return Int64(bitPattern: number)
  }

  private func rank(at place: Int) -> Int64 {
    var place = place
    return number(at: &place)
  }

  private func line(at place: Int) -> LineOfCharge {
    var place = place
    let (rank, group) = (number(at: &place), Int(number(at: &place)))
    let kinds = number(at: &place)
    return LineOfCharge(
      rank: rank, group: group == 0 ? nil : group - 1,
      used: UsageKind.all.filter { kinds >> Int64($0.number) & 1 == 1 }.map {
        (kind: $0, count: number(at: &place))
      })
  }

  /// Adds a line.
  /// - Returns: the lines of its charge before and after it; nil if the charge has it already.
  mutating func insert(_ line: LineOfCharge, of charge: String)
    -> (before: LineOfCharge?, after: LineOfCharge?)?
  {
    let hash = charge.withUTF8Bytes(HashTable.hash)
    let first = places[hash]
    if first == nil { places[hash] = bytes.count }
    // Taken out, so that it is changed in place.
    var chain = chains.removeValue(forKey: hash) ?? first.map { [$0] } ?? []
    var (low, next) = (0, chain.count)
    while low < next {
      let middle = (low + next) / 2
      if rank(at: chain[middle]) < line.rank { low = middle + 1 } else { next = middle }
    }
    let before = next > 0 ? chain[next - 1] : nil
    let after = next < chain.count ? chain[next] : nil
    let isNew = after.map { rank(at: $0) != line.rank } ?? true
    if isNew, first != nil { chain.insert(bytes.count, at: next) }
    if chain.count > 1 { chains[hash] = chain }
    if !isNew { return nil }
    append(line.rank)
    append(line.group.map { Int64($0) + 1 } ?? 0)
    append(line.used.reduce(0) { $0 | 1 << Int64($1.kind.number) })
    for (_, count) in line.used { append(count) }
    return (before.map { self.line(at: $0) }, after.map { self.line(at: $0) })
  }
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

  /// Returns a note on counts: `; images: 2`.
  static func note(on counts: [UsageKind: Int128]) -> String {
    counts.sorted { $0.key.number < $1.key.number }
      .map { "; \($0.key.title): \($0.value.separated)" }.joined()
  }
}

extension ReportLine {
  /// The calls and units that a charge was for, such as images; corrections show credits alone.
  var units: [UsageKind: Int128] {
    let counts = kind == .usage && !isCorrection ? UsageCounter.usage(of: self) : []
    return Dictionary(
      counts.filter { !$0.kind.isTokens }.map { ($0.kind, Int128($0.count)) },
      uniquingKeysWith: +)
  }
}

/// Finds the parents under which corrections and refunds of charges count: those of the charges.
///
/// Such a line has the parent of its own time, and its account may have moved since the charge. A
/// part of a sum waits for the line of its charge if that comes later.
struct ChargeParents<Part> {
  /// Numbers of the parents of all charges that were read: refunds of them may follow.
  private var known: [UInt64: Int32] = [:]
  private var names: [String?] = []
  private var numbers: [String?: Int32] = [:]
  /// Numbers of the waiting parts, by the hash of a charge that they may be of.
  private var waiting: [UInt64: [Int]] = [:]
  private var parts: [Int: Part] = [:]
  private var count = 0
  /// Numbers of the parts whose lines have a parent.
  private var parented: Set<Int> = []
  private(set) var remarks: [String] = []

  struct Parent {
    let name: String?
  }

  /// Reads a line, also one outside the period.
  /// - Returns: the parts that have waited for it, if it is a charge.
  mutating func parts(of line: ReportLine) -> [Part] {
    guard line.isCharge, !line.isShare else { return [] }
    let (charge, parent) = (Self.hash(of: line.id, line.account), line.parent)
    let number = numbers[parent] ?? Int32(clamping: names.count)
    if number == names.count {
      names.append(parent)
      numbers[parent] = number
    }
    known[charge] = number
    if waiting.isEmpty { return [] }
    return waiting.removeValue(forKey: charge)?.compactMap { parts.removeValue(forKey: $0) } ?? []
  }

  /// Returns the parent of the charge that a line corrects or refunds, if its line was read before;
  /// else keeps the part until then.
  mutating func parent(of line: ReportLine, orKeep part: @autoclosure () -> Part) -> Parent? {
    let charges = line.chargeIDs.map { Self.hash(of: $0, line.account) }
    for charge in charges {
      if let number = known[charge] { return Parent(name: names[Int(number)]) }
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
        "charges have no line here, so their corrections and refunds (\(count.separated)) "
          + "count under the parent that these name")
    }
    (parts, waiting) = ([:], [:])
    return rest
  }

  private static func hash(of charge: String, _ account: String) -> UInt64 {
    GrantTimeline.hash(charge, of: Int(truncatingIfNeeded: GrantTimeline.hash(account, of: 0)))
  }
}

/// Usage that has credits, but no price in dollars.
struct UnpricedUse {
  private var (lines, credits): (Int64, Int128) = (0, 0)

  /// Adds a line that counts.
  /// - Parameter account: whose work or payments are shown; nil for all.
  mutating func add(_ line: ReportLine, of account: String? = nil) {
    guard line.value.member("usd")?.isNull ?? true, line.kind == .usage, !line.isShare,
      account == nil || line.payers.contains(where: { $0.account == account })
    else { return }
    add(line.creditsOfAll)
  }

  /// - Parameter credits: below 0 if they were charged.
  mutating func add(_ credits: Int128) {
    if credits != 0 { (lines, self.credits) = (lines + 1, self.credits - credits) }
  }

  /// Returns a sentence about a sum of dollars that it is not in, if there is any.
  /// - Parameter effect: on the sum: `BilledCost is 0`.
  func remarks(_ effect: String, of kind: String = "usage") -> [String] {
    if lines == 0 { return [] }
    let use = "\(lines.separated) \(kind) \(lines == 1 ? "line" : "lines")"
    let lack = "(\(credits.separated) credits) \(lines == 1 ? "has" : "have") no price in dollars"
    return ["\(use) \(lack): \(effect)"]
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
