internal import CreditModel

/// What one call of a model used, as a log shows it: what a charge request is made of.
struct LoggedUsage {
  /// The charge's key, made of the log's own ids, so that the same log twice bills once.
  var key: String
  /// The model, where the log names one.
  var model: String?
  var usage: TokenUsage
  /// When it was used, where the log says so.
  var usedAt: Timestamp?
  /// What it cost in dollars, where the log says so: the number's text as it stands there.
  var reportedUSD: String?
  /// Counts that the provider wrote and the table of usage shapes has no name for.
  var tags = LogTags()
}

/// The tags of a request, beside its source.
struct LogTags: Hashable {
  /// The most bytes of a value, of which the last ones tell the most: a path ends with the project.
  static let valueLimit = 256

  var project: String?
  var session: String?
  /// The request's own name within a batch.
  var customID: String?

  /// The value of a tag, as it is printed.
  func value(_ name: String) -> String? {
    switch name {
    case "project": project
    case "session": session
    case "custom_id": customID
    default: nil
    }
  }
}

/// Who used it, and in what: the same for many requests, and kept once.
struct LogContext: Hashable {
  let account: Name
  let model: Name
  let tags: LogTags
}
