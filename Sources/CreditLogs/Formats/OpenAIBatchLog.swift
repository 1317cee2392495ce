internal import CreditJSON

/// Result files of OpenAI's batch interface.
final class OpenAIBatchLog: LogFormat {
  static let description = LogDescription(
    "openai", "Result files of OpenAI's batch interface", layout: .values,
    endings: [".jsonl", ".json"],
    rule: """
      A line has a request's whole response at `response.body`; its id is the key, as a `custom_id`
      is unique only within its batch (and becomes the tag `custom_id`). A response that has no id,
      as those of embeddings, goes by the line's own. The service tier is `batch`. A line with an
      `error`, or whose `status_code` is not 2xx, failed, and is not billed.
      """,
    source: """
      By the Batch API's reference, `platform.openai.com/docs/api-reference/batch/request-output`.
      """)

  func read(_ record: JSONValue, into collector: LogCollector) throws(LogProblem) {
    try BatchLog.read(record, "response", into: collector)
  }
}
