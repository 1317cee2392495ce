import CreditLogs
import Testing

@testable import TestSupport

/// Logs at random. A seed that fails is printed.
@Suite(.slow) struct LogPropertyTests {
  /// A line of a transcript, as the oracle knows it.
  private struct Line {
    let message: Int
    let output: Int
    let isFinal: Bool
    let second: Int

    var text: String {
      let stop = isFinal ? "\"end_turn\"" : "null"
      let time = second < 10 ? "0\(second)" : "\(second)"
      return """
        {"sessionId":"s","timestamp":"2026-02-19T10:00:\(time).000Z","message":{"id":"m\(message)",\
        "model":"m","stop_reason":\(stop),"usage":{"input_tokens":1,"output_tokens":\(output)}}}
        """
    }
  }

  /// Each message gets the highest final output and the earliest time, for any order and number of
  /// lines.
  @Test(arguments: 1...40 as ClosedRange<UInt64>)
  func countsEachMessageOnce(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let lines = (0..<60).map { _ in
      Line(
        message: .random(in: 0..<12, using: &random), output: .random(in: 1..<40, using: &random),
        isFinal: .random(using: &random), second: .random(in: 0..<60, using: &random))
    }
    var expected: [String: String] = [:]
    for (message, lines) in Dictionary(grouping: lines, by: \.message) {
      guard let output = lines.filter(\.isFinal).map(\.output).max(),
        let second = lines.map(\.second).min()
      else { continue }
      expected["m\(message)"] = "\(output) \(second)"
    }
    for _ in 0..<4 {
      var files = [[Line]](repeating: [], count: 5)
      for line in lines.shuffled(using: &random) {
        for _ in 0...Int.random(in: 0..<2, using: &random) {
          files[.random(in: 0..<5, using: &random)].append(line)
        }
      }
      let texts: Texts = files.enumerated().map { number, lines in
        ("f\(number)", lines.map(\.text).joined(separator: "\n"))
      }
      var found: [String: String] = [:]
      for request in read("claude", texts, piece: .random(in: 1..<900, using: &random)).log.requests
      {
        let second = member("usedAt", of: request)?.split(separator: ":").last?.prefix(2) ?? ""
        let output = member("usage.outputTokens", of: request) ?? ""
        found[member("key", of: request) ?? ""] = "\(output) \(Int(second) ?? -1)"
      }
      #expect(found == expected, "seed \(seed)")
    }
  }

