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

  enum Part: Equatable {
    /// The call, with its usage and its dollars: no newer line corrects it.
    case call
    /// Its usage, which a newer line takes away, and its dollars.
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
    var hasReturned: Bool
  }

  private var charges: [String: Charge] = [:]
  private(set) var waitingCount = 0

  var isEmpty: Bool { charges.isEmpty }

  /// Returns the part of a correction that counts.
  /// - Throws: if it does not come before its charge.
  mutating func part(of reference: CorrectionReference) throws(CreditError) -> Part {
    guard var charge = charges[reference.charge] else {
      charges[reference.charge] = Charge(number: reference.number, hasReturned: reference.isReturn)
      return reference.isReturn ? .returned : .call
    }
    let part: Part
    if reference.isReturn {
      guard reference.number == charge.number, !charge.hasReturned else { throw Self.wrongOrder }
      part = .returned
    } else {
      guard reference.number < charge.number else { throw Self.wrongOrder }
      part = charge.hasReturned ? .all : .money
      charge.number = reference.number
    }
    charge.hasReturned = reference.isReturn
    charges[reference.charge] = charge
    return part
  }

  /// Takes a charge: the part of it that counts, and the corrections that wait for it.
  mutating func take(_ id: String) -> (part: Part, waiting: [BookEntry]) {
    guard let charge = charges.removeValue(forKey: id) else { return (.call, []) }
    waitingCount -= charge.waiting.count
    return (charge.hasReturned ? .all : .money, charge.waiting)
  }

  /// Keeps a correction for the line of its charge, whose day counts.
  mutating func wait(_ entry: BookEntry, for id: String) throws(CreditError) {
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

/// An entry of the books: a call, or a line that a correction replaced.
struct BookEntry {
  let subject: Int
  var usage: Quantities
  var money: ExactDecimal?
  /// Number of the history's lines in it.
  private(set) var lineCount: Int64 = 1
  /// The key of its call; nil for a replaced line, whose call is counted with the newest one.
  let key: String?
  /// True for a call that the bill lacks, if neither dollars nor counts show it.
  let isUnlisted: Bool

  var callCount: Int64 { key == nil ? 0 : 1 }

  /// Adds a replaced line of the same call and subject.
  mutating func add(_ line: BookEntry) throws(CreditError) {
    lineCount += line.lineCount
    try usage.add(line.usage)
    try money.add(line.money)
  }
}
