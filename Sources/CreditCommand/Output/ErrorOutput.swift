internal import CreditJSON
internal import CreditModel
internal import CreditStore
internal import CreditSystem

/// Says on standard error what failed, and remembers the exit status: that of the first failure.
final class ErrorOutput {
  private let tool: String
  private let isQuiet: Bool
  private let streams: any Streams
  private var pending = ""
  private var repeated = RepeatedSentences()
  /// The line that the next text takes the place of.
  private var progress = ""
  private(set) var exitStatus: Int32 = 0
  /// Whether nobody takes results any more: there is no point in more of them.
  private(set) var outputHasFailed = false

  init(tool: String, isQuiet: Bool, streams: any Streams) {
    self.tool = tool
    self.isQuiet = isQuiet
    self.streams = streams
  }

  /// A request failed, or the store. What was said of another request on standard input in the same
  /// words is counted, and not said again.
  /// - Parameter origin: which request, where it came from standard input.
  func report(_ error: CreditError, about origin: RequestOrigin? = nil) {
    note(error.code)
    if isQuiet { return }
    let sentence = error.message + error.hint
    if let origin, !repeated.add(sentence, line: origin.line) { return }
    pending += "\(tool): \(origin?.label ?? "")\(sentence)\n"
    if pending.utf8.count > 1 << 16 { flush() }
  }

  /// An error came in as a request; it has been reported where it arose.
  func note(_ code: CreditError.Code) {
    if exitStatus == 0 { exitStatus = code.exitStatus }
  }

  /// Says how many requests failed of what was said of one.
  func sumUpRepeated() {
    for count in repeated.takeCounts() { remark(count) }
  }

  /// Results could not be written.
  func outputFailed(_ error: SystemError) {
    if outputHasFailed { return }
    outputHasFailed = true
    if exitStatus == 0 { exitStatus = CreditError.Code.ioError.exitStatus }
    pending += "\(tool): \(error)\n"
    flush()
  }

  /// Says something that is no error.
  func remark(_ text: String) {
    if !isQuiet { pending += "\(tool): \(text)\n" }
  }

  /// Says which models of a response are not billed with it.
  func remark(on remarks: UsageRemarks?) {
    guard let unread = remarks?.unread, !unread.isEmpty else { return }
    let models = ModelUsages.models(in: unread)
    if models.isEmpty { return }
    let list = models.map { quoted($0) }.joined(separator: ", ")
    remark("the response is of several models, and these are not billed with it: \(list)")
  }

  /// Prints what is no message: a whole line or more.
  func line(_ text: String) {
    if !isQuiet { pending += text }
  }

  /// Sets the exit status, whatever failed.
  func end(with status: Int32) { exitStatus = status }

  /// Shows how far the work has come, until something else is said.
  func show(progress text: String) {
    if text == progress { return }
    write("\r\u{1b}[K\(tool): \(text)")
    progress = text
  }

  func flush() {
    if pending.isEmpty { return }
    clearProgress()
    write(pending)
    pending = ""
  }

  /// Says the last.
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
    text.withUTF8 { streams.complain(UnsafeRawBufferPointer($0)) }
  }
}

extension CreditError {
  fileprivate var hint: String {
    for case .hint(let hint) in details { return hint }
    return ""
  }
}

/// Sentences about the requests of a run, of which each is said once: a log with one unknown model
/// must not say so 10,000 times. How often each would have been said is counted.
struct RepeatedSentences {
  /// In the order of their first requests.
  private var sentences: [Sentence] = []

  private struct Sentence {
    let text: String
    var count = 1
    var lastLine: Int
  }

  /// How many different sentences are told apart. Any others are said each time.
  private static let limit = 100

  /// Takes in a sentence about a request.
  /// - Parameter line: the line on which the request began.
  /// - Returns: whether it is to be said now.
  mutating func add(_ text: String, line: Int) -> Bool {
    if let place = sentences.firstIndex(where: { $0.text == text }) {
      sentences[place].count += 1
      sentences[place].lastLine = line
      return false
    }
    if sentences.count < Self.limit { sentences.append(Sentence(text: text, lastLine: line)) }
    return true
  }

  /// What there is to say in the end of those that came up again: `no model "x" in the catalog:
  /// 57 requests, the last on line 57`. Nothing is left to say then.
  mutating func takeCounts() -> [String] {
    defer { sentences = [] }
    return sentences.filter { $0.count > 1 }.map {
      "\($0.text): \($0.count.grouped) requests, the last on line \($0.lastLine)"
    }
  }
}

/// The errors of a run that are explained further: the first different ones, as nobody reads
/// thousands, and an explanation takes time.
struct Explanations {
  /// By the message that they explain.
  private var known: [String: Explanation] = [:]

  private struct Explanation {
    let message: String
    let hint: String?
  }

  private static let limit = 20

  /// An error with what helps people, which its rule leaves out: the names that were likely meant.
  /// - Parameter nearestAccounts: finds the registered accounts whose names are nearest. They are
  ///   others', and no part of the result.
  mutating func explain(
    _ error: CreditError, by policy: Policy,
    nearestAccounts: (Name) throws(CreditError) -> [Name] = { _ in [] }
  ) -> CreditError {
    guard [.unknownModel, .unknownProduct, .unknownAccount].contains(error.code) else {
      return error
    }
    if known[error.message] == nil, known.count < Self.limit {
      known[error.message] = Explanation(
        message: policy.explained(error).message, hint: Self.hint(error, nearestAccounts))
    }
    guard let explanation = known[error.message] else { return error }
    let hint = explanation.hint.map { [CreditError.Detail.hint($0)] } ?? []
    return CreditError(error.code, explanation.message, error.details + hint)
  }

  private static func hint(
    _ error: CreditError, _ nearestAccounts: (Name) throws(CreditError) -> [Name]
  ) -> String? {
    guard error.code == .unknownAccount else { return nil }
    for case .account(let name) in error.details {
      guard let nearest = try? nearestAccounts(name), !nearest.isEmpty else { continue }
      return NearestNames.hint(nearest)
    }
    return nil
  }
}
