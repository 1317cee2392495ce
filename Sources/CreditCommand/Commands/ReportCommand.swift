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
    var stream = JSONStream()
    var lines: [ReportLine] = []
    while true {
      switch stream.next() {
      case .end, .word:
        return lines
      case .malformed(let error):
        throw CreditError(malformed: error)
      case .needsMore:
        try fill(&stream)
      case .value(let value, let line, _):
        if let code = CreditError.Code(ofResult: value) {
          let message = value.member("error")?.string("message") ?? code.rawValue
          throw CreditError(code, "line \(line) is an error: \(quoted(message))")
        }
        guard let transaction = ReportLine(value) else {
          throw CreditError(
            .invalidRequest, "line \(line) is not a transaction as credit-history prints it")
        }
        guard lines.count < ReportPage.lineLimit else {
          throw CreditError(
            .limitExceeded, "a page holds \(ReportPage.lineLimit) transactions at most")
        }
        lines.append(transaction)
      }
    }
  }

  private func fill(_ stream: inout JSONStream) throws(CreditError) {
    let count = try stream.withFreeSpace { space throws(CreditError) in
      try host.streams.readInput(into: space)
    }
    if count == 0 { stream.finish() }
  }
}

/// What a page shows of a transaction.
struct ReportLine {
  let id: String
  let account: String
  let kind: String
  let status: String
  let credits: Int64
  let balance: Int64
  let timestamp: Timestamp
  /// The model, product or reason.
  let subject: String

  /// Nil where the value is no transaction.
  init?(_ value: JSONValue) {
    guard let id = value.string("id"), let account = value.string("account"),
      let kind = value.string("type"), let status = value.string("status"),
      let credits = value.int64("credits"), let balance = value.int64("balance"),
      let timestamp = value.timestamp("timestamp")
    else { return nil }
    self.id = id
    self.account = account
    self.kind = kind
    self.status = status
    self.credits = credits
    self.balance = balance
    self.timestamp = timestamp
    subject =
      value.string("model") ?? value.string("productID") ?? value.string("reason") ?? ""
  }

  /// Whether its credits count in the balance.
  var counts: Bool { status == "completed" || status == "refunded" }
}
