internal import CreditJSON
internal import CreditModel

final class OpenTelemetryLog: LogFormat {
  static let description = LogDescription(
    name: "otel", summary: "OpenTelemetry of model calls, and of coding agents", layout: .values,
    endings: [".jsonl", ".ndjson", ".json"],
    signs: ["resourceSpans", "resourceLogs", "resourceMetrics", "traceId"])

  var mark: LogMark? { LogMark() }

  func read(_ record: JSONValue, into collector: LogCollector) throws(LogProblem) {
    var isExport = false
    for path in Self.exports {
      guard let resources = record.member(path.resources) else { continue }
      isExport = true
      for resource in resources.elements {
        try read(resource, path, into: collector)
      }
    }
    if AgentTelemetry.hasSums(record) { collector.omit(.aggregate) }
    if !isExport { try read(call: OTelAttributes(record, resource: record), into: collector) }
  }

  /// Members of an export request that hold its spans and log records.
  ///
  /// They are named as in Protocol Buffers' JSON, and as others write them.
  private static let exports:
    [(resources: StaticString, scopes: [StaticString], items: [StaticString])] = [
      ("resourceSpans", ["scopeSpans", "instrumentationLibrarySpans"], ["spans"]),
      ("resource_spans", ["scope_spans"], ["spans"]),
      ("resourceLogs", ["scopeLogs"], ["logRecords"]),
      ("resource_logs", ["scope_logs"], ["log_records"]),
    ]

  /// One damaged call takes no other of the request with it.
  private func read(
    _ resource: JSONValue,
    _ path: (resources: StaticString, scopes: [StaticString], items: [StaticString]),
    into collector: LogCollector
  ) throws(LogProblem) {
    var problem: LogProblem?
    for scope in path.scopes.compactMap({ resource.member($0) }).flatMap({ Array($0.elements) }) {
      for item in path.items.compactMap({ scope.member($0) }).flatMap({ Array($0.elements) }) {
        do throws(LogProblem) {
          try read(call: OTelAttributes(item, resource: resource), into: collector)
        } catch {
          problem = problem ?? error
        }
      }
    }
    if let problem { throw problem }
  }

  private func read(call: OTelAttributes, into collector: LogCollector) throws(LogProblem) {
    let member = { (path: String) in call.text(path) ?? call.resourceText(path) }
    if let event = AgentTelemetry(call) {
      return try collector.add(event.use(), of: call.item, member: member)
    }
    guard call.hasUsage else { return }
    if AgentTelemetry.repeats(call) { return collector.omit(.aggregate) }
    // The counts of these operations are those of the calls within them.
    let sums = ["invoke_agent", "create_agent", "invoke_workflow", "execute_tool"]
    if let operation = call.text("gen_ai.operation.name"), sums.contains(operation) {
      return collector.omit(.aggregate)
    }
    guard let key = call.text("gen_ai.response.id") ?? call.spanKey else { throw .noID }
    let use = LoggedUsage(
      key: key, model: call.text("gen_ai.response.model") ?? call.text("gen_ai.request.model"),
      usage: try call.usage(), usedAt: call.time,
      tags: LogTags(
        project: call.resourceText("service.name"), session: call.text("gen_ai.conversation.id")))
    try collector.add(use, of: call.item, member: member)
  }
}

/// A span or a log record with its attributes: an array of keys and values in OTLP's JSON, an
/// object if a program prints its own spans.
struct OTelAttributes {
  let item: JSONValue
  private let attributes: JSONValue?
  private let resource: JSONValue?

  init(_ item: JSONValue, resource: JSONValue) {
    self.item = item
    attributes = item.member("attributes")
    self.resource = resource.member("resource")?.member("attributes")
  }

  func text(_ name: String) -> String? { Self.text(name, in: attributes) }

  func resourceText(_ name: String) -> String? { Self.text(name, in: resource) }

  /// Returns a cost in dollars from an attribute, digit by digit; nil for 0.
  func cost(_ name: String) -> String? {
    guard let text = text(name), text.utf8.count <= 64, let cost = ExactDecimal(text: text),
      cost != .zero
    else { return nil }
    return text
  }

  private static func text(_ name: String, in attributes: JSONValue?) -> String? {
    value(name, in: attributes)?.logText.flatMap { $0.isEmpty ? nil : $0 }
  }

  private static func value(_ name: String, in attributes: JSONValue?) -> JSONValue? {
    guard let attributes else { return nil }
    if attributes.isObject { return name.withUTF8Bytes { attributes.member(utf8: $0) } }
    for attribute in attributes.elements {
      let isFound = name.withUTF8Bytes { attribute.member("key")?.utf8Equals($0) ?? false }
      guard isFound, let value = attribute.member("value") else { continue }
      // One member, whose name is the value's type.
      return value.members.first { _ in true }?.value
    }
    return nil
  }

