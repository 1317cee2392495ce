internal import CreditJSON
internal import CreditModel
internal import CreditSystem

/// Prints failures on standard error, and keeps the exit status of the first one.
final class ErrorOutput {
  private let tool: String
  private let isQuiet: Bool
  /// The store of `--store`.
  private let store: String?
  private let streams: any Streams
  private var pending = ""
  private var repeated = RepeatedSentences()
  private var notedWords: Set<String> = []
  /// The line that the next text will overwrite.
  private var progress = ""
  var exitStatus: Int32 = 0
  // Exclusivity is unchecked: one thread at a time, and no callee reaches back.
  /// Whether the output is closed: no more results are needed.
  @exclusivity(unchecked) private(set) var outputHasFailed = false
  /// Whether a remark asks if a request is meant so: a command that undoes it follows its result.
  @exclusivity(unchecked) var isAsking = false
  /// A new account whose name is probably a slip: undoing its first request closes it.
  var wrongAccount: Name?

  init(tool: String, isQuiet: Bool, store: String? = nil, streams: any Streams) {
    self.tool = tool
    self.isQuiet = isQuiet
    self.store = store
    self.streams = streams
  }

  /// Reports a failed request or store. Requests on standard input of an account that fail for the
  /// same reason share a line.
  /// - Parameter origin: the request, if it came from standard input.
  func report(_ error: CreditError, about origin: RequestOrigin? = nil) {
    note(error.code)
    // Text that is no JSON is not a request, and its sentence begins with its line.
    let text = error.message + error.hint
    remark(text, about: origin ?? error.malformed, failure: origin?.label ?? "")
  }

  /// Notes something, about a request if it came from standard input. Requests with the same
  /// sentence share a line.
  /// - Parameter failure: how the sentence on a failure begins; nil for a mere note.
  func remark(_ text: String, about origin: RequestOrigin? = nil, failure: String? = nil) {
    if isQuiet { return }
    let label = failure ?? origin?.label ?? ""
    let account = failure == nil ? nil : origin?.account
    guard let origin, repeated.add(text, about: origin, of: account, label: label) else {
      return print(repeated.takeNew() + [label + text])
    }
    if repeated.newCount >= 256 { flush() }
  }

  /// Notes an error that came in as a request; it was reported by an earlier tool.
  func note(_ code: CreditError.Code) { if exitStatus == 0 { exitStatus = code.exitStatus } }

  /// Prints how many requests have failed for each reason since it was printed.
  func sumUpRepeated() { print(repeated.takeCounts()) }

  private func print(_ sentences: [String]) {
    for text in sentences { pending += "\(tool): \(store.map(text.naming) ?? text)\n" }
  }

  /// Writes to standard output, unless that has failed.
  /// - Returns: false if it is closed.
  func writeOutput(_ bytes: Bytes) -> Bool {
    if outputHasFailed { return false }
    do { try streams.write(bytes) } catch { outputFailed(error) }
    return !outputHasFailed
  }

  func outputFailed(_ error: SystemError) {
    if outputHasFailed { return }
    outputHasFailed = true
    if error.isBrokenPipe {
      // The reader wants no more: the run ends quietly.
      exitStatus = ThisProcess.brokenPipeStatus
      return
    }
    if exitStatus == 0 { exitStatus = CreditError.Code.ioError.exitStatus }
    print(repeated.takeNew() + ["\(error)"])
    flush()
  }

  /// Asks whether a request is meant so.
  func ask(_ text: String) {
    isAsking = true
    remark(text)
  }

  func remark(once text: String) {
    if notedWords.count < 64, notedWords.insert(text).inserted { remark(text) }
  }

  /// Says which models of a response are not billed with it, which words are no counts, and which
  /// counts were probably not meant so.
  func remark(on remarks: UsageRemarks?, of usage: ReportedUsage) {
    if case .counts(.tokens(let tokens)) = usage, let count = tokens.improbable,
      notedWords.insert("\(count.row.member)").inserted
    {
      let verb = count.row.kind == .output ? "gives" : "takes"
      ask("\(tokens[count]) \(count.row.member) are more than a model \(verb): is that meant?")
    }
    guard let unread = remarks?.unread, !unread.isEmpty else { return }
    let models = ModelUsages.models(in: unread)
    if !models.isEmpty {
      let list = models.map { quoted($0) }.joined(separator: ", ")
      ask("the response is of several models, and these are not billed with it: \(list)")
    }
    for word in unread where !models.contains(word) && notedWords.count < 64 {
      if !notedWords.insert(word).inserted { continue }
      // The same name beside a provider's own is not read.
      let condition = word == "tier" ? "serviceTier" : word
      let conditions = UsageCondition.allCases.map { "\($0.member)" }
      let meant = Tool.count(called: word) ?? NearestNames.misspelt(condition, among: conditions)
      let hint = meant.map { meant in
        ["inputTokens", "outputTokens"].contains(meant)
          ? "; did you mean \(quoted(meant))?"
          : "; name it \(quoted(meant)), in a usage with \"inputTokens\""
      }
      ask("\(quoted(word)) in the usage is not billed" + (hint ?? ": no price counts it"))
    }
  }

