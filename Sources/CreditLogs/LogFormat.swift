package import CreditJSON

/// How one kind of log is read: what its records say that a model was used for.
///
/// A format is a class with the state that its records need of those before them, such as the
/// session that they are part of. The run hands it every record of every text, one text after
/// another.
package protocol LogFormat: AnyObject, SendableMetatype {
  /// What is known of the format before a log is read.
  static var description: LogDescription { get }

  init()

  /// Returns true if a file in a folder is a log of the format.
  ///
  /// Its name has one of the format's endings.
  func reads(_ file: LogFile) -> Bool

  /// A text begins.
  func begin(_ file: LogFile)

  /// Returns true if a line may be of interest, by its bytes alone.
  ///
  /// Other lines are never scanned. Scanning is most of the time that reading a large log takes.
  func wants(_ line: UnsafeRawBufferPointer) -> Bool

  /// Reads one record.
  /// - Throws: why a record that should be billed cannot be.
  func read(_ record: JSONValue, into collector: LogCollector) throws(LogProblem)

  /// State that later records of the text need from those before.
  ///
  /// It is nil if the text can only be read from its start.
  var mark: LogMark? { get }

  /// Goes on with a text that has begun, from the place of a mark.
  func resume(_ mark: LogMark)

  /// Hands on what only the end of all texts shows.
  func finish(into collector: LogCollector)
}

extension LogFormat {
  package func reads(_ file: LogFile) -> Bool { true }
  package func begin(_ file: LogFile) {}
  package func wants(_ line: UnsafeRawBufferPointer) -> Bool { true }
  package var mark: LogMark? { nil }
  package func resume(_ mark: LogMark) {}
  package func finish(into collector: LogCollector) {}
}

/// Description of a format, for the command line, the manual, and the reader.
package struct LogDescription: Sendable {
  /// The word for it on the command line, and the value of the tag `source`.
  package let name: StaticString
  /// The logs that it reads: a line without a full stop.
  package let summary: String
  /// Rule for which records count, and how often: sentences for the manual page.
  package let rule: String
  /// Sources of the rule: the log's writer, and others who read it so.
  package let source: String
  /// How the text is laid out.
  let layout: LogLayout
  /// How the names of files end that are read in a folder.
  package let endings: [String]
  /// The environment variables that say where the logs are.
  package let variables: [String]
  /// Returns the usual paths of the logs; empty if there is no usual place.
  ///
  /// It is given a function that returns an environment variable's value by its name.
  package let places: @Sendable ((String) -> String?) -> [String]
  /// True if a log may repeat another log's calls under keys of its own.
  ///
  /// Each log then has to be read along with the others.
  package let repeatsOthers: Bool

  init(
    _ name: StaticString, _ summary: String, layout: LogLayout, endings: [String],
    variables: [String] = [],
    places: @escaping @Sendable ((String) -> String?) -> [String] = { _ in [] }, rule: String,
    source: String, repeatsOthers: Bool = false
  ) {
    self.name = name
    self.summary = summary
    self.layout = layout
    self.endings = endings
    self.variables = variables
    self.places = places
    self.rule = rule
    self.source = source
    self.repeatsOthers = repeatsOthers
  }
}

/// How the records of a format follow one another in its texts.
enum LogLayout: Sendable {
  /// One record a line, and lines that are of no interest are passed over unread.
  case lines
  /// One record a line, or one JSON value over many lines, or an array of records.
  case values
  /// As `values`, or comma-separated values under a row of names.
  case valuesOrTable
}

/// The formats that are read, in the order in which the manual has them.
package enum LogFormats {
  package static var all: [any LogFormat.Type] {
    [
      ClaudeLog.self, CodexLog.self, GeminiLog.self, OpenCodeLog.self, AmpLog.self,
      CopilotLog.self, DroidLog.self, QwenLog.self, KimiLog.self, PiLog.self, ClineLog.self,
      RooLog.self, LiteLLMLog.self, OpenAIBatchLog.self, AnthropicBatchLog.self,
      OpenTelemetryLog.self,
    ]
  }

  /// Returns the format of a name; nil if no format has it.
  package static func named(_ name: String) -> (any LogFormat.Type)? {
    all.first { "\($0.description.name)" == name }
  }
}
