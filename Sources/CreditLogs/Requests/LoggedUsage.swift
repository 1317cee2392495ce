internal import CreditModel

/// Usage of one call of a model, as a log shows it. A charge request is made from it.
struct LoggedUsage {
  /// The charge's key, made of the log's own ids, so that the same log twice bills once.
  var key: String
  /// The model, if the log names one.
  var model: String?
  var usage: LoggedCounts
  /// The time of use, if the log says so.
  var usedAt: Timestamp?
  /// The cost in dollars, if the log says so: the number's text as the log has it.
  var reportedUSD: String?
  var tags = LogTags()
}

/// The tags of a request, beside its source.
struct LogTags: Hashable {
  var project: String?
  var session: String?
  /// The request's own name within a batch.
  var customID: String?

  /// Calls `body` with the name and value of each, in the order in which they are printed.
  func eachTag(_ body: (_ name: StaticString, _ value: String) -> Void) {
    if let project { body("project", project) }
    if let session { body("session", session) }
    if let customID { body("custom_id", customID) }
  }
}

/// Who used it, and in what: the same for many requests, and kept once.
struct LogContext: Hashable {
  let account: Name
  let model: Name
  let tags: LogTags
}