  /// The trace's id and the span's.
  var spanKey: String? {
    let context = item.member("context")
    guard
      let trace = item.nonEmpty("traceId") ?? item.nonEmpty("trace_id")
        ?? context?.nonEmpty("trace_id"),
      let span = item.nonEmpty("spanId") ?? item.nonEmpty("span_id")
        ?? context?.nonEmpty("span_id")
    else { return nil }
    return "\(trace):\(span)"
  }

  var time: Timestamp? {
    let names: [StaticString] = [
      "startTimeUnixNano", "start_time_unix_nano", "start_time", "timeUnixNano", "time_unix_nano",
      "observedTimeUnixNano",
    ]
    return names.lazy.compactMap { LogTime.of(item.member($0)) }.first
  }

  // MARK: Counts

  var hasUsage: Bool {
    Self.input.contains { Self.value($0, in: attributes) != nil }
      || Self.output.contains { Self.value($0, in: attributes) != nil }
  }

  // The conventions' names, newest first, and those that instrumentations wrote before.
  private static let input = ["gen_ai.usage.input_tokens", "gen_ai.usage.prompt_tokens"]
  private static let output = ["gen_ai.usage.output_tokens", "gen_ai.usage.completion_tokens"]
  private static let cacheRead = [
    "gen_ai.usage.cache_read.input_tokens", "gen_ai.usage.cache_read_input_tokens",
    "gen_ai.usage.input_tokens.cached",
  ]
  private static let cacheWrite = [
    "gen_ai.usage.cache_creation.input_tokens", "gen_ai.usage.cache_write.input_tokens",
    "gen_ai.usage.cache_creation_input_tokens", "gen_ai.usage.cache_write_input_tokens",
    "gen_ai.usage.input_tokens.cache_write",
  ]
  private static let tier = [
    "openai.response.service_tier", "gen_ai.openai.response.service_tier",
  ]

  /// Reads the conventions' counts, which include one another, by OpenAI's equal shape.
  func usage() throws(LogProblem) -> LoggedCounts {
    guard let input = try count(Self.input) else { throw .usage("\(Self.input[0]) is missing") }
    let read = try count(Self.cacheRead)
    let written = try count(Self.cacheWrite)
    // Some write the provider's count, which is outside of the input, and so can be more.
    let cached = (read ?? 0).addingReportingOverflow(written ?? 0)
    let isBeside = !cached.overflow && cached.partialValue > input
    let all = input.addingReportingOverflow(isBeside ? cached.partialValue : 0)
    if all.overflow { throw .usage("its counts are too large") }
    var text = UsageText()
    text.count("prompt_tokens", all.partialValue)
    text.count("completion_tokens", try count(Self.output) ?? 0)
    text.object(
      "prompt_tokens_details",
      [
        ("cached_tokens", read), ("cache_write_tokens", written),
        ("audio_tokens", try count(["gen_ai.usage.audio.input_tokens"])),
        ("image_tokens", try count(["gen_ai.usage.image.input_tokens"])),
      ])
    text.object(
      "completion_tokens_details",
      [
        ("audio_tokens", try count(["gen_ai.usage.audio.output_tokens"])),
        ("image_tokens", try count(["gen_ai.usage.image.output_tokens"])),
      ])
    eachUnknownCount { name, count in text.count(name, count) }
    var usage = try text.usage()
    let tier = Self.tier.lazy.compactMap(text(_:)).first
    usage.tokens[.serviceTier] = tier.flatMap(UsageReading.tier(named:))
    return usage
  }

  /// Reasoning is within the output, the total is a sum, and prices are not counts.
  private static let known =
    input + output + cacheRead + cacheWrite + [
      "gen_ai.usage.audio.input_tokens", "gen_ai.usage.image.input_tokens",
      "gen_ai.usage.audio.output_tokens", "gen_ai.usage.image.output_tokens",
      "gen_ai.usage.reasoning.output_tokens", "gen_ai.usage.reasoning_tokens",
      "gen_ai.usage.output_tokens.reasoning", "gen_ai.usage.details.reasoning_tokens",
      "gen_ai.usage.total_tokens",
    ]

  /// Calls `body` with other counts, to check them by the table of usage shapes.
  private func eachUnknownCount(_ body: (_ name: String, _ count: Int64) -> Void) {
    guard let attributes else { return }
    func take(_ name: JSONValue?, _ value: JSONValue?) {
      guard let name = name?.string, name.utf8.starts(with: "gen_ai.usage.".utf8),
        !Self.known.contains(name),
        let count = value?.int64 ?? value?.string.flatMap({ Int64($0) })
      else { return }
      body(name, count)
    }
    for (name, value) in attributes.members { take(name, value) }
    for attribute in attributes.elements {
      take(
        attribute.member("key"), attribute.member("value")?.members.first { _ in true }?.value)
    }
  }

  /// The first of several names of a count that is there. OTLP writes whole numbers as text.
  func count(_ names: [String]) throws(LogProblem) -> Int64? {
    for name in names {
      guard let value = Self.value(name, in: attributes), !value.isNull else { continue }
      guard let count = value.int64 ?? value.string.flatMap({ Int64($0) }) else {
        throw .usage("\(name) is not a whole number")
      }
      return count
    }
    return nil
  }
}
