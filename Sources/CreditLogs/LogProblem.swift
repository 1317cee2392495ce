internal import CreditJSON
package import CreditModel

/// Why a record that should be billed cannot be.
package struct LogProblem: Error, Sendable {
  /// The reason it is counted under: a phrase for people, lower case, no full stop.
  package let reason: String
  /// The problem of this record in particular; empty if the reason says it all.
  package let detail: String

  /// The code of the error to report if no record may be skipped.
  package let code: CreditError.Code

  private init(
    _ reason: String, detail: String = "", _ code: CreditError.Code = .invalidRequest
  ) {
    self.reason = reason
    self.detail = detail
    self.code = code
  }

  static let noID = LogProblem("it has no id that a key could be made of")
  static let noModel = LogProblem("it names no model; --model does")
  static let noAccount = LogProblem("--account-from finds no account in it")
  static let lineTooLong = LogProblem(
    "the line is longer than \(LogText.lineLimit >> 20) MiB", .invalidJSON)
  static let valueTooLong = LogProblem(
    "the value is longer than \(LogText.valueLimit >> 20) MiB", .invalidJSON)
  static let notObject = LogProblem("it is no JSON object")
  static let unclosedQuote = LogProblem("the row has a quote that is never closed")
  static let wrongColumns = LogProblem("the row has not as many columns as the first one")

  static func malformed(_ reason: JSONError.Reason) -> LogProblem {
    LogProblem(reason.message, .invalidJSON)
  }

  static func usage(_ detail: String) -> LogProblem {
    LogProblem("its usage cannot be read", detail: detail, .invalidUsage)
  }

  static func invalid(_ member: String, _ problem: String) -> LogProblem {
    LogProblem("its \(member) \(problem)")
  }
}

/// Why a record is not billed, though nothing is wrong with it.
package enum LogOmission: String, CaseIterable, Sendable {
  case notFinal = "its final counts are not there yet; --partial prints it all the same"
  case failed = "the request failed, which is not billed"
  case cacheHit = "the proxy answered it from its own cache"
  case aggregate = "its counts are a sum of others, of the model calls of an agent"
  case copied = "it is copied from the session that this one was forked from"
  case timeless = "it does not say when it was used, which --since and --until go by"
}