  /// Prints text that is not a message: a whole line or more.
  func line(_ text: String) {
    if isQuiet { return }
    print(repeated.takeNew())
    pending += text
  }

  func show(progress text: String) {
    if text == progress { return }
    write("\r\u{1b}[K\(tool): \(text)")
    progress = text
  }

  /// - Parameter isHeld: true to keep new sentences, as the next requests may repeat them.
  func flush(isHeld: Bool = false) {
    if !isHeld, repeated.newCount > 0 { print(repeated.takeNew()) }
    if pending.isEmpty { return }
    clearProgress()
    write(pending)
    pending = ""
  }

  func finish() {
    clearProgress()
    flush()
  }

  func clearProgress() {
    if !progress.isEmpty { write("\r\u{1b}[K") }
    progress = ""
  }

  private func write(_ text: String) {
    var text = text
    text.withUTF8 { streams.complain(Bytes($0)) }
  }
}

extension CreditError {
  fileprivate var hint: String {
    for case .hint(let hint) in details { return hint }
    return ""
  }

  fileprivate var unknownKey: RecordKey? {
    for case .unknown(let key) in details { return key }
    return nil
  }

  /// The place of text on standard input that is no JSON.
  fileprivate var malformed: RequestOrigin? {
    guard code == .invalidJSON, message.hasPrefix("line ") else { return nil }
    for case .line(let line) in details { return RequestOrigin(line: line) }
    return nil
  }

  /// The error with an end of its sentence for people.
  func with(hint: String) -> CreditError {
    CreditError(code, message, hint.isEmpty ? details : details + [.hint(hint)])
  }
}

extension String {
  /// A message that names the store of `--store` in each command that it suggests.
  fileprivate func naming(_ store: String) -> String {
    var words = split(separator: " ", omittingEmptySubsequences: false).map(String.init)
    for place in words.indices.dropLast() {
      let (name, next) = (words[place], words[place + 1])
      let tool = ToolName.allCases.first { $0.command == name }?.tool
      let isSubcommand = tool?.subcommands.contains { $0.name == next } ?? false
      guard tool?.takesStore == true, isSubcommand || next.hasPrefix("--") else { continue }
      words[isSubcommand ? place + 1 : place] += " \(shellFlag("store", store))"
    }
    return words.joined(separator: " ")
  }
}

/// Sentences about the requests of a run, each printed once a reason, and once an account if a
/// request failed: a log must not repeat one unknown model 10,000 times. Repetitions are counted.
struct RepeatedSentences {
  private struct Sentence {
    let label: String
    let text: String
    let first: RequestOrigin
    var lastLine: Int
    /// Requests since it was printed.
    var count = 1
    /// The word for a fact in which others differ: `account`, `key`.
    var difference: String?

    func counted(_ noun: String) -> String {
      let others = difference.map { ", also of other \($0)s" } ?? ""
      return "\(text) (\(count.grouped) \(noun)\(others), the last on line \(lastLine))"
    }

    /// Says how many requests there are since it was printed, and whose.
    var countedAgain: String {
      let owner = first.account.map { "account \(quoted($0.text))" } ?? ""
      let isNamed = difference == "account" || text.utf8.contains(owner)
      let noun = count == 1 ? "more request" : "more requests"
      return counted(isNamed ? noun : "\(noun) of \(owner)")
    }
  }

  /// In the order of their first requests.
  private var sentences: [Sentence] = []
  /// The places of sentences by their reasons and accounts, and of each reason's first.
  private var places: [String: Int] = [:]
  private(set) var newCount = 0

  /// The most sentences that are kept. Those of further accounts count with the reason's first, and
  /// further reasons are printed each time.
  private static let limit = 1000

