internal import CreditJSON
internal import CreditModel

/// A usage line of `credit-history`, as it is compared: a view, valid as long as the value it was
/// read from. Its members are found in one pass, as a history may have a million lines.
struct BookLine {
  let id: JSONValue
  private(set) var model: JSONValue?
  private(set) var key: JSONValue?
  private(set) var usage: JSONValue?
  private let time: JSONValue
  private var usd: JSONValue?
  private var costUSD: JSONValue?
  /// True if it repeats a line that was recorded earlier.
  ///
  /// A follower of the history prints a line again if its transaction was refunded since.
  private(set) var isChanged = false

  /// - Returns: nil for a line of another type, of usage that was never completed, or of a payer:
  ///   the call, its usage and its money are on its member's own line.
  /// - Throws: if the value is not a line of a history.
  init?(_ value: JSONValue) throws(CreditError) {
    var (id, type, status): (JSONValue?, JSONValue?, JSONValue?)
    var (timestamp, usedAt): (JSONValue?, JSONValue?)
    var isShare = false
    for (name, member) in value.members {
      switch name.raw.count {
      case 4: if name.utf8Equals("id") { id = member }
      case 5:
        if name.utf8Equals("key") { key = member }
        if name.utf8Equals("usd") { usd = member }
      case 6: if name.utf8Equals("type") { type = member }
      case 7:
        if name.utf8Equals("model") { model = member }
        if name.utf8Equals("usage") { usage = member }
      case 8:
        if name.utf8Equals("status") { status = member }
        if name.utf8Equals("usedAt") { usedAt = member }
        if name.utf8Equals("member") { isShare = true }
      case 9:
        if name.utf8Equals("costUSD") { costUSD = member }
        if name.utf8Equals("changed") { isChanged = member.bool == true }
      case 11: if name.utf8Equals("timestamp") { timestamp = member }
      default: break
      }
    }
    guard let id, id.kind == .string, let type, type.kind == .string, let timestamp else {
      throw CreditError(.invalidRequest, "it is not a transaction as credit-history prints it")
    }
    guard type.utf8Equals("usage"), !isShare else { return nil }
    if let status, !status.utf8Equals("completed"), !status.utf8Equals("refunded") { return nil }
    self.id = id
    time = usedAt ?? timestamp
  }

  /// Returns the time of the work, or else of its record.
  func usedAt() throws(CreditError) -> Timestamp {
    guard let time = time.timestamp() else {
      throw CreditError(.invalidRequest, "it has a time that is none")
    }
    return time
  }

  /// Returns the cost of the work in dollars. Nil if the line has no cost.
  func money() throws(CreditError) -> ExactDecimal? {
    guard let money = costUSD ?? usd, !money.isNull else { return nil }
    guard let number = money.amount else {
      throw CreditError(.invalidRequest, "it has dollars that are no decimal number")
    }
    return number
  }

  /// Adds its counts, or takes them away.
  func addUsage(to sums: inout Quantities, negative: Bool = false) throws(CreditError) {
    guard let usage else { return }
    for (name, value) in usage.members {
      guard let count = value.int64 else {
        if value.kind == .string { continue }
        throw CreditError(.invalidUsage, "it has a usage that cannot be read")
      }
      guard count >= 0 else { throw CreditError(.invalidUsage, "it has a count below 0") }
      if count == 0 { continue }
      guard let place = Self.place(of: name) else {
        throw CreditError(
          .invalidUsage, "it has a usage of \(quoted(name.string ?? "")), which is no count")
      }
      try sums.add(negative ? 0 - count : count, at: place)
    }
  }

  /// Returns the place of a count's sum. Providers' reports do not distinguish the two kinds of web
  /// search.
  private static func place(of name: JSONValue) -> Int? {
    if name.utf8Equals(UsageCount.webSearchPreviews.row.member) {
      return Int(UsageCount.webSearches.rawValue)
    }
    for count in UsageCount.allCases where name.utf8Equals(count.row.member) {
      return Int(count.rawValue)
    }
    return name.utf8Equals("units") ? Quantities.unitsPlace : nil
  }
}
