internal import CreditJSON
internal import CreditModel

/// A call of a model in the telemetry of a coding agent: a log record of its own kind.
///
/// Each agent names its events, and the counts in them, in its own way.
struct AgentTelemetry {
  private enum Agent: CaseIterable {
    case claude, codex, gemini

    /// The event of a call, and its name without that of the agent.
    var events: [String] {
      switch self {
      case .claude: ["claude_code.api_request", "api_request"]
      case .codex: ["codex.sse_event"]
      case .gemini: ["gemini_cli.api_response"]
      }
    }
  }

  private let agent: Agent
  private let call: OTelAttributes

  /// - Returns: nil if the record is no call in an agent's own telemetry.
  init?(_ call: OTelAttributes) {
    let body = call.item.member("body")
    let whole = body?.string ?? body?.nonEmpty("stringValue")
    let name = call.text("event.name") ?? call.item.nonEmpty("eventName") ?? whole
    guard let name, let agent = Agent.allCases.first(where: { $0.events.contains(name) }) else {
      return nil
    }
    // The short name alone may be another program's.
    if name == "api_request", whole != "claude_code.api_request",
      call.resourceText("service.name") != "claude-code"
    {
      return nil
    }
    self.agent = agent
    self.call = call
    switch agent {
    case .claude:
      if call.text("input_tokens") == nil, call.text("output_tokens") == nil { return nil }
    case .codex:
      guard call.text("event.kind") == "response.completed", call.text("input_token_count") != nil
      else { return nil }
    case .gemini: if call.text("input_token_count") == nil { return nil }
    }
  }

  /// Returns true if a record repeats the counts of an agent's events, but not all of them.
  ///
  /// Gemini CLI has each response in two records. Codex has counts in spans that name no model.
  static func repeats(_ call: OTelAttributes) -> Bool {
    call.resourceText("service.name") == "gemini-cli"
      || call.text("codex.usage.total_tokens") != nil
  }

  /// The name of the sums of tokens that agents write as metrics.
  private static let sums = [
    "claude_code.token.usage", "gemini_cli.token.usage", "codex.turn.token_usage",
    "gen_ai.client.token.usage",
  ]

  /// Whether an export has sums of tokens instead of calls.
  static func hasSums(_ export: JSONValue) -> Bool {
    let resources = export.list("resourceMetrics")
    return resources.contains { resource in
      resource.list("scopeMetrics").contains { scope in
        scope.list("metrics").contains { metric in
          metric.string("name").map(sums.contains) ?? false
        }
      }
    }
  }

  // MARK: The call

  func use() throws(LogProblem) -> LoggedUsage {
    LoggedUsage(
      key: try key(), model: call.text("model"), usage: try usage(),
      usedAt: call.time
        ?? call.text("event.timestamp").flatMap { text in
          text.withUTF8Bytes { Timestamp.parse($0) }
        },
      reportedUSD: agent == .claude ? call.cost("cost_usd") : nil,
      tags: LogTags(project: call.resourceText("service.name"), session: session))
  }

  private var session: String? {
    call.text(agent == .codex ? "conversation.id" : "session.id")
  }

  /// The provider's id of the request; else the session and the time, and a number that two events
  /// of one moment do not share.
  private func key() throws(LogProblem) -> String {
    if let id = call.text("request_id") { return id }
    guard let session,
      let time = call.text("event.timestamp") ?? call.time.map({ "\($0.milliseconds)" })
    else { throw .noID }
    let number =
      switch agent {
      case .claude: call.text("event.sequence") ?? call.text("duration_ms")
      case .codex: call.text("tool_token_count")
      case .gemini: call.text("duration_ms")
      }
    return "\(session):\(time)\(number.map { ":\($0)" } ?? "")"
  }

  private func usage() throws(LogProblem) -> LoggedCounts {
    switch agent {
    case .claude:
      // The counts are apart from one another.
      var text = UsageText()
      text.count("input_tokens", try call.count(["input_tokens"]) ?? 0)
      text.count("output_tokens", try call.count(["output_tokens"]) ?? 0)
      text.count("cache_read_input_tokens", try call.count(["cache_read_tokens"]))
      text.count("cache_creation_input_tokens", try call.count(["cache_creation_tokens"]))
      if let speed = call.text("speed"), speed != "normal" { text.text("speed", speed) }
      return try text.usage()
    case .codex:
      // Cached tokens are within the input, reasoning within the output.
      var text = UsageText()
      text.count("prompt_tokens", try call.count(["input_token_count"]) ?? 0)
      text.count("completion_tokens", try call.count(["output_token_count"]) ?? 0)
      text.object(
        "prompt_tokens_details",
        [
          ("cached_tokens", try call.count(["cached_token_count"])),
          ("cache_write_tokens", try call.count(["cache_write_token_count"])),
        ])
      var usage = try text.usage()
      usage.tokens[.serviceTier] = call.text("service_tier").flatMap(UsageReading.tier(named:))
      return usage
    case .gemini:
      // The counts are those of the Gemini API.
      var text = UsageText(member: "usageMetadata")
      text.count("promptTokenCount", try call.count(["input_token_count"]) ?? 0)
      text.count("candidatesTokenCount", try call.count(["output_token_count"]) ?? 0)
      text.count("cachedContentTokenCount", try call.count(["cached_content_token_count"]))
      text.count("thoughtsTokenCount", try call.count(["thoughts_token_count"]))
      text.count("toolUsePromptTokenCount", try call.count(["tool_token_count"]))
      return try text.usage()
    }
  }
}