  private static let samples: [(format: String, text: String)] = [
    (
      "claude",
      """
      {"cwd":"/a","timestamp":"2026-02-19T10:00:00Z","message":{"id":"m","model":"c",\
      "usage":{"input_tokens":1,"output_tokens":2}}}
      """
    ),
    (
      "codex",
      """
      {"timestamp":"2026-02-19T10:00:00Z","type":"session_meta","payload":{"id":"c",\
      "forked_from_id":"p"}}
      {"timestamp":"2026-02-19T10:00:01Z","type":"turn_context","payload":{"model":"g"}}
      {"timestamp":"2026-02-19T10:00:05Z","type":"event_msg","payload":{"type":"token_count",\
      "info":{"last_token_usage":{"input_tokens":5,"output_tokens":1},\
      "total_token_usage":{"input_tokens":5}}}}
      {"type":"thread.started","thread_id":"t"}
      {"type":"turn.completed","model":"g","usage":{"input_tokens":2000,"output_tokens":60}}
      """
    ),
    (
      "gemini",
      """
      {"sessionId":"s","messages":[{"id":"m","type":"gemini","model":"g",\
      "tokens":{"input":9,"cached":1}}]}
      {"id":"n","type":"gemini","model":"g","timestamp":"2026-02-19T10:00:05Z",\
      "tokens":{"output":9}}
      """
    ),
    (
      "litellm",
      """
      {"request_id":"a","model":"m","prompt_tokens":1,"completion_tokens":2,\
      "startTime":1771495200.5,\
      "metadata":"{\\"additional_usage_values\\":{\\"cache_read_input_tokens\\":1}}","spend":1e-9}
      """
    ),
    (
      "litellm",
      """
      request_id,model,prompt_tokens,completion_tokens,spend,startTime,metadata
      a,m,10,20,0.5,2026-02-19 10:00:00+00,"{""status"": ""success""}"
      b,"m, n",1,2,,,
      """
    ),
    (
      "openai",
      """
      {"id":"b","response":{"status_code":200,"body":{"id":"c","model":"m",\
      "usage":{"prompt_tokens":9,"completion_tokens":1}}}}
      """
    ),
    (
      "anthropic",
      """
      {"result":{"type":"succeeded","message":{"id":"m","model":"c",\
      "usage":{"input_tokens":1,"output_tokens":2}}}}
      """
    ),
    (
      "otel",
      """
      {"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"5","spanId":"1","attributes":[\
      {"key":"gen_ai.usage.input_tokens","value":{"intValue":"1"}},\
      {"key":"gen_ai.request.model","value":{"stringValue":"m"}}]}]}]}]}
      """
    ),
    (
      "otel",
      """
      {"resourceLogs":[{"scopeLogs":[{"logRecords":[{"eventName":"codex.sse_event","attributes":[\
      {"key":"event.kind","value":{"stringValue":"response.completed"}},\
      {"key":"conversation.id","value":{"stringValue":"c"}},\
      {"key":"event.timestamp","value":{"stringValue":"2026-02-19T10:00:00Z"}},\
      {"key":"model","value":{"stringValue":"m"}},\
      {"key":"input_token_count","value":{"stringValue":"1"}}]}]}]}]}
      """
    ),
    (
      "kimi",
      """
      {"type":"llm.request","model":"k","modelAlias":"a"}
      {"type":"usage.record","model":"a","usage":{"inputOther":9,"output":1},"time":1771495200000}
      """
    ),
    (
      "cline",
      """
      {"sessionId":"s","messages":[{"id":"m","role":"assistant","modelInfo":{"id":"c"},\
      "metrics":{"inputTokens":9,"outputTokens":1,"cacheReadTokens":2}}]}
      """
    ),
    (
      "opencode",
      """
      {"id":"m","sessionID":"s","role":"assistant","model":{"id":"c"},"cost":0.1,\
      "time":{"created":1771495200000,"completed":1771495200001},\
      "tokens":{"input":9,"output":1,"cache":{"read":2}}}
      """
    ),
  ]

  /// Damage causes no trap, and only whole requests.
  @Test(arguments: 1...30 as ClosedRange<UInt64>)
  func survivesDamage(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    for (format, sample) in Self.samples {
      for _ in 0..<20 {
        var bytes = Array((sample + "\n" + sample).utf8)
        for _ in 0..<Int.random(in: 1...4, using: &random) {
          let place = Int.random(in: 0..<bytes.count, using: &random)
          switch Int.random(in: 0..<4, using: &random) {
          case 0: bytes[place] = .random(in: 0...255, using: &random)
          case 1: bytes[place] = Array(#"{}[]",:0-9\"#.utf8).randomElement(using: &random) ?? 0
          case 2: bytes.removeSubrange(place..<min(place + 9, bytes.count - 1))
          default: bytes.insert(contentsOf: bytes[place...].prefix(30), at: place)
          }
        }
        let text = String(decoding: bytes, as: UTF8.self)
        for request in read(format, [("f", text)], piece: .random(in: 1..<99, using: &random)).log
          .requests
        {
          #expect(member("account", of: request) == "me", "seed \(seed): \(text)")
        }
      }
    }
  }

  /// Another program's log is never passed over in silence.
  @Test func samplesOfOthersAreTold() {
    for (format, sample) in Self.samples {
      for other in LogFormats.all where "\(other.description.name)" != format {
        let name = "\(other.description.name)"
        let (log, tally) = read(name, [("f", sample)])
        #expect(
          !log.requests.isEmpty || !log.misfits.isEmpty || !tally.lines.isEmpty,
          "\(name) reads \(format)")
      }
    }
  }

  @Test func samplesAreWhole() {
    for (format, sample) in Self.samples {
      let (log, tally) = read(format, [("f", sample)])
      #expect(!log.requests.isEmpty && tally.lines.isEmpty, "\(format)")
    }
  }
}
