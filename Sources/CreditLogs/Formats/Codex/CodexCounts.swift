internal import CreditJSON
internal import CreditModel

/// The counts of a `TokenUsage` of Codex.
struct CodexCounts: Equatable {
  private static let names: [StaticString] = [
    "input_tokens", "cached_input_tokens", "cache_write_input_tokens", "output_tokens",
    "reasoning_output_tokens",
  ]
  /// Those of the names, and their total.
  private var numbers: [Int64] = []
  private let unread: [String]

  private var input: Int64 { numbers[0] }
  private var cached: Int64 { numbers[1] }
  private var written: Int64 { numbers[2] }
  private var output: Int64 { numbers[3] }
  /// Input and output together.
  var total: Int64 { numbers[Self.names.count] }

  /// - Returns: nil if there are no counts.
  /// - Throws: if any of them is not a count.
  init?(_ usage: JSONValue?) throws(LogProblem) {
    guard let usage, usage.isObject else { return nil }
    unread = UsageReading.unread(in: usage)
    for name in Self.names { numbers.append(try usage.count(name) ?? 0) }
    if let total = try usage.count("total_tokens") {
      numbers.append(total)
    } else {
      numbers.append(try LoggedCounts.sum(input, output))
    }
    if numbers.contains(where: { $0 < 0 }) { throw .usage("a count is negative") }
  }

  /// Reads the form of `text`; nil for other texts.
  init?(text: String) {
    numbers = text.utf8.split(separator: UInt8(ascii: ",")).map {
      String($0).flatMap(Int64.init) ?? -1
    }
    unread = []
    if numbers.count != Self.names.count + 1 || numbers.contains(where: { $0 < 0 }) { return nil }
  }

  /// The cumulative counts, for a later run to continue from.
  var text: String { numbers.map { "\($0)" }.joined(separator: ",") }

  var isZero: Bool { input == 0 && output == 0 }

  /// Whether these cumulative counts can be later ones of the same counter.
  func follow(_ before: CodexCounts) -> Bool {
    zip(numbers, before.numbers).allSatisfy { $0 >= $1 }
  }

  /// Returns the increase of these cumulative counts; all of them if the counter has restarted.
  func since(_ before: CodexCounts?) -> CodexCounts {
    guard let before, follow(before) else { return self }
    var risen = self
    risen.numbers = zip(numbers, before.numbers).map { $0 - $1 }
    return risen
  }

  /// Returns cumulative counts for a log that only has those of each call.
  func added(to before: CodexCounts?) throws(LogProblem) -> CodexCounts {
    guard let before else { return self }
    var sum = self
    for place in numbers.indices {
      sum.numbers[place] = try LoggedCounts.sum(numbers[place], before.numbers[place])
    }
    return sum
  }

  /// The counts apart from one another: those of the cache are within the input.
  /// - Parameter tier: the tier of service that the call was served in; nil for an ordinary one.
  func usage(servedAs tier: String? = nil) throws(LogProblem) -> LoggedCounts {
    // None is negative, so that the differences cannot overflow.
    guard cached <= input, written <= input - cached else {
      throw .usage("the cached tokens are more than input_tokens, which includes them")
    }
    var tokens = TokenUsage(
      inputTokens: input - cached - written, outputTokens: output, cacheReadTokens: cached,
      cacheWriteTokens: written)
    if let tier { tokens[.serviceTier] = tier }
    return LoggedCounts(tokens, unread: unread)
  }

