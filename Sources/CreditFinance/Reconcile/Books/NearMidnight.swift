internal import CreditModel

/// Calls of the books so close to midnight that the provider's day may differ.
///
/// Whole calls are moved, the nearest to midnight first, and only if the two days differ without it
/// and agree in their counts with it. If the second day only agrees after calls leave it at its
/// other end, these are moved likewise: all days in a row agree then, or no call is moved.
final class NearMidnight {
  /// The most calls that are kept: memory has a limit.
  static let limit = 100_000

  /// The midnight between a day and the one before it, of one subject.
  private struct Boundary: Hashable {
    let day: Int64
    let subject: Int
  }

  private final class Near {
    let entry: BookEntry
    /// Milliseconds to midnight.
    let distance: Int64
    var day: Int64

    init(_ entry: BookEntry, distance: Int64, day: Int64) {
      self.entry = entry
      self.distance = distance
      self.day = day
    }
  }

  /// Calls that change their day at a boundary.
  private struct Move {
    let boundary: Boundary
    let calls: [Near]
    /// Whether they go to the later day.
    let isForward: Bool
  }

  private let grace: Int64
  private let days: Range<Int64>
  private var before: [Boundary: [Near]] = [:]
  private var after: [Boundary: [Near]] = [:]
  private var count = 0

  init(within grace: TimeSpan, days: Range<Int64>) {
    self.grace = grace.milliseconds
    self.days = days
  }

  private static func millisecond(of local: Timestamp) -> Int64 {
    local.milliseconds - local.dayNumber * BillPeriod.dayMilliseconds
  }

  func isNear(_ local: Timestamp) -> Bool {
    let time = Self.millisecond(of: local)
    return min(time, BillPeriod.dayMilliseconds - time) <= grace
  }

  /// Adds a call, but for its key.
  /// - Returns: false if it cannot be moved; else ``settle`` notes its key.
  /// - Throws: `limit_exceeded`.
  func add(_ entry: BookEntry, at local: Timestamp) throws(CreditError) -> Bool {
    guard isNear(local), entry.callCount > 0 else { return false }
    let time = Self.millisecond(of: local)
    let isAfter = time <= BillPeriod.dayMilliseconds / 2
    let day = local.dayNumber
    let boundary = Boundary(day: day + (isAfter ? 0 : 1), subject: entry.subject)
    // Beyond the bill's own days it is unknown whether a call belongs there.
    guard days.contains(boundary.day), days.contains(boundary.day - 1) else { return false }
    count += 1
    guard count <= Self.limit else {
      throw CreditError(
        .limitExceeded, "more than \(Self.limit) calls are within --grace of midnight: shorten it")
    }
    let near = Near(
      entry, distance: isAfter ? time : BillPeriod.dayMilliseconds - time, day: day)
    if isAfter {
      after[boundary, default: []].append(near)
    } else {
      before[boundary, default: []].append(near)
    }
    return true
  }

  /// Moves calls that make days agree, and then notes the keys of all on their days.
  /// - Parameter balance: the counts of the bill less those of the books; nil if there is nothing
  ///   to compare.
  /// - Returns: the number of moved calls.
  func settle(
    _ table: LineTable, balance: (ComparedLine) throws(CreditError) -> Quantities?
  ) throws(CreditError) -> Int64 {
    var moved: Int64 = 0
    let boundaries = Set(before.keys).union(after.keys).sorted {
      ($0.subject, $0.day) < ($1.subject, $1.day)
    }
    for boundary in boundaries {
      for move in try chain(from: boundary, table, balance) {
        try apply(move, table)
        moved += Int64(move.calls.count)
      }
    }
    for boundary in boundaries {
      for call in (after[boundary] ?? []) + (before[boundary] ?? []) {
        table.find(call.day, boundary.subject)?.books.note(call.entry)
      }
    }
    return moved
  }

  /// Returns moves, from one midnight on, that make all days in a row agree.
  ///
  /// It is empty if no moves do.
  private func chain(
    from first: Boundary, _ table: LineTable,
    _ balance: (ComparedLine) throws(CreditError) -> Quantities?
  ) throws(CreditError) -> [Move] {
    guard let line = table.find(first.day - 1, first.subject), var missing = try balance(line),
      !missing.isZero
    else { return [] }
    var moves: [Move] = []
    var boundary = first
    while true {
      guard let next = table.find(boundary.day, boundary.subject),
        var nextMissing = try balance(next), !nextMissing.isZero,
        let move = try move(at: boundary, toEven: missing, next, balance)
      else { return [] }
      moves.append(move)
      // The other day lacks the counts that this one lacks less.
      try nextMissing.add(missing)
      if nextMissing.isZero { return moves }
      missing = nextMissing
      boundary = Boundary(day: boundary.day + 1, subject: boundary.subject)
    }
  }

  /// Moves the calls nearest to a midnight that make the day before it agree; nil for none.
  /// - Parameter missing: how many more counts the bill has of that day.
  private func move(
    at boundary: Boundary, toEven missing: Quantities, _ line: ComparedLine,
    _ balance: (ComparedLine) throws(CreditError) -> Quantities?
  ) throws(CreditError) -> Move? {
    for isForward in [true, false] {
      let near = (isForward ? before : after)[boundary] ?? []
      var calls: [Near] = []
      // A day lacks less when calls leave it, and more when they enter.
      var rest = missing
      for call in near.sorted(by: { $0.distance < $1.distance }) {
        calls.append(call)
        let probe = ComparedLine(day: line.day, subject: line.subject, currency: nil)
        try probe.books.add(call.entry)
        guard let counts = try balance(probe) else { return nil }
        // The balance of books alone is below 0.
        if isForward {
          try rest.subtract(counts)
        } else {
          try rest.add(counts)
        }
        if rest.isZero { return Move(boundary: boundary, calls: calls, isForward: isForward) }
      }
    }
    return nil
  }

  private func apply(_ move: Move, _ table: LineTable) throws(CreditError) {
    let (late, early) = (move.boundary.day, move.boundary.day - 1)
    guard let source = table.find(move.isForward ? early : late, move.boundary.subject),
      let target = table.find(move.isForward ? late : early, move.boundary.subject)
    else { return }
    for call in move.calls {
      try source.books.add(call.entry, times: -1)
      try target.books.add(call.entry)
      call.day = move.isForward ? late : early
    }
  }
}
