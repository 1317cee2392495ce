internal import CreditJSON
internal import CreditModel

/// What the result files of providers' batches have in common: a line is a whole response, and
/// batch prices are others.
extension LoggedUsage {
  /// Reads a response of a batch.
  /// - Parameters:
  ///   - id: the line's own, for a response that has none.
  ///   - line: the result's.
  /// - Throws: where no request can be made of it.
  init(batched response: JSONValue, id: String?, line: JSONValue) throws(LogProblem) {
    guard let key = response.nonEmpty("id") ?? id else { throw .noID }
    var usage = try response.usage()
    usage[.serviceTier] = "batch"
    self.init(
      key: key, model: response.nonEmpty("model"), usage: usage,
      usedAt: LogTime.of(response.member("created_at") ?? response.member("created")),
      tags: LogTags(customID: line.nonEmpty("custom_id")))
  }
}
