internal import CreditJSON
public import CreditModel
internal import CreditSystem

/// The place of a record in a text.
struct LogOrigin {
  var text = 0
  var line = 0
  var offset = 0
}

/// Takes the usage of a log's records, and prints each message once.
public final class LogCollector {
  private let source: StaticString
  let selection: LogSelection
  private let output: any LogOutput
  /// The numbers of the keys that were seen, by their hashes: all that grows with a log. A key
  /// takes 27 bytes of it, or up to 54 after it has just grown.
  private var seen: [UInt128: UInt32] = [:]
  private var held = HeldRequests()
  private var request = JSONWriter()
  private var used = JSONWriter()
  private(set) var tally = LogTally()
  /// The place of the current record.
  var place: (file: LogFile, line: Int) = (LogFile(path: nil), 0)
  /// Byte offset of that record's line in the text, and the text's number.
  var origin = LogOrigin()
  /// Number of records that had something of the format, whether a request was made of it or not.
  private(set) var foundCount = 0
  /// Place of the first record of each message without its final counts.
  private(set) var unfinished: [Int: LogOrigin] = [:]

  /// - Parameter source: the format's name.
  init(source: StaticString, _ selection: LogSelection, output: any LogOutput) {
    self.source = source
    self.selection = selection
    self.output = output
  }

  // MARK: For formats

  /// Prints a request, unless one of its key was printed.
  /// - Parameters:
  ///   - record: the record that has the members of the log.
  ///   - member: the text of a member that is elsewhere, by its name or path.
  /// - Throws: why no request can be made of it.
  func add(
    _ use: LoggedUsage, of record: JSONValue? = nil, member: (String) -> String? = { _ in nil }
  ) throws(LogProblem) {
    noteFound()
    let context = try context(of: use) { member($0) ?? record?.logMember($0)?.logText }
    guard isWanted(use.usedAt), number(of: use.key).isNew else { return }
    write(use)
    used.withBytes { used in
      use.key.withUTF8Bytes { key in write(key, used, context, use.usedAt) }
    }
  }

  /// Keeps a request until the end. Of those with the same key the highest-ranking one is printed,
  /// with the earliest time of all.
  /// - Parameters:
  ///   - isFinal: true if the counts are the final ones.
  ///   - output: ranks the records: the output tokens, or a number that rises from record to
  ///     record.
  /// - Throws: why no request can be made of it.
  func hold(
    _ use: LoggedUsage, of record: JSONValue? = nil, isFinal: Bool = true, output: Int64,
    member: (String) -> String? = { _ in nil }
  ) throws(LogProblem) {
    noteFound()
    let context = try context(of: use) { member($0) ?? record?.logMember($0)?.logText }
    let rank = HeldRequests.Rank(
      isFinal: isFinal, output: output, time: use.usedAt?.milliseconds ?? .min)
    write(use)
    let number = number(of: use.key).number
    held.put(use, used: used.withBytes { Array($0) }, context, rank, at: number)
    if held[number].rank.isFinal {
      unfinished[number] = nil
    } else if unfinished[number] == nil {
      unfinished[number] = origin
    }
  }

  /// Notes that a record is of the format: for those that are only billed at the end.
  func noteFound() { foundCount += 1 }

  /// The number of a key, from 0 in the order in which keys were first seen.
  private func number(of key: String) -> (number: Int, isNew: Bool) {
    let hash = key.withUTF8Bytes(HashTable.wideHash)
    if let number = seen[hash] { return (Int(number), false) }
    precondition(seen.count < UInt32.max, "A log has more messages than can be distinguished")
    let number = seen.count
    seen[hash] = UInt32(number)
    return (number, true)
  }

  /// The member of the log that names the account. Nil if the command line names it.
  var accountMember: String? {
    if case .member(let path) = selection.account { path } else { nil }
  }

  /// Runs a step that makes a request of a record, and reports its failure.
  func attempt(_ body: () throws(LogProblem) -> Void) {
    do throws(LogProblem) {
      try body()
    } catch {
      if error.reason != LogProblem.notOfBatch.reason { noteFound() }
      report(error)
    }
  }

  func report(_ problem: LogProblem) {
    tally.add(problem.reason) {
      let name = "\(place.file.displayName):\(place.line)"
      return problem.detail.isEmpty ? name : "\(name): \(problem.detail)"
    }
    output.report(problem, in: place.file, line: place.line)
  }

  /// Returns a record's problem. The first one without an account also names the member that was
  /// probably meant.
  func explained(_ problem: LogProblem, in record: JSONValue) -> LogProblem {
    let reason = LogProblem.noAccount.reason
    guard let path = accountMember, problem.reason == reason,
      !tally.lines.contains(where: { $0.reason == reason })
    else { return problem }
    let steps = path.split(separator: ".")
    let parent = record.logMember(steps.dropLast().joined(separator: ".")) ?? record
    let known = parent.members.compactMap(\.name.string) + ["project", "session"]
    let name = String(steps.last ?? "")
    let question = known.contains(name) ? "" : NearestNames.question(name, among: known)
    return question.isEmpty ? problem : .noAccount("no \(quoted(path))" + question)
  }

  /// Counts a record that is not billed.
  func omit(_ omission: LogOmission) {
    noteFound()
    tally.add(omission.rawValue)
  }

  /// Prints the kept requests at the end of the run.
  func finish() {
    for number in 0..<held.count {
      let entry = held[number]
      guard entry.rank.isFinal || selection.includesPartial else {
        omit(.notFinal)
        continue
      }
      guard isWanted(entry.firstTime) else { continue }
      held.withTexts(of: entry) { key, used in
        write(key, used, held.context(of: entry), entry.firstTime)
      }
    }
    held = HeldRequests()
  }

  // MARK: Requests

