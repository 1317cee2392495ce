internal import CreditJSON
internal import CreditModel
internal import CreditStore
internal import CreditSystem

extension Command {
  /// `credit-report`: the lines of `credit-history` on standard input → one HTML page.
  func runReport() throws(UsageError) {
    try requireInput()
    let lines: [ReportLine]
    do throws(CreditError) {
      lines = try readLines()
    } catch {
      return errors.report(error)
    }
    let page = Array(ReportPage(lines).html.utf8)
    do throws(SystemError) {
      try page.span.withUnsafeBytes { bytes throws(SystemError) in try host.streams.write(bytes) }
    } catch {
      errors.outputFailed(error)
    }
  }

  /// The transactions on standard input, in its order. An error result among them is reported, and
  /// no page is made of the rest.
  private func readLines() throws(CreditError) -> [ReportLine] {
    let input = RequestInput(host.streams, words: nil)
    var lines: [ReportLine] = []
    var isAtEnd = false
    while !isAtEnd {
      isAtEnd = try input.fill()
      while let arrival = input.next() {
        switch consume arrival {
        case .value(let value, let line): lines.append(try reportLine(value, line: line))
        case .malformed(let error): throw error
        case .word: break
        }
        guard lines.count <= ReportPage.lineLimit else {
          throw CreditError(
            .limitExceeded, "a page holds \(ReportPage.lineLimit) transactions at most")
        }
      }
    }
    return lines
  }

  private func reportLine(_ value: JSONValue, line: Int) throws(CreditError) -> ReportLine {
    if let code = CreditError.Code(ofResult: value) {
      let message = value.member("error")?.string("message") ?? code.rawValue
      throw CreditError(code, "line \(line) is an error: \(quoted(message))")
    }
    guard let transaction = ReportLine(value) else {
      throw CreditError(
        .invalidRequest, "line \(line) is not a transaction as credit-history prints it")
    }
    return transaction
  }
}
