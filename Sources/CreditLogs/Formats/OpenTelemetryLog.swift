internal import CreditBytes
internal import CreditJSON
internal import CreditModel

/// OpenTelemetry's spans and events of model calls.
final class OpenTelemetryLog: LogFormat {
  static let description = LogDescription(
    "otel", "OpenTelemetry spans and events with gen_ai attributes", layout: .values,
    endings: [".jsonl", ".ndjson", ".json"])

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
    guard call.hasUsage else { return }
    if let operation = call.text("gen_ai.operation.name"), Self.sums(operation) {
      return collector.omit(.aggregate)
    }
    guard let key = call.text("gen_ai.response.id") ?? call.spanKey else { throw .noID }
    let use = LoggedUsage(
      key: key, model: call.text("gen_ai.response.model") ?? call.text("gen_ai.request.model"),
      usage: try call.usage(), usedAt: call.time,
      tags: LogTags(
        project: call.resourceText("service.name"), session: call.text("gen_ai.conversation.id")))
    try collector.add(use) { path in
      call.text(path) ?? call.resourceText(path) ?? call.item.logMember(path)?.logText
    }
  }

  /// Whether an operation's counts are those of the calls within it.
  private static func sums(_ operation: String) -> Bool {
    ["invoke_agent", "create_agent", "invoke_workflow", "execute_tool"].contains(operation)
  }
}
