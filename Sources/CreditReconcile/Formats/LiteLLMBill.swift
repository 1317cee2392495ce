internal import CreditJSON
internal import CreditLogs
internal import CreditModel
internal import CreditReport

/// The spend logs of a LiteLLM proxy.
final class LiteLLMBill: BillFormat {
  static let description = BillDescription(
    name: "litellm", summary: "Rows of LiteLLM's spend logs, as JSON or CSV",
    rule: """
      A row is a call, read as `credit-usage litellm` reads it: `request_id` is the key that
      `--by key` goes by, `startTime` its time, `spend` its dollars. What failed, or came from the
      proxy's own cache, counts only if it cost something.
      """,
    source: "Written by BerriAI/litellm, `litellm/proxy/spend_tracking/spend_tracking_utils.py`.")

  func read(_ value: JSONValue, into bill: Bill) throws(CreditError) {
    guard value.isObject else { throw CreditError(.invalidRequest, "it is no row of a log") }
    let spend: LiteLLMSpend
    do throws(LogProblem) {
      spend = try LiteLLMSpend(value)
    } catch {
      throw CreditError(error.code, error.detail.isEmpty ? error.reason : error.detail)
    }
    guard try bill.isNew(spend.key, value) else { return }
    guard let usedAt = spend.usedAt else {
      throw CreditError(.invalidRequest, "startTime is no time")
    }
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
