internal import CreditJSON
internal import CreditModel
internal import CreditSystem

/// What a run prints: results on standard output, and on standard error a sentence for each that is
/// an error.
final class ResultOutput {
  private var printer: ResultPrinter
  private let reporter: Reporter
  private let streams: any Streams

  init(_ printer: consuming ResultPrinter, _ reporter: Reporter, _ streams: any Streams) {
    self.printer = printer
    self.reporter = reporter
    self.streams = streams
  }

  /// Whether the text of requests must be kept for their results.
  var needsRequests: Bool { printer.needsRequests }

  /// Prints one result.
  /// - Parameters:
  ///   - request: the request's text, to which the result is added; nil for none.
  ///   - write: writes the result; where it throws, nothing is printed.
  func print<Failure: Error>(
    request: [UInt8]? = nil, _ write: (inout JSONWriter) throws(Failure) -> Void
  ) throws(Failure) {
    try printer.print(request: request, write)
  }

  /// Prints an error as a result.
  func print(_ error: CreditError, request: [UInt8]? = nil) {
    reporter.report(error)
    printer.print(request: request, isError: true) { $0.error(error) }
  }

  /// Prints what a gate has answered.
  func print(_ answer: GateAnswer, request: [UInt8]?) {
    switch answer {
    case .success(let result): printer.print(request: request) { $0.result(result) }
    case .failure(let error): print(error, request: request)
    }
  }

  /// Prints an error that came in as a request, as it came.
  func print(passed text: [UInt8], _ code: CreditError.Code) {
    reporter.note(code)
    printer.print(isError: true) { output in text.withUnsafeBytes { output.raw($0) } }
  }

  /// Ends a listing.
  func finishTable() { printer.finishTable() }

  /// Writes what has been printed once it is worth a write: what a listing calls after each line.
  /// - Returns: false where the listing is to end, as nobody takes it.
  func flushIfFull() -> Bool { flush(atLeast: 1 << 16) }

  /// Writes what has been printed, if it is at least so many bytes.
  /// - Returns: false where nobody takes results any more.
  @discardableResult
  func flush(atLeast count: Int = 1) -> Bool {
    reporter.flush()
    if reporter.outputHasFailed { return false }
    guard printer.outputCount >= count else { return true }
    defer { printer.removeOutput() }
    do {
      try printer.withOutput { output throws(SystemError) in try streams.write(output) }
      return true
    } catch {
      reporter.outputFailed(error)
      return false
    }
  }
}
