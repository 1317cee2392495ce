internal import CreditJSON
internal import CreditModel
internal import CreditSystem

/// The output of a run. Results go to standard output, and a sentence for each error among them to
/// standard error.
final class ResultOutput {
  // Exclusivity is unchecked: one thread at a time, and no callee reaches back.
  @exclusivity(unchecked) private var printer: ResultPrinter
  let errors: ErrorOutput
  private let streams: any Streams
  private let command: Command
  @exclusivity(unchecked) private var lineCount = 0
  /// The progress line that counts lines. Nil if the lines are seen as they come.
  private lazy var progress = streams.outputIsKept ? ProgressLine(command) : nil

  private lazy var behind = WritingBehind(streams)
  /// Whether that may be writing.
  @exclusivity(unchecked) private var isBehind = false

  /// Number of lines from which streams are checked: fewer take less than a second.
  private static let shortCount = 1000

  init(_ printer: consuming ResultPrinter, _ command: Command) {
    self.printer = printer
    self.command = command
    errors = command.errors
    streams = command.host.streams
  }

  var needsRequests: Bool { printer.needsRequests }

  var printsText: Bool { printer.printsText }

  /// Prints results from another writer: whole lines. It is empty then.
  /// - Returns: false if the output is closed.
  func print(_ text: inout JSONWriter, lineCount: Int) -> Bool {
    self.lineCount += lineCount
    defer { text.removeAll() }
    return flush() && text.withBytes { $0.isEmpty || write($0) }
  }

  /// Prints one result.
  /// - Parameters:
  ///   - request: the request's text, to which the result is added; nil for none.
  ///   - write: writes the result; if it throws, nothing is printed.
  func print<Failure: Error>(
    request: [UInt8]? = nil, _ write: (inout JSONWriter) throws(Failure) -> Void
  ) throws(Failure) {
    lineCount += 1
    try printer.print(request: request, write)
  }

  func printObject(_ members: (inout JSONWriter) -> Void) { print { $0.element(members) } }

  func print(_ error: CreditError, about origin: RequestOrigin? = nil, request: [UInt8]? = nil) {
    let named = origin == nil ? command.settings.arguments.namingFlags(error) : error
    errors.report(named, about: origin)
    printer.print(request: request, isError: true) { $0.error(error.about(origin)) }
  }

  /// Prints an error that came in as a request, as it came.
  func print(passed text: [UInt8], _ code: CreditError.Code) {
    errors.note(code)
    printer.print(isError: true) { output in text.withBytes { output.raw($0) } }
  }

  func print(_ counts: RequestCounts) {
    guard let summary = counts.summary, !errors.outputHasFailed else { return }
    errors.sumUpRepeated()
    let refusals: [CreditError.Code] = [.insufficientCredits, .spendLimit, .accountClosed]
    let refusal = command.tool.id == .charge ? counts.codes.first(where: refusals.contains) : nil
    errors.remark(summary + (refusal.flatMap(command.settings.arguments.advice) ?? ""))
  }

  func finishTable(notes: [String] = []) { printer.finishTable(notes: notes) }

  /// Writes the printed text once there is enough of it: listings call it after each line.
  /// - Returns: false to end the listing, as the output is closed.
  func flushIfFull() -> Bool {
    guard lineCount > Self.shortCount, let progress else { return flush(atLeast: 1 << 16) }
    if printer.output.count < 1 << 18 { return true }
    guard finishWriting() else { return false }
    errors.flush()
    isBehind = true
    behind.start(&printer.output)
    progress.show("\(lineCount.grouped) results")
    return true
  }

  /// Writes the printed text, if it has at least `count` bytes.
  /// - Parameter expectsMore: true if further requests have come.
  /// - Returns: false if the output is closed.
  @discardableResult
  func flush(atLeast count: Int = 1, expectsMore: Bool = false) -> Bool {
    guard finishWriting() else { return false }
    let isFull = printer.output.count >= count
    if isFull || count == 1 { errors.flush(isHeld: expectsMore || count > 1) }
    if !isFull { return true }
    defer { printer.output.removeAll() }
    return printer.output.withBytes { write($0) }
  }

  /// - Returns: false if the output is closed.
  private func write(_ bytes: Bytes) -> Bool {
    let progress = lineCount > Self.shortCount ? progress : nil
    // Results may be on the terminal that the line is on.
    if progress == nil { errors.clearProgress() }
    guard errors.writeOutput(bytes) else { return false }
    progress?.show("\(lineCount.grouped) results")
    return true
  }

  /// Waits for the other thread's writing.
  /// - Returns: false if the output is closed.
  private func finishWriting() -> Bool {
    if isBehind {
      isBehind = false
      do { try behind.finish() } catch { errors.outputFailed(error) }
    }
    return !errors.outputHasFailed
  }
}

/// A terminal's line with the progress of the work, from its second second on.
final class ProgressLine {
  private let errors: ErrorOutput
  private let system: any SystemCalls
  private let start: Int64
  private let isShown: Bool

  init(_ command: Command) {
    errors = command.errors
    system = command.host.system
    isShown =
      command.host.streams.errorIsTerminal && !command.settings.isQuiet
      && Terminal.isCapable(command.host)
    start = isShown ? system.currentMilliseconds() : 0
  }

  func show(_ text: @autoclosure () -> String) {
    if isShown, system.currentMilliseconds() - start > 1000 { errors.show(progress: text()) }
  }

  func show(_ verb: String, _ done: Int, of total: Int) {
    if total > 0 { show("\(verb) \(Int128(done) * 100 / Int128(total))%") }
  }
}

/// Writes a part of a long listing on another thread, while the next part is printed: of 34 MB the
/// system takes as long to keep as they take to be printed.
final class WritingBehind {
  private let streams: any Streams
  private let thread = WorkerThread()
  /// The part that is being written: the thread's alone until it has been waited for.
  private var part = JSONWriter(capacity: 0)
  private var error: SystemError?

  init(_ streams: any Streams) { self.streams = streams }

  deinit { thread.wait() }

  /// Makes the thread write a part after the previous one; ``finish()`` reports that one's result.
  /// - Parameter text: the part; then empty.
  func start(_ text: inout JSONWriter) {
    thread.wait()
    swap(&part, &text)
    text.removeAll()
    // The thread is waited for before this object is freed.
    thread.start { [unowned(unsafe) self] in
      do throws(SystemError) {
        try part.withBytes { (bytes) throws(SystemError) in try streams.write(bytes) }
      } catch {
        self.error = error
      }
    }
  }

  /// Waits until all parts are written.
  /// - Throws: the error of the current part or a previous one.
  func finish() throws(SystemError) {
    thread.wait()
    defer { error = nil }
    if let error { throw error }
  }
}