  private func isWanted(_ time: Timestamp?) -> Bool {
    let (since, until) = (selection.since, selection.until)
    if since == nil && until == nil { return true }
    guard let time else {
      omit(.timeless)
      return false
    }
    return since.map { time >= $0 } ?? true && until.map { time < $0 } ?? true
  }

  private func context(of use: LoggedUsage, _ member: (String) -> String?) throws(LogProblem)
    -> LogContext
  {
    _ = try name(use.key, of: "id")
    return LogContext(
      account: try account(of: use, member), model: try model(of: use), tags: use.tags)
  }

  private func account(of use: LoggedUsage, _ member: (String) -> String?) throws(LogProblem)
    -> Name
  {
    switch selection.account {
    case .named(let account): return account
    case .member(let path):
      var found = path == "source" ? "\(source)" : nil
      use.tags.eachTag { tag, value in if "\(tag)" == path { found = value } }
      guard let text = found ?? member(path), !text.isEmpty else { throw .noAccount }
      return try name(text, of: "account", limit: Name.accountLimit)
    }
  }

  private func model(of use: LoggedUsage) throws(LogProblem) -> Name {
    guard let text = use.model, !text.isEmpty else {
      guard let model = selection.model else { throw .noModel }
      return model
    }
    return try name(text, of: "model")
  }

  private func name(
    _ text: String, of member: String, limit: Int = Name.idLimit
  ) throws(LogProblem) -> Name {
    if let problem = Name.problem(with: text, limit: limit) { throw .invalid(member, problem) }
    return Name(trusted: text)
  }

  /// Writes the members of a request's usage, as members of an object.
  private func write(_ use: LoggedUsage) {
    used.removeAll()
    used.beginObject()
    used.key("usage")
    used.usage(.tokens(use.usage.tokens))
    if let cost = use.reportedUSD { used.member("reportedUSD", cost) }
    if !use.usage.unread.isEmpty { used.member("unread", use.usage.unread, List<Text>.self) }
    used.endObject()
  }

  /// - Parameter used: an object with the members of the usage.
  private func write(
    _ key: Bytes, _ used: Bytes, _ context: LogContext,
    _ time: Timestamp?
  ) {
    request.removeAll()
    request.beginObject()
    request.member("account", context.account.text)
    request.key("key")
    request.string(utf8: key)
    request.member("model", context.model.text)
    // The text between the braces.
    request.raw(Bytes(rebasing: used.dropFirst().dropLast()))
    if let time { request.member("usedAt", time, Time.self) }
    request.key("tags")
    request.beginObject()
    request.member("source", "\(source)")
    context.tags.eachTag { name, value in request.member(name, Tags.value(of: value)) }
    request.endObject()
    request.endObject()
    request.withBytes(output.print)
  }
}

/// The requests that are wanted, and the command line's members for them.
public struct LogSelection: Sendable {
  public enum BilledAccount: Sendable {
    case named(Name)
    /// A tag or a member of the log, whose text is the account.
    case member(String)
  }

  public var account: BilledAccount
  public var model: Name?
  public var since: Timestamp?
  /// The time of use before which requests are wanted.
  public var until: Timestamp?
  /// Whether requests are wanted whose final counts are not there yet.
  public var includesPartial = false

  public init(account: BilledAccount) { self.account = account }
}

/// Records that were not printed, counted by reason, to report at the run's end.
public struct LogTally {
  public struct Line {
    public let reason: String
    public fileprivate(set) var count = 1
    /// Place and problem of the first record that should have been billed.
    ///
    /// It is nil for records that are not wrong.
    public let first: String?
  }

  public private(set) var lines: [Line] = []

  public init() {}

  /// - Parameter first: for a record that should have been billed.
  mutating func add(_ reason: String, first: () -> String? = { nil }) {
    // There are few reasons.
    if let number = lines.firstIndex(where: { $0.reason == reason }) {
      lines[number].count += 1
    } else {
      lines.append(Line(reason: reason, first: first()))
    }
  }
}

/// A log without a record of the format, or a folder without a log of it.
public struct LogMisfit {
  /// Its path; nil for standard input.
  public let path: String?
  /// The sentence to print, without a full stop.
  public let sentence: String

  init(_ file: LogFile, of description: LogDescription, likely: String?) {
    path = file.path
    let other = likely.map { "; \($0)" } ?? ""
    sentence = "\(description.name): no call in \(file.displayName)\(other)"
  }

  init(folder: String, of description: LogDescription) {
    path = folder
    let endings = description.endings.joined(separator: " or ")
    sentence = "\(description.name): no log in \(folder); names of logs end in \(endings)"
  }
}

/// The beginning of a text, by which its format is known.
struct LogBeginning {
  private var bytes: [UInt8] = []

  private static let limit = 64 << 10

  /// Takes the first bytes that were read.
  mutating func take(_ read: Bytes) {
    if bytes.isEmpty { bytes = Array(read.prefix(Self.limit)) }
  }

  /// True if it is blank or an empty list.
  var isBlank: Bool {
    bytes.allSatisfy { $0 <= 0x20 || $0 == UInt8(ascii: "[") || $0 == UInt8(ascii: "]") }
  }

  func fits(_ description: LogDescription) -> Bool {
    bytes.withBytes { text in description.signs.contains { text.contains($0) } }
  }

  /// A phrase for its kind: a response, or a log of the first format that fits.
  var likelyKind: String? {
    let reading = (try? JSONDocument(bytes))?.withRoot { UsageReading.of($0) }
    if let reading, reading.isResponse, reading.batch == nil, !fits(ClaudeLog.description) {
      return LogProblem.response.reason
    }
    return LogFormats.all.first { fits($0.description) }.map {
      "it looks like \($0.description.name)"
    }
  }
}
