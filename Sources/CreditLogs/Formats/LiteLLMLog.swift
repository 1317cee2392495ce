internal import CreditJSON
public import CreditModel
internal import CreditSystem

final class LiteLLMLog: LogFormat {
  static let description = LogDescription(
    name: "litellm", summary: "Rows of LiteLLM's spend logs, as JSON or CSV",
    layout: .valuesOrTable, endings: [".jsonl", ".ndjson", ".json", ".csv"],
    signs: ["request_id", "call_type"])

  func read(_ record: JSONValue, into collector: LogCollector) throws(LogProblem) {
    try record.withObject("metadata") { (metadata) throws(LogProblem) in
      try read(record, metadata, into: collector)
    }
  }

  private func read(
    _ row: JSONValue, _ metadata: JSONValue?, into collector: LogCollector
  ) throws(LogProblem) {
    if Self.hasFailed(row, metadata) { return collector.omit(.failed) }
    if row.member("prompt_tokens") == nil {
      if UsageReading.of(row).isResponse { throw .response }
      if row.string("request_id") == nil, row.hasMember("id"), metadata == nil { throw .noRow }
    }
    if Self.isCacheHit(row) { return collector.omit(.cacheHit) }
    let use = LoggedUsage(
      key: try Self.key(of: row), model: Self.model(of: row),
      usage: try Self.usage(of: row, metadata), usedAt: LogTime.of(row.member("startTime")),
      reportedUSD: row.cost("spend") ?? row.cost("response_cost"),
      tags: LogTags(session: row.nonEmpty("session_id") ?? row.nonEmpty("trace_id")))
    try collector.add(use, of: row) { path in
      // A table has the metadata as text.
      let inner = path.utf8.starts(with: "metadata.".utf8) ? String(path.dropFirst(9)) : nil
      return inner.flatMap { metadata?.logMember($0)?.logText }
    }
  }

  /// Returns true if the request failed and was free: a stream that broke has a spend.
  fileprivate static func hasFailed(_ row: JSONValue, _ metadata: JSONValue?) -> Bool {
    let spend = row.costAboveZero("spend") ?? row.costAboveZero("response_cost")
    if let spend, spend.utf8.first != UInt8(ascii: "-") { return false }
    return [row.member("status"), metadata?.member("status")].contains {
      $0?.utf8Equals("failure") == true
    }
  }

  fileprivate static func isCacheHit(_ row: JSONValue) -> Bool {
    let hit = row.member("cache_hit")?.logText
    if hit == "True" || hit == "true" { return true }
    return (row.string("request_id") ?? "").withUTF8Bytes { $0.contains("_cache_hit") }
  }

  fileprivate static func key(of row: JSONValue) throws(LogProblem) -> String {
    guard let id = row.nonEmpty("request_id") ?? row.nonEmpty("id") else { throw .noID }
    return id
  }

  fileprivate static func model(of row: JSONValue) -> String? {
    row.nonEmpty("model") ?? row.nonEmpty("model_group")
  }

  /// The row's counts, and others from the provider's response under LiteLLM's names.
  fileprivate static func usage(
    of row: JSONValue, _ metadata: JSONValue?
  ) throws(LogProblem) -> LoggedCounts {
    var text = UsageText()
    let (input, output) = (try row.count("prompt_tokens"), try row.count("completion_tokens"))
    let total = try row.count("total_tokens")
    // A row may have its cost alone. Embeddings have no output, as their total shows.
    let hasCounts = input != nil || output != nil || total != nil
    let hasCost = row.cost("spend") != nil || row.cost("response_cost") != nil
    text.count("prompt_tokens", hasCounts || !hasCost ? input : 0)
    text.count("completion_tokens", hasCounts || !hasCost ? output : 0)
    if output == nil { text.count("total_tokens", total) }
    let others = [metadata?.member("additional_usage_values"), metadata?.member("usage_object")]
    if let others = others.first(where: { $0?.members.first { _ in true } != nil }) ?? nil {
      // These are in the row itself or sums.
      let ofRow: [StaticString] = ["prompt_tokens", "completion_tokens", "total_tokens"]
      for (name, value) in others.members
      where !value.isNull && !ofRow.contains(where: name.utf8Equals) {
        text.member(name, value)
      }
    }
    return try text.usage()
  }
}

extension JSONValue {
  /// Calls `body` with a member's object, or with nil if there is no object.
  ///
  /// The member may hold the object's text.
  fileprivate func withObject(
    _ name: StaticString, _ body: (JSONValue?) throws(LogProblem) -> Void
  ) throws(LogProblem) {
    guard let value = member(name) else { return try body(nil) }
    if value.isObject { return try body(value) }
    guard let text = value.string, let document = try? JSONDocument(text) else {
      return try body(nil)
    }
    try document.withRoot { (root) throws(LogProblem) in try body(root.isObject ? root : nil) }
  }
}

/// A row of a spend log as a bill has it.
public struct LiteLLMSpend {
  public let key: String
  public let model: String?
  public let tokens: TokenUsage
  /// The places of numbers that may be billed but are not our counts.
  public let unread: [String]
  public let usedAt: Timestamp?
  /// True if the provider was asked and answered.
  public let isBilled: Bool

  /// - Throws: the fault of the row.
  public init(_ row: JSONValue) throws(LogProblem) {
    var counts = LoggedCounts(TokenUsage(inputTokens: 0, outputTokens: 0))
    var isBilled = true
    try row.withObject("metadata") { (metadata) throws(LogProblem) in
      isBilled = !LiteLLMLog.hasFailed(row, metadata) && !LiteLLMLog.isCacheHit(row)
      if isBilled { counts = try LiteLLMLog.usage(of: row, metadata) }
    }
    key = try LiteLLMLog.key(of: row)
    model = LiteLLMLog.model(of: row)
    tokens = counts.tokens
    unread = counts.unread
    usedAt = LogTime.of(row.member("startTime"))
    self.isBilled = isBilled
  }
}
