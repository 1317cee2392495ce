internal import CreditJSON
internal import CreditModel

/// Result files of OpenAI's batch interface.
final class OpenAIBatchLog: LogFormat {
  static let description = LogDescription(
    "openai", "Result files of OpenAI's batch interface", layout: .values,
    endings: [".jsonl", ".json"],
    rule: """
      A line has a request's whole response at `response.body`; its id is the key, as a `custom_id`
      is unique only within its batch (and becomes the tag `custom_id`). A response that has no id,
      as those of embeddings, goes by the line's own. The service tier is `batch`. A line with an
      `error`, or whose `status_code` is not 200, failed, and is not billed.
      """,
    source: """
      By the Batch API's reference, `platform.openai.com/docs/api-reference/batch/request-output`.
      """)

  func read(_ record: JSONValue, into collector: LogCollector) throws(LogProblem) {
    guard let response = record.member("response"), response.isObject,
      record.member("error")?.isNull != false, response.int64("status_code") ?? 200 == 200,
      let body = response.member("body")
    else { return collector.omit(.failed) }
    let use = try LoggedUsage(batched: body, id: record.nonEmpty("id"), line: record)
    try collector.add(use) { path in record.logMember(path)?.logText }
  }
}
