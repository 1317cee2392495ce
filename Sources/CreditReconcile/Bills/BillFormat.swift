package import CreditJSON
package import CreditModel
internal import CreditReport

/// What is said of a format in help and manual.
package struct BillDescription: Sendable {
  /// The word that chooses it.
  package let name: String
  package let summary: String
  /// Rule for which rows count, and how.
  package let rule: String
  /// Where the provider documents it.
  package let source: String
}

/// Reads the bills of one provider, a page or a row at a time.
package protocol BillFormat: AnyObject, SendableMetatype {
  static var description: BillDescription { get }

  init()

  /// Reads a value of a bill: a page, an element of a list, or a row of a table.
  /// - Throws: ``CreditError`` where anything of it cannot be read exactly.
  func read(_ value: JSONValue, into bill: Bill) throws(CreditError)
}

/// The formats there are, in the order in which a reader meets them.
package enum BillFormats {
  package static var all: [any BillFormat.Type] {
    [
      AnthropicBill.self, OpenAIBill.self, OpenRouterBill.self, LiteLLMBill.self, FocusBill.self,
    ]
  }
}

/// One row of a bill.
struct BillRow {
  /// Nil where the row does not say when it was.
  var day: Int64?
  /// The model, as the provider names it.
  var model: String?
  /// What the provider says of it.
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
  /// The one count that the amount is of, if the row says so.
  var place: Int?

  /// True for a call with the caller's own key at the provider, which bills it.
  var hasOwnKey = false
  /// The dollars that the provider takes for it; nil if the row does not say so.
  var costOfOwnKey: DecimalSum?
  /// A row of no model whose amount is shared out among the models, by how many of this they have.
  var isSharedByCount = false
}

/// Money on a bill.
struct BillAmount {
  let value: DecimalSum
  /// An ISO 4217 code in capital letters.
  let currency: String

  /// - Parameter currency: in any case.
  /// - Throws: if it is not an ISO 4217 code.
  init(_ value: DecimalSum, _ currency: String) throws(CreditError) {
    let code = String(
      decoding: currency.utf8.map { (0x61...0x7A).contains($0) ? $0 - 32 : $0 }, as: UTF8.self)
    guard Currency.isCode(code) else {
      throw CreditError(.invalidRequest, "\(quoted(currency)) is no currency of ISO 4217")
    }
    self.value = value
    self.currency = code
  }
}
