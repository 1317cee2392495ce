internal import CreditJSON
internal import CreditModel

/// Reads the result files of providers' batches.
///
/// A line is a request's whole response, or the reason why it has no response.
enum BatchLog {
  /// - Parameter member: the member of a line that holds the request's outcome.
  static func read(
    _ record: JSONValue, _ member: StaticString, into collector: LogCollector
  ) throws(LogProblem) {
    let reading = UsageReading(of: record)
    guard record.member(member) != nil, let line = reading.batch, !reading.hasFailed,
      let response = line.body(in: record)
    else { return collector.omit(.failed) }
    if !reading.isComplete, !collector.includesPartial { return collector.omit(.notFinal) }
    guard let key = line.responseID ?? record.nonEmpty("id") else { throw .noID }
    let use = LoggedUsage(
      key: key, model: reading.responseModel, usage: try LoggedCounts(reading),
      usedAt: LogTime.of(response.member("created_at") ?? response.member("created")),
      reportedUSD: reading.reportedUSD?.text, tags: LogTags(customID: line.customID))
    try collector.add(use) { path in record.logMember(path)?.logText }
  }
}
