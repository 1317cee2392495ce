internal import CreditJSON
internal import CreditLogs
public import CreditModel

/// A format's description for help. `man/src/bills.txt` has the rule for its rows.
public struct BillDescription: Sendable {
  /// The word that chooses it.
  public let name: String
  /// The provider's name, or the format's, for people.
  let title: String
  public let summary: String
  /// False if its files are JSON alone.
  var readsTables = true

  /// The end of a message on other JSON, or on none.
  var advice: String {
    "\(name) reads JSON: \(summary.prefix(1).lowercased())\(summary.dropFirst())"
  }
}

/// Reads the bills of one provider, a page or a row at a time.
public protocol BillFormat: AnyObject, SendableMetatype {
  static var description: BillDescription { get }

  init()

  /// Reads a value of a bill: a page, an element of a list, or a row of a table.
  /// - Throws: ``CreditError`` if any of it cannot be read exactly.
  func read(_ value: JSONValue, into bill: Bill) throws(CreditError)
}

/// The formats there are, in the order in which a reader meets them.
public enum BillFormats {
  public static var all: [any BillFormat.Type] {
    [
      AnthropicBill.self, OpenAIBill.self, OpenRouterBill.self, LiteLLMBill.self, FocusBill.self,
    ]
  }
}

struct BillRow {
  /// Nil if the row has no day.
  var day: Int64?
  /// The model, as the provider names it.
  var model: String?
  var description: String?
  /// The id of the call, in bills that have a row for each.
  var key: String?
  /// Nil if the row has none.
  var usage: Quantities?
  var detail = CountDetail.full
  /// Quantities that are not our counts, under the bill's names.
  var unread: [(name: String, count: Int64)] = []
  /// The calls of tools that the bill counts at all, by their places.
  var callPlaces: [Int] = []
  /// Whether one of them may be a count that the books have.
  var isUsagePartial = false
  /// Nil if the row has none.
  var amount: BillAmount?
  /// The single count of the amount, if the row names it.
  var place: Int?

  /// True for a call with the caller's own key at the provider, which bills it.
  var hasOwnKey = false
  /// The provider's dollars for it, if the row has them.
  var costOfOwnKey: ExactDecimal?
  /// True for a row without a model whose amount is divided among the models by this count.
  var isSharedByCount = false
}

struct BillAmount {
  let value: ExactDecimal
  /// An ISO 4217 code in capital letters.
  let currency: String

  /// - Parameter currency: in any case.
  /// - Throws: if it is not an ISO 4217 code.
  init(_ value: ExactDecimal, _ currency: String) throws(CreditError) {
    let code = String(
      decoding: currency.utf8.map { (0x61...0x7A).contains($0) ? $0 - 32 : $0 }, as: UTF8.self)
    guard Currency.isCode(code) else {
      throw .invalidRequest("\(quoted(currency)) is not a currency of ISO 4217")
    }
    self.value = value
    self.currency = code
  }
}

/// Exact readings of a bill's members. A cell of a table is text, and an empty one is absent.
extension JSONValue {
  /// A member that is there; nil for one that is absent, null, or empty text.
  func billMember(_ name: StaticString) -> JSONValue? {
    guard let value = member(name), !value.isNull else { return nil }
    return value.kind == .string && value.raw.count == 2 ? nil : value
  }

  /// Returns a count; nil if it is absent.
  /// - Throws: if it is not a whole number from 0 on that fits in 64 bits.
  func billCount(_ name: StaticString) throws(CreditError) -> Int64? {
    guard let value = billMember(name) else { return nil }
    let count = value.int64 ?? value.string.flatMap(Self.digits)
    guard let count, count >= 0 else {
      throw value.mistake("\(name) is not a count", .invalidUsage)
    }
    return count
  }

  func billCounts(
    _ counts: [(name: StaticString, count: UsageCount)]
  ) throws(CreditError) -> Quantities {
    var usage = Quantities()
    for (name, count) in counts { try usage.add(try billCount(name) ?? 0, count) }
    return usage
  }

  /// The error of a value that cannot be read, which ends the message.
  func mistake(_ message: String, _ code: CreditError.Code = .invalidRequest) -> CreditError {
    let text = string.map(quoted) ?? plainOrQuoted(String(decoding: raw, as: UTF8.self))
    return CreditError(code, "\(message): \(text)")
  }

  private static func digits(_ text: String) -> Int64? {
    text.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int64(text) : nil
  }

  /// Returns a decimal number of any sign, with all its digits. Nil if it is absent.
  /// - Throws: if it is not a decimal number.
  func billDecimal(_ name: StaticString) throws(CreditError) -> ExactDecimal? {
    guard let value = billMember(name) else { return nil }
    guard let number = value.amount else { throw value.mistake("\(name) is not a decimal number") }
    return number
  }

  /// Returns the text of the first of some members that is present. Nil if all are absent.
  /// - Throws: if that member is not text.
  func billText(_ names: StaticString...) throws(CreditError) -> String? {
    for name in names {
      guard let value = billMember(name) else { continue }
      guard let text = value.string else { throw .invalidRequest("\(name) is not text") }
      return text
    }
    return nil
  }

  /// - Throws: if it is absent or not a time.
  func billTime(_ name: StaticString) throws(CreditError) -> Timestamp {
    guard let value = billMember(name) else { throw .invalidRequest("it has no \(name)") }
    guard let time = LogTime.of(value) else { throw value.mistake("\(name) is not a time") }
    return time
  }

  /// Returns an object; nil if it is absent.
  /// - Throws: if it is not an object.
  func billObject(_ name: StaticString) throws(CreditError) -> JSONValue? {
    guard let value = billMember(name) else { return nil }
    guard value.isObject else { throw .invalidRequest("\(name) is not an object") }
    return value
  }
}

final class LiteLLMBill: BillFormat {
  static let description = BillDescription(
    name: "litellm", title: "LiteLLM", summary: "Rows of LiteLLM's spend logs, as JSON or CSV")

  func read(_ value: JSONValue, into bill: Bill) throws(CreditError) {
    guard value.isObject else { throw .invalidRequest("it is not a row of a log") }
    let spend: LiteLLMSpend
    do throws(LogProblem) {
      spend = try LiteLLMSpend(value)
    } catch {
      throw CreditError(error.code, error.detail.isEmpty ? error.reason : error.detail)
    }
    guard try bill.isNew(spend.key, value) else { return }
    guard let usedAt = spend.usedAt else { throw .invalidRequest("startTime is not a time") }
    var row = BillRow(day: bill.period.day(of: usedAt), model: spend.model)
    row.key = spend.key
    let name: StaticString = value.billMember("spend") == nil ? "response_cost" : "spend"
    if let dollars = try value.billDecimal(name) { row.amount = try BillAmount(dollars, "USD") }
    if !spend.isBilled {
      if row.amount?.value.isZero ?? true { return }
    } else {
      var usage = Quantities()
      for count in UsageCount.allCases where spend.tokens[count] != 0 {
        try usage.add(spend.tokens[count], count)
      }
      row.usage = usage
      row.callPlaces = usage.places.filter(Quantities.isOfCalls)
    }
    row.unread = spend.unread.map { ($0, 1) }
    try bill.add(row)
  }
}
