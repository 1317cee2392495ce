internal import CreditJSON
public import CreditModel

/// Reads one kind of log: the usage of models in its records.
///
/// A format is a class with the state that its records need of previous ones, such as their
/// session. The run gives it every record of every text, one text after another.
public protocol LogFormat: AnyObject, SendableMetatype {
  static var description: LogDescription { get }

  init()

  /// Returns true if a file in a folder is a log of the format.
  ///
  /// Its name has one of the format's endings.
  func reads(_ file: LogFile) -> Bool

  func begin(_ file: LogFile)

  /// Returns true if a line may be of interest, by its bytes alone.
  ///
  /// Other lines are never scanned. Scanning is most of the time that reading a large log takes.
  func wants(_ line: Bytes) -> Bool

  /// Reads one record.
  /// - Throws: why a record that should be billed cannot be.
  func read(_ record: JSONValue, into collector: LogCollector) throws(LogProblem)

  /// State that later records of the text need from those before.
  ///
  /// It is nil if the text can only be read from its start.
  var mark: LogMark? { get }

  /// Goes on with a text that has begun, from the place of a mark.
  func resume(_ mark: LogMark)

  /// Hands on requests that are only known after all texts.
  func finish(into collector: LogCollector)

  /// The last total of each thread, if logs have no more than totals.
  var totalsOfThreads: [String: String] { get }

  /// Takes the totals of earlier runs, above which usage is billed.
  func recall(_ totals: [String: String])
}

extension LogFormat {
  public func reads(_ file: LogFile) -> Bool { true }
  public func begin(_ file: LogFile) {}
  public func wants(_ line: Bytes) -> Bool { true }
  public var mark: LogMark? { nil }
  public func resume(_ mark: LogMark) {}
  public func finish(into collector: LogCollector) {}
  public var totalsOfThreads: [String: String] { [:] }
  public func recall(_ totals: [String: String]) {}
}

/// Description of a format, for the command line and the reader. `man/src/logs.txt` has its rule.
public struct LogDescription: Sendable {
  /// Its name on the command line, and the value of the tag `source`.
  public let name: StaticString
  /// The logs that it reads: a line without a full stop.
  public let summary: String
  /// How the text is laid out.
  let layout: LogLayout
  /// How the names of files end that are read in a folder.
  public let endings: [String]
  /// Texts at the beginning of a log, whether it has a call yet or not: one of them.
  let signs: [StaticString]
  /// The environment variables for the places of the logs.
  public internal(set) var variables: [String] = []
  /// Returns the usual paths of the logs; empty if there is no usual place.
  ///
  /// It is given a function that returns an environment variable's value by its name.
  public internal(set) var places: @Sendable ((String) -> String?) -> [String] = { _ in [] }
  /// True if a log may repeat another log's calls under keys of its own.
  ///
  /// Each log then has to be read along with the others.
  public internal(set) var repeatsOthers = false
  /// Returns the queries for the records in a database, by its columns: `table.column`.
  ///
  /// It is nil if the format has no databases. A row is the JSON of a record.
  var queries: (@Sendable (Set<String>) -> [String])?
}

/// How the records of a format follow one another in its texts.
enum LogLayout: Sendable {
  /// One record a line; irrelevant lines are skipped unread.
  case lines
  /// One record a line, one JSON value, or an array of records.
  case values
  /// As `values`, or comma-separated values under a row of names.
  case valuesOrTable
}

/// The formats that are read, in the order in which the manual has them.
public enum LogFormats {
  public static var all: [any LogFormat.Type] {
    [
      ClaudeLog.self, CodexLog.self, GeminiLog.self, OpenCodeLog.self, AmpLog.self,
      CopilotLog.self, DroidLog.self, QwenLog.self, KimiLog.self, PiLog.self, ClineLog.self,
      RooLog.self, LiteLLMLog.self, OpenAIBatchLog.self, AnthropicBatchLog.self,
      OpenTelemetryLog.self,
    ]
  }

  public static func named(_ name: String) -> (any LogFormat.Type)? {
    all.first { "\($0.description.name)" == name }
  }
}

final class AnthropicBatchLog: BatchLog {
  static let description = LogDescription(
    name: "anthropic", summary: "Result files of Anthropic's Message Batches", layout: .values,
    endings: [".jsonl", ".json"],
    signs: ["custom_id"])
  static let outcome: StaticString = "result"
}

