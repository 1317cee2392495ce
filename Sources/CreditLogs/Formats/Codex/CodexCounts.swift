internal import CreditBytes
internal import CreditJSON
internal import CreditModel

/// The counts of a `TokenUsage` of Codex.
struct CodexCounts: Equatable {
  private var input: Int64
  private var cached: Int64
  private var written: Int64
  private var output: Int64
  private var reasoning: Int64
  /// Input and output together.
  private(set) var total: Int64
  private let unread: [String]

  /// - Returns: nil if there are no counts.
  /// - Throws: if any of them is not a count.
  init?(_ usage: JSONValue?) throws(LogProblem) {
    guard let usage, usage.isObject else { return nil }
    input = try usage.count("input_tokens") ?? 0
    cached = try usage.count("cached_input_tokens") ?? 0
    written = try usage.count("cache_write_input_tokens") ?? 0
    output = try usage.count("output_tokens") ?? 0
    reasoning = try usage.count("reasoning_output_tokens") ?? 0
    guard min(input, cached, written, output, reasoning) >= 0 else {
      throw .usage("a count is negative")
    }
    unread = UsageReading.unread(in: usage)
    if let total = try usage.count("total_tokens") {
      self.total = total
    } else {
      total = try Self.sum(input, output)
    }
  }

  /// Reads the form of `text`; nil for other texts.
  init?(text: String) {
    let numbers = text.utf8.split(separator: UInt8(ascii: ",")).map {
      String($0).flatMap(Int64.init)
    }
    guard numbers.count == 6, let input = numbers[0], let cached = numbers[1],
      let written = numbers[2], let output = numbers[3], let reasoning = numbers[4],
      let total = numbers[5], min(input, cached, written, output, reasoning, total) >= 0
    else { return nil }
    self.input = input
    self.cached = cached
    self.written = written
    self.output = output
    self.reasoning = reasoning
    self.total = total
    unread = []
  }

  /// The cumulative counts, for a later run to continue from.
  var text: String { "\(input),\(cached),\(written),\(output),\(reasoning),\(total)" }

  var isZero: Bool { input == 0 && output == 0 }

  /// Whether these cumulative counts can be later ones of the same counter.
  func follow(_ before: CodexCounts) -> Bool {
    input >= before.input && cached >= before.cached && written >= before.written
      && output >= before.output && reasoning >= before.reasoning && total >= before.total
  }

  /// Returns the increase of these cumulative counts; all of them if the counter has restarted.
  func since(_ before: CodexCounts?) -> CodexCounts {
    guard let before, follow(before) else { return self }
    var risen = self
    risen.input -= before.input
    risen.cached -= before.cached
    risen.written -= before.written
    risen.output -= before.output
    risen.reasoning -= before.reasoning
    risen.total -= before.total
    return risen
  }

  /// Returns cumulative counts for a log that only has those of each call.
  func added(to before: CodexCounts?) throws(LogProblem) -> CodexCounts {
    guard let before else { return self }
    var sum = self
    sum.input = try Self.sum(input, before.input)
    sum.cached = try Self.sum(cached, before.cached)
    sum.written = try Self.sum(written, before.written)
    sum.output = try Self.sum(output, before.output)
    sum.reasoning = try Self.sum(reasoning, before.reasoning)
    sum.total = try Self.sum(total, before.total)
    return sum
  }

  private static func sum(_ left: Int64, _ right: Int64) throws(LogProblem) -> Int64 {
    let (sum, overflow) = left.addingReportingOverflow(right)
    if overflow { throw .usage("the counts add up to more than \(Int64.max)") }
    return sum
  }

  /// The counts apart from one another: those of the cache are within the input.
  func usage() throws(LogProblem) -> LoggedCounts {
    // None is negative, so that the differences cannot overflow.
    guard cached <= input, written <= input - cached else {
      throw .usage("the cached tokens are more than input_tokens, which includes them")
    }
    let tokens = TokenUsage(
      inputTokens: input - cached - written, outputTokens: output, cacheReadTokens: cached,
      cacheWriteTokens: written)
    return LoggedCounts(tokens, unread: unread)
  }

  /// Returns a hash of these cumulative counts and those of the call.
  ///
  /// An event and its copies have the same hash; their times differ.
  func identity(with used: CodexCounts) -> UInt64 {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for counts in [self, used] {
      let all = [
        counts.input, counts.cached, counts.written, counts.output, counts.reasoning, counts.total,
      ]
      for count in all {
        hash = (hash ^ UInt64(bitPattern: count)) &* 0x9E37_79B9_7F4A_7C15
        hash ^= hash >> 29
      }
    }
    return hash
  }
}

/// A call of a model in a session.
struct CodexEvent {
  let session: Int32
  /// The place of the event.
  let file: Int32
  let line: Int32
  /// The number of the model; negative if none is named.
  let model: Int32
  let usage: LoggedCounts
  /// The session's cumulative total with it.
  let total: Int64
  let time: Timestamp?
  let identity: UInt64
  /// Whether it is at the place of a fork's copies in its file.
  let isOpening: Bool
}

/// The end of a turn that `codex exec --json` printed.
struct CodexTurn {
  let thread: Int32
  let file: Int32
  let line: Int32
  let model: Int32
  /// The cumulative counts of the thread.
  let total: CodexCounts
  let time: Timestamp?

  static func isBefore(_ left: CodexTurn, _ right: CodexTurn) -> Bool {
    (left.thread, left.total.total) < (right.thread, right.total.total)
  }
}

/// The cumulative counters of a session's file. Agents that work side by side write theirs by
/// turns.
struct CodexCounters {
  /// The last counts of each, the one that was written last at the end.
  private var counters: [CodexCounts] = []

  /// The most counters that are distinguished.
  private static let limit = 64

  init() {}

  /// - Parameter text: in the form of `text`; other texts give nil.
  init?(text: String) {
    for counts in text.utf8.split(separator: UInt8(ascii: ";")) {
      guard let counts = String(counts).flatMap(CodexCounts.init(text:)) else { return nil }
      counters.append(counts)
    }
  }

  /// All of them, for a later run to continue from.
  var text: String { counters.map(\.text).joined(separator: ";") }

  /// Whether one of them has these counts.
  func contains(_ counts: CodexCounts) -> Bool { counters.contains(counts) }

  /// The counts that were written last; nil at first.
  var last: CodexCounts? { counters.last }

  /// The counts of the counter that these are the next ones of: the highest that they can follow;
  /// nil for a counter that begins.
  func before(_ counts: CodexCounts) -> CodexCounts? {
    counters.filter(counts.follow).max { $0.total < $1.total }
  }

  mutating func move(_ before: CodexCounts?, to counts: CodexCounts) {
    if let before, let place = counters.firstIndex(of: before) { counters.remove(at: place) }
    if counters.count == Self.limit { counters.removeFirst() }
    counters.append(counts)
  }
}
