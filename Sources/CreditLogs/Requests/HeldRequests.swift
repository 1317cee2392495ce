internal import CreditModel

/// Requests that a later record may still replace, in the order of their keys. A message takes some
/// 250 bytes.
struct HeldRequests {
  /// Which of several records of one message counts: the greatest.
  struct Rank: Comparable {
    /// Whether its counts are the final ones.
    var isFinal: Bool
    var output: Int64
    var time: Int64

    static func < (left: Rank, right: Rank) -> Bool {
      if left.isFinal != right.isFinal { return right.isFinal }
      return (left.output, left.time) < (right.output, right.time)
    }
  }

  struct HeldRequest {
    var rank: Rank
    /// The earliest time of all records.
    var firstTime: Timestamp?
    var context: Int32
    /// Offset of its texts; `capacity` is their room.
    var place: Int
    var capacity: UInt16
    var keyCount: UInt16
    var usedCount: UInt16
  }

  private var entries: [HeldRequest] = []
  private var texts = TextBlocks()
  private var contexts: [LogContext] = []
  private var contextNumbers: [LogContext: Int32] = [:]

  var count: Int { entries.count }

  subscript(number: Int) -> HeldRequest { entries[number] }

  func context(of entry: HeldRequest) -> LogContext { contexts[Int(entry.context)] }

  /// Calls `body` with an entry's key, and the JSON of its usage.
  func withTexts(of entry: HeldRequest, _ body: (_ key: Bytes, _ used: Bytes) -> Void) {
    let keyCount = Int(entry.keyCount)
    texts.withText(at: entry.place, count: keyCount + Int(entry.usedCount)) { text in
      body(Bytes(rebasing: text[..<keyCount]), Bytes(rebasing: text[keyCount...]))
    }
  }

  /// Adds the next entry, or replaces an existing one by a record.
  /// - Parameters:
  ///   - number: of the entry; `count` for the next one.
  ///   - used: the JSON of its usage.
  mutating func put(
    _ use: LoggedUsage, used: [UInt8], _ context: LogContext, _ rank: Rank, at number: Int
  ) {
    let contextNumber = self.number(of: context)
    guard number < entries.count else {
      var entry = HeldRequest(
        rank: rank, firstTime: use.usedAt, context: contextNumber, place: 0, capacity: 0,
        keyCount: 0, usedCount: 0)
      write(use, used, to: &entry)
      return entries.append(entry)
    }
    var entry = entries[number]
    if let time = use.usedAt { entry.firstTime = min(time, entry.firstTime ?? time) }
    if isBetter(rank, context, than: entry) {
      entry.rank = rank
      entry.context = contextNumber
      write(use, used, to: &entry)
    }
    entries[number] = entry
  }

  /// Of equal records, keeps that of the session with the lesser name, so that the order of files
  /// does not matter.
  private func isBetter(_ rank: Rank, _ context: LogContext, than entry: HeldRequest) -> Bool {
    if rank != entry.rank { return rank > entry.rank }
    let other = self.context(of: entry).tags
    return (context.tags.session ?? "", context.tags.project ?? "")
      < (other.session ?? "", other.project ?? "")
  }

  private mutating func number(of context: LogContext) -> Int32 {
    if let number = contextNumbers[context] { return number }
    let number = Int32(contexts.count)
    contexts.append(context)
    contextNumbers[context] = number
    return number
  }

  /// Overwrites the entry's texts, if there is room; else writes them behind all others.
  private mutating func write(_ use: LoggedUsage, _ used: [UInt8], to entry: inout HeldRequest) {
    let text = Array(use.key.utf8) + used
    if text.count > Int(entry.capacity) {
      // Some room for a final count, which has more digits than the one in its place.
      entry.capacity = UInt16(clamping: text.count + 8)
      entry.place = texts.room(for: Int(entry.capacity))
    }
    entry.keyCount = UInt16(clamping: use.key.utf8.count)
    entry.usedCount = UInt16(clamping: used.count)
    texts.write(text, at: entry.place)
  }
}

/// Usage of one call of a model, as a log shows it. A charge request is made from it.
struct LoggedUsage {
  /// The charge's key, made of the log's own ids: reading twice bills once.
  var key: String
  /// The model, if the log names one.
  var model: String?
  var usage: LoggedCounts
  /// The time of use, if the log has it.
  var usedAt: Timestamp?
  /// The cost in dollars, if the log has it, in the log's digits.
  var reportedUSD: String?
  var tags = LogTags()
}

/// A call that is only billed once all logs are read.
struct LoggedCall {
  var use: LoggedUsage
  let account: String?
  private let place: (file: LogFile, line: Int)

  /// - Parameter member: the text of a member of the log; that of the record by default.
  init(
    _ use: LoggedUsage, of record: JSONValue, _ collector: LogCollector,
    member: (String) -> String? = { _ in nil }
  ) {
    self.use = use
    account = collector.accountMember.flatMap { member($0) ?? record.logMember($0)?.logText }
    place = collector.place
    collector.noteFound()
  }

  func add(to collector: LogCollector) {
    collector.place = place
    collector.attempt { () throws(LogProblem) in try collector.add(use) { _ in account } }
  }

  func hold(isFinal: Bool, in collector: LogCollector) {
    collector.place = place
    collector.attempt { () throws(LogProblem) in
      try collector.hold(use, isFinal: isFinal, output: use.usage.tokens.outputTokens) { _ in
        account
      }
    }
  }
}

/// The tags of a request, beside its source.
struct LogTags: Hashable {
  var project: String?
  var session: String?
  /// The request's own name within a batch.
  var customID: String?

  /// Calls `body` with each name and value, in the order of printing.
  func eachTag(_ body: (_ name: StaticString, _ value: String) -> Void) {
    if let project { body("project", project) }
    if let session { body("session", session) }
    if let customID { body("custom_id", customID) }
  }
}

/// The account, project and session: the same for many requests, and kept once.
struct LogContext: Hashable {
  let account: Name
  let model: Name
  let tags: LogTags
}

/// Texts in blocks that are never moved: earlier texts are not copied as more come.
struct TextBlocks {
  /// The bytes of a block: also the most that one text may have.
  static let blockSize = 1 << 20

  private var blocks: [[UInt8]] = []

  /// Makes room for a text.
  /// - Returns: its place.
  mutating func room(for count: Int) -> Int {
    precondition(count <= Self.blockSize)
    if blocks.last.map({ $0.count + count > Self.blockSize }) ?? true {
      blocks.append([])
      blocks[blocks.count - 1].reserveCapacity(Self.blockSize)
    }
    let last = blocks.count - 1
    let place = last * Self.blockSize + blocks[last].count
    blocks[last].append(contentsOf: repeatElement(0, count: count))
    return place
  }

  mutating func write(_ text: [UInt8], at place: Int) {
    let start = place % Self.blockSize
    blocks[place / Self.blockSize].replaceSubrange(start..<start + text.count, with: text)
  }

  func withText(at place: Int, count: Int, _ body: (Bytes) -> Void) {
    let start = place % Self.blockSize
    blocks[place / Self.blockSize].withBytes { bytes in
      body(Bytes(rebasing: bytes[start..<start + count]))
    }
  }
}