/// Reads the result files of providers' batches.
///
/// A line is a request's whole response, or the reason why it has no response.
protocol BatchLog: LogFormat {
  /// The member of a line that holds the request's outcome.
  static var outcome: StaticString { get }
}

extension BatchLog {
  func read(_ record: JSONValue, into collector: LogCollector) throws(LogProblem) {
    let reading = UsageReading.of(record)
    guard record.member(Self.outcome) != nil, let line = reading.batch, !reading.hasFailed,
      let response = line.body(in: record)
    else {
      if reading.batch == nil, !reading.hasFailed {
        // A session's lines have responses in them, too.
        throw reading.isResponse && record.member("sessionId") == nil ? .response : .notOfBatch
      }
      return collector.omit(.failed)
    }
    guard reading.isComplete || collector.selection.includesPartial else {
      return collector.omit(.notFinal)
    }
    guard let key = line.responseID ?? record.nonEmpty("id") else { throw .noID }
    let use = LoggedUsage(
      key: key, model: reading.responseModel, usage: try LoggedCounts(reading),
      usedAt: LogTime.of(response.member("created_at") ?? response.member("created")),
      reportedUSD: reading.reportedUSD?.text, tags: LogTags(customID: line.customID))
    try collector.add(use, of: record)
  }
}

final class OpenAIBatchLog: BatchLog {
  static let description = LogDescription(
    name: "openai", summary: "Result files of OpenAI's batch interface", layout: .values,
    endings: [".jsonl", ".json"],
    signs: ["custom_id"])
  static let outcome: StaticString = "response"
}

/// Why a record that should be billed cannot be.
public struct LogProblem: Error, Sendable {
  /// The reason it is counted under: a phrase for people, lower case, no full stop.
  public let reason: String
  /// The problem of this record in particular; empty if the reason is enough.
  public let detail: String

  /// The code of the error to report if no record may be skipped.
  public let code: CreditError.Code

  private init(
    _ reason: String, detail: String = "", _ code: CreditError.Code = .invalidRequest
  ) {
    self.reason = reason
    self.detail = detail
    self.code = code
  }

  static let noID = LogProblem("it has no id to make a key of")
  static let countsElsewhere = LogProblem("its counts are in other files, which no format reads")
  static let costAlone = LogProblem("it has a cost, but no counts")
  static let noRow = LogProblem("it is not a row of a spend log")
  static let noModel = LogProblem("it names no model; --model does")
  static let noAccount = noAccount("")
  static let response = LogProblem(
    "it is a provider's response, which credit-charge --account NAME --key KEY --response bills")
  static let notOfBatch = LogProblem("it is not the result of a batch's request")
  static let lineTooLong = LogProblem(
    "the line is longer than \(LogText.lineLimit >> 20) MiB", .invalidJSON)
  static let valueTooLong = LogProblem(
    "the value is longer than \(LogText.valueLimit >> 20) MiB", .invalidJSON)
  static let notObject = LogProblem("it is not a JSON object")
  static let unclosedQuote = LogProblem("the row has a quote that is never closed")
  static let wrongColumns = LogProblem("the row has fewer or more columns than the first one")

  static func malformed(_ reason: JSONError.Reason, _ advice: String = "") -> LogProblem {
    LogProblem(reason.message, detail: String(advice.drop { ";, ".contains($0) }), .invalidJSON)
  }

  static func noAccount(_ detail: String) -> LogProblem {
    LogProblem("--account-from finds no account in it", detail: detail)
  }

  static func usage(_ detail: String) -> LogProblem {
    LogProblem("its usage cannot be read", detail: detail, .invalidUsage)
  }

  static func invalid(_ member: String, _ problem: String) -> LogProblem {
    LogProblem("its \(member) \(problem)")
  }
}

/// Why a record is not billed, though nothing is wrong with it.
public enum LogOmission: String, CaseIterable, Sendable {
  case notFinal = "its counts are not final; --partial prints it anyway"
  case failed = "the request failed, so it is not billed"
  case cacheHit = "the proxy answered it from its own cache"
  case aggregate = "its counts are a sum of others, of the model calls of an agent"
  case subagent = "it is a subagent's: its session's chat has its calls"
  case copied = "it is copied from the session that this one was forked from"
  case timeless = "it has no time of use, which --since and --until need"
}
