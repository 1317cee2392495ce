internal import CreditModel

/// Lines of the history that correct a charge: `amend:ID:2`, or `amend:ID:2:old` if the model
/// changes.
///
/// Such a line has the usage from then on, and the change of its dollars. So the dollars of all of
/// a charge's lines are added up, but only the newest usage counts, on the day of the charge. The
/// history comes newest first: a correction before its charge.
struct Corrections {
  /// The most corrections that may wait for their charge.
  static let limit = 200_000

  /// The part of a charge's line that counts.
  enum Part: Equatable {
    /// Its usage and its dollars.
    case all
    /// Its dollars: a newer line has the usage.
    case money
    /// Its dollars, and its usage taken away.
    case returned
  }

  private struct Charge {
    var waiting: [BookEntry] = []
    /// The correction that came last.
    var number: Int64
    /// Whether that one gave everything back first.
    var hasReturned = false
    /// Whether it was a line that only gives back.
    var isReturn: Bool
  }

  private var charges: [String: Charge] = [:]
  private(set) var waitingCount = 0

  var isEmpty: Bool { charges.isEmpty }

  /// Returns the part of a correction that counts.
  /// - Throws: if it does not come before its charge.
  mutating func part(of reference: CorrectionReference) throws(CreditError) -> Part {
    guard var charge = charges[reference.charge] else {
      charges[reference.charge] = Charge(
        number: reference.number, hasReturned: reference.isReturn, isReturn: reference.isReturn)
      return reference.isReturn ? .returned : .all
    }
    let part: Part
    if reference.isReturn {
      guard reference.number == charge.number, !charge.isReturn else { throw Self.wrongOrder }
      part = .returned
      charge.hasReturned = true
      charge.isReturn = true
    } else {
      guard reference.number < charge.number else { throw Self.wrongOrder }
      part = charge.hasReturned ? .all : .money
      charge.number = reference.number
      charge.hasReturned = false
      charge.isReturn = false
    }
    charges[reference.charge] = charge
    return part
  }

  /// Takes a charge: the part of it that counts, and the corrections that wait for it.
  mutating func take(_ id: String) -> (part: Part, waiting: [BookEntry]) {
    guard let charge = charges[id] else { return (.all, []) }
    waitingCount -= charge.waiting.count
    charges[id]?.waiting = []
    return (charge.hasReturned ? .all : .money, charge.waiting)
  }

  /// Keeps a correction for the line of its charge, whose day counts. A return takes the call from
  /// one model to the model of the line before it.
  mutating func wait(_ entry: BookEntry, for id: String) throws(CreditError) {
    if entry.callCount < 0, let waiting = charges[id]?.waiting, let next = waiting.indices.last {
      charges[id]?.waiting[next].callCount = 1
      // The line before it goes on to yet another model.
      if waiting.contains(where: { $0.callCount < 0 }) { charges[id]?.waiting[next].key = nil }
    }
    waitingCount += 1
    guard waitingCount <= Self.limit else {
      throw CreditError(.limitExceeded, "more than \(Self.limit) corrections have no charge")
    }
    charges[id]?.waiting.append(entry)
  }

  static let wrongOrder = CreditError(
    .invalidRequest,
    "it corrects a line above it: give the history newest first, as credit-history prints it")
}

/// An entry of the books: a call, or the change by a correction.
struct BookEntry {
  var day: Int64
  let subject: Int
  var usage: Quantities
  let money: ExactDecimal?
  /// 0 for a correction: the call counts where it was charged. If the model changes, -1 and 1.
  var callCount: Int64
  /// Nil if its line has none, or if a later correction took the call to another model.
  var key: String?
  /// True if it has no dollars and no row of a bill that lists calls.
  let isUnlisted: Bool
}
