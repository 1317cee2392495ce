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
