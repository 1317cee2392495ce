internal import CreditModel

/// What one call of a model used, as a log shows it: what a charge request is made of.
struct LoggedUsage {
  /// The charge's key, made of the log's own ids, so that the same log twice bills once.
  var key: String
  /// The model, where the log names one.
  var model: String?
  var usage: LoggedCounts
  /// When it was used, where the log says so.
  var usedAt: Timestamp?
  /// What it cost in dollars, where the log says so: the number's text as it is there.
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
