internal import CreditJSON
public import CreditModel

/// Checks that an account's lines, in any order, follow one another without a gap.
///
/// Each line but the first must begin with the balance that another ended with. Sums of hashes show
/// it in little memory.
struct BalanceChain {
  private var sum = Change()
  /// Refunds of top-ups: those of a grant that has not started leave the balance as it is.
  private var refunds: [Refund] = []
  /// Times at which grants start that were recorded before.
  private var starts: [UInt64: Timestamp] = [:]

  private struct Refund {
    let time: Timestamp
    /// Hashes of the ids that it may be of.
    let subjects: [UInt64]
    let change: Change
  }

  /// The way from one balance to another.
  private struct Change {
    var hashes: UInt64 = 0
    var credits: Int128 = 0

    mutating func add(_ other: Change) {
      hashes &+= other.hashes
      credits += other.credits
    }
  }

  /// Adds a line that counts.
  mutating func add(_ line: ReportLine) {
    if line.scheduledAt != nil, let startsAt = line.value.timestamp("startsAt") {
      starts[Self.hash(of: line.id)] = startsAt
      if line.neverStarted { return }
    }
    let after = Int128(line.balance)
    let credits = Int128(line.credits)
    let change = Change(hashes: Self.hash(after) &- Self.hash(after - credits), credits: credits)
    guard line.kind == .refund, !line.isOfCharge, !line.isReversal else { return sum.add(change) }
    let subjects = GrantTimeline.subjects(ofRefund: line.id).map(Self.hash)
    refunds.append(Refund(time: line.recordedAt, subjects: subjects, change: change))
  }

  private var whole: Change {
    var whole = sum
    for refund in refunds
    where !refund.subjects.contains(where: { refund.time < starts[$0] ?? .earliest }) {
      whole.add(refund.change)
    }
    return whole
  }

  /// Returns the first of some balances up to which the lines are complete; nil without one.
  ///
  /// The balance before the first line may be any.
  func end(among balances: [Int64]) -> Int64? {
    let whole = whole
    return balances.first {
      whole.hashes == Self.hash(Int128($0)) &- Self.hash(Int128($0) - whole.credits)
    }
  }

  /// The sum of the lines; nil for 0, which those of any balance may have.
  var total: Int64? { whole.credits == 0 ? nil : Int64(exactly: whole.credits) }

  /// Returns true if the lines begin at a balance of 0, and all up to the newest are there.
  var isWhole: Bool { end(among: [Int64(clamping: whole.credits)]) != nil }

  private static func hash(of id: String) -> UInt64 { GrantTimeline.hash(id, of: 0) }

  /// SplitMix64: other balances have other hashes, which sum to the same by chance only.
  private static func hash(_ balance: Int128) -> UInt64 {
    UInt64(truncatingIfNeeded: balance).scattered
  }
}

/// The lines of each account of a report, and the accounts whose lines are not all there.
struct BalanceChains {
  private var chains: [Name: BalanceChain] = [:]

  /// Adds a line that counts.
  mutating func add(_ line: ReportLine) {
    chains[Name(trusted: line.account), default: BalanceChain()].add(line)
  }

  var incomplete: [String] { chains.filter { !$0.value.isWhole }.map(\.key.text) }
}

/// Finds lines that come twice, as in exports that overlap: all sums would count them twice.
///
/// A line is known by its account, id, time, credits and balance. Up to a number of lines all are
/// compared; of more only those with some hashes, ever fewer, so that memory has a limit: hardly an
/// overlap has none of them.
public struct RepeatedLines {
  private let limit: Int
  /// Hashes of lines, and of times at which an account's plan ended, changed or was paid for: its
  /// quota may turn several times then, all alike.
  private(set) var seen: Set<UInt64> = []
  /// The bits that are 0 in the hashes that are compared.
  private var mask: UInt64 = 0

  public init(limit: Int = 1 << 18) { self.limit = limit }

  /// - Throws: `invalid_request` if the line has been read before.
  public mutating func note(_ line: ReportLine, number: Int) throws(CreditError) {
    guard line.source == .history, !line.isChanged, line.counts || line.scheduledAt != nil
    else { return }
    while seen.count > limit {
      mask = mask << 1 | 1
      seen = seen.filter { $0 & mask == 0 }
    }
    let isTurn = line.kind == .quota || line.kind == .expiry
    if isTurn || line.kind == .subscription {
      let account = GrantTimeline.hash(line.account, of: 0)
      let time = (account ^ UInt64(bitPattern: line.recordedAt.milliseconds)).scattered
      let isCompared = time & mask == 0
      let isChange = line.kind == .subscription || line.kind == .quota && line.credits < 0
      if isCompared, isChange { seen.insert(time) }
      if isTurn, !isCompared || seen.contains(time) { return }
    }
    let hash = Self.hash(of: line)
    guard hash & mask == 0 else { return }
    guard seen.insert(hash).inserted else {
      throw .invalidRequest(
        "line \(number) repeats an earlier line, \(quoted(line.id)) of \(quoted(line.account)): "
          + "give one export, or several that do not overlap")
    }
  }

  private static func hash(of line: ReportLine) -> UInt64 {
    // The balance of a grant follows at its start.
    let balance = line.scheduledAt == nil ? line.balance : 0
    let numbers = [line.timestamp.milliseconds, line.credits, balance]
    var hash = GrantTimeline.hash(line.id, of: line.account.utf8.count)
    hash = GrantTimeline.hash(line.account, of: Int(truncatingIfNeeded: hash))
    hash ^= GrantTimeline.hash(line.kind.rawValue, of: 0)
    for number in numbers { hash = (hash ^ UInt64(bitPattern: number)).scattered }
    return hash
  }
}

extension [String] {
  /// The first names by their bytes, and the number of the others: `"ana", "bob", "eve" and 4
  /// more`.
  var quotedInShort: String {
    let names = sorted { Name(trusted: $0) < Name(trusted: $1) }.prefix(3).map { quoted($0) }
      .joined(separator: ", ")
    return count > 3 ? "\(names) and \(count - 3) more" : names
  }
}