  /// Returns a hash of these cumulative counts and those of the call.
  ///
  /// An event and its copies have the same hash; their times differ.
  func identity(with used: CodexCounts) -> UInt64 {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for count in numbers + used.numbers {
      hash = (hash ^ UInt64(bitPattern: count)) &* 0x9E37_79B9_7F4A_7C15
      hash ^= hash >> 29
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
  var usage: LoggedCounts
  /// The session's cumulative total with it.
  let total: Int64
  /// Which call of this total it is in its file, from 1 on.
  let occurrence: Int32
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
}

/// The cumulative counters of a session's file. Agents that work side by side write theirs by
/// turns.
struct CodexCounters {
  private struct Counter {
    var counts: CodexCounts
    /// The counts of its last call, if the log has them.
    var used: CodexCounts?
  }

  /// The last counts of each, the one that was written last at the end.
  private var counters: [Counter] = []

  /// The most counters that are distinguished.
  private static let limit = 64

  init() {}

  /// Reads the form of `text`; nil for other texts.
  init?(text: String) {
    for counter in text.utf8.split(separator: UInt8(ascii: ";")) {
      let parts = counter.split(separator: UInt8(ascii: "/")).map {
        String($0).flatMap(CodexCounts.init(text:))
      }
      guard (1...2).contains(parts.count), let counts = parts[0] else { return nil }
      counters.append(Counter(counts: counts, used: parts.count == 2 ? parts[1] : nil))
    }
  }

  /// All of them, for a later run to continue from.
  var text: String {
    counters.map { $0.counts.text + ($0.used.map { "/\($0.text)" } ?? "") }.joined(separator: ";")
  }

  /// Whether an event repeats the last one of a counter.
  ///
  /// It is a call of another counter if it has other counts of the call, or if they lead from that
  /// one to the same total.
  func isRepeat(_ counts: CodexCounts, used: CodexCounts?) -> Bool {
    guard let counter = counters.last(where: { $0.counts == counts }) else { return false }
    guard let used, let last = counter.used else { return true }
    return used == last && predecessor(of: counts, used) == nil
  }

  /// The counts of the counter that these are the next ones of: those that the call leads from, or
  /// else the highest that they can follow. Nil for a counter that begins.
  /// - Parameter counts: nil for a log without; the counts that were written last come before.
  func before(_ counts: CodexCounts?, used: CodexCounts?) -> CodexCounts? {
    guard let counts else { return counters.last?.counts }
    if let used {
      if let found = predecessor(of: counts, used) { return found }
      if used == counts { return nil }
    }
    return counters.lazy.map(\.counts).filter(counts.follow).max { $0.total < $1.total }
  }

  private func predecessor(of counts: CodexCounts, _ used: CodexCounts) -> CodexCounts? {
    counters.last { (try? used.added(to: $0.counts)) == counts }?.counts
  }

  mutating func move(_ before: CodexCounts?, to counts: CodexCounts, used: CodexCounts?) {
    if let before, let place = counters.firstIndex(where: { $0.counts == before }) {
      counters.remove(at: place)
    }
    if counters.count == Self.limit { counters.removeFirst() }
    counters.append(Counter(counts: counts, used: used))
  }
}

/// Pairs the records of calls and the events of one file, as most calls have both.
struct CodexRecords {
  /// A record without an event yet.
  struct Record {
    let counts: CodexCounts
    let call: LoggedCall
  }

  /// An event without a record yet.
  struct Event {
    let counts: CodexCounts
    let number: Int
    let namesTier: Bool
  }

  private(set) var records: [Record] = []
  private var events: [Event] = []
  private var hasRecords = false
  /// Number of lines since the last one of either.
  private var linesSince = 0

  /// How far back the other one of a pair is looked for.
  private static let limit = 4

  mutating func seeLine() { linesSince += 1 }

  /// Whether the file ends within a pair: the other one may follow at once.
  var endsWithinPair: Bool {
    linesSince == 0 && hasRecords && (!records.isEmpty || !events.isEmpty)
  }

  mutating func add(_ record: Record) {
    records.append(record)
    (hasRecords, linesSince) = (true, 0)
  }

  mutating func add(_ event: Event) {
    if events.count == Self.limit { events.removeFirst() }
    events.append(event)
    linesSince = 0
  }

  /// Takes the record of an event's call, if it was before the event.
  mutating func takeRecord(of counts: CodexCounts) -> Record? {
    let recent = records.indices.suffix(Self.limit)
    return recent.last { records[$0].counts == counts }.map { records.remove(at: $0) }
  }

  /// Takes the event of a record's call, if it was before the record.
  mutating func takeEvent(of counts: CodexCounts) -> Event? {
    hasRecords = true
    return events.lastIndex { $0.counts == counts }.map { events.remove(at: $0) }
  }
}
