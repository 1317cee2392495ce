internal import CreditBytes
internal import CreditJSON
internal import CreditModel

/// Reads each use once: a corrected charge has a line for each correction with its whole use. The
/// last correction counts.
///
/// The lines come newest first, as the history prints them, or oldest first, as a follower writes
/// them. Only in the second order a charge is read before its correction is known, and each
/// charge's use has to be kept.
struct UsageCounter: ~Copyable {
  /// The charges whose last correction has been read.
  private var corrected = NameTable()
  private var order = LineOrder()
  /// Each charge's counts so far; empty if the newest lines come first.
  private var known = KnownUsage()

  struct Change: Equatable {
    /// The group that the line, or the one that it corrects, is counted with.
    let group: Int
    let kind: UsageKind
    /// Below 0 if a correction takes back the charge's earlier count.
    let count: Int64
  }

  /// Returns the counts that a usage line adds and takes back; empty for others.
  /// - Parameter group: the group it is counted with, a number of the caller's.
  mutating func changes(by line: ReportLine, in group: Int) -> [Change] {
    // A payer's line repeats the id of its member's, which has the usage.
    guard line.kind == .usage, line.counts, !line.isShare else { return [] }
    let used = Self.usage(of: line)
    let counted = used.map { Change(group: group, kind: $0.kind, count: $0.count) }
    guard line.source == .history else { return counted }
    order.note(line.timestamp)
    if order.isNewestFirst { known = KnownUsage() }
    let reference = CorrectionReference(id: line.id)
    if reference?.isReturn == true { return [] }
    let charge = Name(trusted: reference?.charge ?? line.id)
    let correction = reference?.number ?? 0
    guard isNews(charge, correction) else { return [] }
    if order.isNewestFirst { return counted }
    return known.replace(charge, by: used, in: group, as: correction) + counted
  }

  /// In the order of ``UsageCount``, then units.
  private static func usage(of line: ReportLine) -> [(kind: UsageKind, count: Int64)] {
    guard let usage = line.value.member("usage"), usage.isObject else { return [] }
    return UsageKind.all.compactMap { kind in
      guard let count = usage.int64(kind.member), count > 0 else { return nil }
      return (kind, count)
    }
  }

  /// Returns true if no line before had the charge or a later correction.
  private mutating func isNews(_ charge: Name, _ correction: Int64) -> Bool {
    let isFirst = correction == 0 ? corrected.number(of: charge) == nil : corrected.add(charge)
    if order.isNewestFirst { return isFirst }
    return known.correction(of: charge).map { $0 < correction } ?? true
  }
}

/// Finds by the first two lines of different times whether the newest come first.
private struct LineOrder {
  private var first: Timestamp?
  private(set) var isNewestFirst = false
  private var isKnown = false

  mutating func note(_ time: Timestamp) {
    if isKnown { return }
    guard let first else {
      self.first = time
      return
    }
    isNewestFirst = time < first
    isKnown = time != first
  }
}

/// Counts of the charges read so far, in about 100 bytes for each.
private struct KnownUsage {
  /// Index of each charge in ``words``, by the hash of its id.
  private var places: [UInt64: Int] = [:]
  /// For each charge: its correction's number, its group, the number of its kinds, and each kind
  /// with its count.
  private var words: [Int64] = []

  /// The number of the correction that was read last of a charge; 0 for the charge itself.
  func correction(of charge: Name) -> Int64? { places[Self.hash(charge)].map { words[$0] } }

  /// Notes a charge's current counts.
  /// - Returns: the changes that take back its earlier counts.
  mutating func replace(
    _ charge: Name, by used: [(kind: UsageKind, count: Int64)], in group: Int,
    as correction: Int64
  ) -> [UsageCounter.Change] {
    let hash = Self.hash(charge)
    let earlier = places[hash].map(reversal) ?? []
    places[hash] = words.count
    words += [correction, Int64(group), Int64(used.count)]
    for (kind, count) in used { words += [Int64(kind.number), count] }
    return earlier
  }

  private func reversal(at place: Int) -> [UsageCounter.Change] {
    let start = place + 3
    return stride(from: start, to: start + 2 * Int(words[place + 2]), by: 2).map {
      UsageCounter.Change(
        group: Int(words[place + 1]), kind: UsageKind(number: Int(words[$0])),
        count: -words[$0 + 1])
    }
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
  var title: String {
    var title = ""
    var last: Unicode.Scalar = " "
    for scalar in member.description.unicodeScalars {
      let isUpper = scalar.properties.isUppercase
      let isStart = isUpper || (scalar.properties.numericType != nil && !last.isDigit)
      if isStart, !title.isEmpty { title += " " }
      title += isUpper ? String(scalar).lowercased() : String(scalar)
      last = scalar
    }
    return title
  }

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

extension Unicode.Scalar {
  fileprivate var isDigit: Bool { ("0"..."9").contains(self) }
}

/// Finds the parents under which corrections and refunds of charges count: those of the charges.
///
/// Such a line has the parent of its own time, and its account may have moved since the charge. A
/// part of a sum waits for the line of its charge, as the newest lines usually come first.
struct ChargeParents<Part> {
  /// Parents of refunded charges whose lines were read before those of their refunds.
  private var known: [UInt64: Parent] = [:]
  /// Numbers of the waiting parts, by the hash of a charge that they may be of.
  private var waiting: [UInt64: [Int]] = [:]
  private var parts: [Int: Part] = [:]
  private var count = 0

  struct Parent {
    let name: String?
  }

  /// Reads a line, also one outside the period.
  /// - Returns: the parts that have waited for it, if it is a charge.
  mutating func parts(of line: ReportLine) -> [Part] {
    guard line.kind == .usage, line.isRefunded || !waiting.isEmpty, !line.isShare,
      !line.isCorrection
    else { return [] }
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
    let ids =
      CorrectionReference(id: line.id).map { [$0.charge] }
      ?? GrantTimeline.subjects(ofRefund: line.id)
    let charges = ids.map { Self.hash(of: $0, line.account) }
    for charge in charges {
      if let parent = known[charge] { return parent }
    }
    count += 1
    parts[count] = part()
    for charge in charges { waiting[charge, default: []].append(count) }
    return nil
  }

  /// Returns the parts whose charges have no line here, in the order of their lines.
  mutating func takeRest() -> [Part] {
    let rest = parts.sorted { $0.key < $1.key }.map(\.value)
    parts = [:]
    waiting = [:]
    return rest
  }

  private static func hash(of charge: String, _ account: String) -> UInt64 {
    "\(account.utf8.count):\(account)\(charge)".withUTF8Bytes(HashTable.hash)
  }
}

/// Finds out if a history has payers' lines without those of the accounts that they paid for.
struct ShareOwners {
  /// The accounts that shares were paid for.
  private var members: Set<String> = []
  /// The accounts with a line of a charge that others have paid, too.
  private var owners: Set<String> = []

  mutating func add(_ line: ReportLine) {
    if let member = line.text("member") {
      members.insert(member)
    } else if line.value.member("paidBy") != nil || line.value.member("shares") != nil {
      owners.insert(line.account)
    }
  }

  /// True if a payer's line is here without a line of its member.
  var lacksAny: Bool { !members.isSubset(of: owners) }

  /// True if payers' lines are here without any line of their members.
  var lacksAll: Bool { !members.isEmpty && members.isDisjoint(with: owners) }
}
