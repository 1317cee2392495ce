public import CreditModel

/// The sums of a comparison's lines. The causes sum to the difference.
public struct Totals {
  /// The first day, and the first one after.
  let days: Range<Int64>
  public let since: Timestamp
  public let until: Timestamp
  let tolerance: Tolerance
  /// The places of its result's amounts.
  var places = ShownPlaces()
  /// Sums of the lines whose dollars are compared. Nil if there are no such lines.
  public private(set) var billUSD: ExactDecimal?
  public private(set) var booksUSD: ExactDecimal?
  public private(set) var differenceUSD: ExactDecimal?
  /// The books' dollars of lines without dollars in the bill.
  private(set) var uncomparedUSD: ExactDecimal?
  private(set) var causes: [Cause: ExactDecimal] = [:]
  private(set) var lineCounts: [Cause: Int64] = [:]
  private(set) var models: Set<String> = []
  private(set) var dayNumbers: Set<Int64> = []
  var movedCount: Int64 = 0
  /// The books' calls of other days, and those beyond an end that was not asked for.
  var (outside, unasked) = (OutsideCalls(), OutsideCalls())
  /// The flags of the ends that were not asked for.
  var missingFlags: [String] = []
  var repeatedCount: Int64 = 0
  /// Number of corrections without their charges.
  var leftOutCount: Int64 = 0
  /// Number of calls without dollars and counts, and without a line of the bill.
  var uncomparedCount: Int64 = 0
  /// Number of calls without dollars and counts that the bill lacks: they differ by no amount.
  private var missingCount: Int64 = 0

  init(days: Range<Int64>, since: Timestamp, until: Timestamp, _ tolerance: Tolerance) {
    (self.days, self.since, self.until, self.tolerance) = (days, since, until, tolerance)
  }

  mutating func add(_ finding: Finding) throws(CreditError) {
    lineCounts[finding.cause, default: 0] += 1
    if finding.cause.isDifference { missingCount += finding.line.books.unlistedCount }
    if let day = finding.line.day { dayNumbers.insert(day.number) }
    if case .model(let id) = finding.subject { models.insert(id) }
    guard let difference = finding.differenceUSD else {
      if finding.line.currency == nil { try uncomparedUSD.add(finding.booksUSD) }
      return
    }
    try billUSD.add(finding.billUSD ?? .zero)
    try booksUSD.add(finding.booksUSD ?? .zero)
    try differenceUSD.add(difference)
    try causes[finding.cause].add(difference)
  }

  public var lineCount: Int64 { lineCounts.values.reduce(0, +) }

  public var differingCount: Int64 {
    lineCounts.reduce(0) { $0 + ($1.key.isDifference ? $1.value : 0) }
  }

  public var isOK: Bool { differingCount == 0 }

  /// The difference in hundredths of the bill: `3.37`.
  public var percent: ExactDecimal? { billUSD.flatMap { differenceUSD?.percent(of: $0) } }

  public var sentence: String {
    let lines =
      "\(differingCount) of \(lineCount.counted("line")) "
      + (differingCount == 1 ? "differs" : "differ")
    guard let difference = differenceUSD else { return lines + missingCalls }
    if difference.isZero {
      return lines + ": the bill and the books sum to the same" + missingCalls
    }
    let side = difference.coefficient > 0 ? "above" : "below"
    let share = percent.map { " (\($0.size.fullText) %)" } ?? ""
    return lines + ": the bill is \(places.plain(difference.size)) USD \(side) the books" + share
      + missingCalls
  }

  /// The end of the sentence about calls that differ by no amount; may be empty.
  private var missingCalls: String {
    if missingCount == 0 { return "" }
    let calls = missingCount.counted("call")
    return "; the bill lacks \(calls) of the books without dollars and counts"
  }

  /// Sentences about lines of the history that were left out or not compared.
  public var remarks: [String] {
    let calls = uncomparedCount == 1 ? "1 call has" : "\(uncomparedCount) calls have"
    let corrections =
      "corrections of charges that the history lacks are left out (\(leftOutCount)): give the "
      + "whole history to compare them"
    return [
      leftOutCount == 0 ? nil : corrections,
      uncomparedCount == 0
        ? nil : calls + " neither dollars nor counts, and no line of the bill: not compared",
      remarkOnOutside,
    ].compactMap(\.self)
  }

  /// Names the part of the books that a bill's own period leaves out; nil without any.
  var remarkOnOutside: String? {
    unaskedText.map {
      "\($0) of the books \(unasked.count == 1 ? "is" : "are") outside the bill's period, and not "
        + "compared: give the bill's \(missingFlags.joined(separator: " and "))"
    }
  }

  /// The same in short: `2 calls (0.50 USD)`.
  var unaskedText: String? {
    if unasked.count == 0 { return nil }
    return unasked.count.counted("call") + (unasked.usd.map { " (\(places.plain($0)) USD)" } ?? "")
  }
}

/// Why a line of the bill and the books differ, if they do.
public enum Cause: String, CaseIterable, Sendable {
  case equal
  case notInBooks = "not_in_books"
  case notInBill = "not_in_bill"
  case quantity
  case price
  case both
  /// The day is so young that the bill may still change.
  case open
  /// The bill gives money back without counts.
  case credit
  /// The bill has counts without a price: their cost is unknown.
  case unread

  public var isDifference: Bool { self != .equal && self != .open }

  /// As a table has it.
  public var words: String { rawValue.split(separator: "_").joined(separator: " ") }
}

public struct Tolerance: Sendable {
  public let text: String
  private let amount: ExactDecimal
  private let isPercent: Bool

  public static let none = Tolerance(text: "0", amount: ExactDecimal.zero, isPercent: false)
}

extension Tolerance {
  /// - Parameter text: dollars, `0.05`, or a share of the bill, `0.01%`.
  /// - Returns: nil for other texts.
  public init?(text: String) {
    let isPercent = text.utf8.last == UInt8(ascii: "%")
    let digits = String(isPercent ? text.dropLast() : text[...])
    guard let amount = digits.withUTF8Bytes({ ExactDecimal(amount: $0) }),
      amount.coefficient >= 0
    else { return nil }
    self.init(text: text, amount: amount, isPercent: isPercent)
  }

  var isZero: Bool { amount.isZero }

  func allows(_ difference: ExactDecimal, of bill: ExactDecimal) -> Bool {
    if difference.isZero { return true }
    if !isPercent { return difference.size.isAtMost(amount) }
    guard let limit = amount.times(bill.size)?.moved(right: 2) else { return false }
    return difference.size.isAtMost(limit)
  }
}