  /// - Parameter account: the account whose requests it is counted with; nil for all.
  /// - Returns: false if it has to be printed now, as there are too many.
  mutating func add(_ text: String, about origin: RequestOrigin, of account: Name?, label: String)
    -> Bool
  {
    let reason = Self.reason(of: text, about: origin)
    let own = "\(reason)\n\(account?.text ?? "")"
    let isFull = sentences.count >= Self.limit
    if let place = places[own] ?? (isFull ? places[reason] : nil) {
      sentences[place].count += 1
      sentences[place].lastLine = origin.line
      let first = sentences[place].first
      if first.account != origin.account {
        sentences[place].difference = "account"
      } else if reason.utf8.contains(Self.referenceMark), first.subject != origin.subject {
        sentences[place].difference = first.subject?.word
      }
      return true
    }
    if isFull { return false }
    places[own] = sentences.count
    if places[reason] == nil { places[reason] = sentences.count }
    sentences.append(Sentence(label: label, text: text, first: origin, lastLine: origin.line))
    newCount += 1
    return true
  }

  /// Returns the sentences not printed yet, each with the number of its requests: `line 1 (key
  /// "m1"): no model "x" in the catalog (57 requests, the last on line 57)`.
  mutating func takeNew() -> [String] {
    let new = sentences.suffix(newCount)
    for place in new.indices { sentences[place].count = 0 }
    newCount = 0
    return new.map { $0.label + ($0.count == 1 ? $0.text : $0.counted("requests")) }
  }

  /// Returns the sentences whose reasons have come up again since they were printed.
  mutating func takeCounts() -> [String] {
    defer { self = RepeatedSentences() }
    return takeNew() + sentences.filter { $0.count > 0 }.map(\.countedAgain)
  }

  /// Replaces the request's reference in a reason; messages have no control characters.
  private static let referenceMark: UInt8 = 0

  /// Returns a sentence without its numbers and the request's reference, which may differ.
  private static func reason(of text: String, about origin: RequestOrigin) -> String {
    let reference = origin.subject.map { quoted($0.name.text) }
    var reason: [UInt8] = []
    var rest = text.utf8[...]
    var isQuoted = false
    while let byte = rest.first {
      if !isQuoted, let reference, rest.starts(with: reference.utf8) {
        rest = rest.dropFirst(reference.utf8.count)
        reason.append(referenceMark)
        continue
      }
      if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
      // A quotation mark of the quoted text itself has a backslash before it.
      let count = isQuoted && byte == UInt8(ascii: "\\") ? 2 : 1
      if isQuoted || !(0x30...0x39).contains(byte) { reason += rest.prefix(count) }
      rest = rest.dropFirst(count)
    }
    return String(decoding: reason, as: UTF8.self)
  }
}

/// The errors of a run that are explained further: only the first different ones of a code, as
/// explanations take time.
struct Explanations {
  /// By the message that they explain.
  private var known: [String: CreditError] = [:]

  private static let limit = 20

  /// Returns an error with advice that its rule leaves out: the names that were probably meant.
  /// - Parameter advice: the end of a message on an unknown id. It names others' ids, and is not
  ///   part of the result.
  mutating func explain(
    _ error: CreditError, by policy: Policy,
    advice: (RecordKey) throws(CreditError) -> String = { _ in "" }
  ) -> CreditError {
    guard
      [.unknownModel, .unknownProduct, .unknownAccount, .insufficientCredits].contains(error.code)
        || error.unknownKey != nil
    else { return error }
    if known[error.message] == nil,
      known.values.count(where: { $0.code == error.code }) < Self.limit
    {
      known[error.message] = CreditError(error.code, policy.explained(error).message)
        .with(hint: Self.hint(error, advice))
    }
    guard let explanation = known[error.message] else { return error }
    return CreditError(error.code, explanation.message, error.details).with(hint: explanation.hint)
  }

  private static func hint(
    _ error: CreditError, _ advice: (RecordKey) throws(CreditError) -> String
  ) -> String {
    if let key = error.unknownKey {
      guard let advice = try? advice(key), !advice.isEmpty else { return "" }
      if case .account(let name) = key, error.code != .unknownAuthorization {
        return "; account \(quoted(name.text)) is not registered\(advice)"
      }
      return advice
    }
    for case .account(let name) in error.details {
      guard let advice = try? advice(.account(name)), !advice.isEmpty else { continue }
      if error.code == .unknownAccount { return advice }
      if error.code == .insufficientCredits { return "; it is not registered\(advice)" }
    }
    return ""
  }
}
