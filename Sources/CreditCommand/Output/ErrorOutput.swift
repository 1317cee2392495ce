internal import CreditBytes
internal import CreditJSON
internal import CreditModel
internal import CreditStore
internal import CreditSystem

/// Prints failures on standard error, and keeps the exit status of the first one.
final class ErrorOutput {
  private let tool: String
  private let isQuiet: Bool
  private let streams: any Streams
  private var pending = ""
  private var repeated = RepeatedSentences()
  /// The line that the next text will overwrite.
  private var progress = ""
  private(set) var exitStatus: Int32 = 0
  /// Whether the output is closed: no more results are needed.
  private(set) var outputHasFailed = false

  init(tool: String, isQuiet: Bool, streams: any Streams) {
    self.tool = tool
    self.isQuiet = isQuiet
    self.streams = streams
  }

  /// Reports a failed request or store. A message with the same words about another request on
  /// standard input is only counted.
  /// - Parameter origin: the request, if it came from standard input.
  func report(_ error: CreditError, about origin: RequestOrigin? = nil) {
    note(error.code)
    if isQuiet { return }
    let sentence = error.message + error.hint
    if let origin, !repeated.add(sentence, line: origin.line) { return }
    pending += "\(tool): \(origin?.label ?? "")\(sentence)\n"
    if pending.utf8.count > 1 << 16 { flush() }
  }

  /// Notes an error that came in as a request; it was reported by an earlier tool.
  func note(_ code: CreditError.Code) {
    if exitStatus == 0 { exitStatus = code.exitStatus }
  }

  /// Prints the number of requests for each repeated message.
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

  /// Prints a remark that is not an error.
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

  /// Prints text that is not a message: a whole line or more.
  func line(_ text: String) {
    if !isQuiet { pending += text }
  }

  /// Sets the exit status, regardless of failures.
  func end(with status: Int32) { exitStatus = status }

  /// Shows the progress until the next text.
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
    text.withUTF8 { streams.complain(Bytes($0)) }
  }
}

extension CreditError {
  fileprivate var hint: String {
    for case .hint(let hint) in details { return hint }
    return ""
  }
}

/// Sentences about the requests of a run, each printed once: a log with one unknown model must not
/// repeat it 10,000 times. Repetitions are counted.
struct RepeatedSentences {
  /// In the order of their first requests.
  private var sentences: [Sentence] = []

  private struct Sentence {
    let text: String
    var count = 1
    var lastLine: Int
  }

  /// The most sentences that are distinguished. Any others are printed each time.
  private static let limit = 100

  /// Adds a sentence about a request.
  /// - Parameter line: the line on which the request began.
  /// - Returns: true if it has to be printed now.
  mutating func add(_ text: String, line: Int) -> Bool {
    if let place = sentences.firstIndex(where: { $0.text == text }) {
      sentences[place].count += 1
      sentences[place].lastLine = line
      return false
    }
    if sentences.count < Self.limit { sentences.append(Sentence(text: text, lastLine: line)) }
    return true
  }

  /// Returns and clears the counts of repeated sentences: `no model "x" in the catalog: 57
  /// requests, the last on line 57`.
  mutating func takeCounts() -> [String] {
    defer { sentences = [] }
    return sentences.filter { $0.count > 1 }.map {
      "\($0.text): \($0.count.grouped) requests, the last on line \($0.lastLine)"
    }
  }
}

/// The errors of a run that are explained further: only the first different ones, as explanations
/// take time.
struct Explanations {
  /// By the message that they explain.
  private var known: [String: Explanation] = [:]

  private struct Explanation {
    let message: String
    let hint: String?
  }

  private static let limit = 20

  /// Returns an error with advice that its rule leaves out: the names that were probably meant.
  /// - Parameter nearestAccounts: finds the registered accounts whose names are nearest. They are
  ///   others', and not part of the result.
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
