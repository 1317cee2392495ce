internal import CreditJSON

/// Result files of Anthropic's Message Batches.
final class AnthropicBatchLog: LogFormat {
  static let description = LogDescription(
    "anthropic", "Result files of Anthropic's Message Batches", layout: .values,
    endings: [".jsonl", ".json"],
    rule: """
      A line has a request's whole message at `result.message`; its id is the key, as a `custom_id`
      is unique only within its batch (and becomes the tag `custom_id`). The service tier is
      `batch`. Results of another `type` than `succeeded` are not billed. A message does not say
      when it was made.
      """,
    source: """
      By the documentation of Message Batches,
      `docs.claude.com/en/docs/build-with-claude/batch-processing`.
      """)

  func read(_ record: JSONValue, into collector: LogCollector) throws(LogProblem) {
    try BatchLog.read(record, "result", into: collector)
  }
}
