import CreditModel
import Testing

@testable import CreditFinance

/// Returns a form's output for some lines.
/// - Parameter end: of the history, if it is before the end of the form's period.
func printed(
  _ form: some ReportForm, _ lines: [String], end: String? = nil
) throws -> String {
  for line in lines {
    try withLine(line) { line in
      if line.isRepetition { try form.add(repeated: line) } else { try form.add(line) }
    }
  }
  try form.finish(at: end.flatMap { Timestamp(text: $0) })
  return String(decoding: form.output.bytes, as: UTF8.self)
}

/// Returns the rows of the grants of some lines.
func grantRows(_ lines: [String], until: String? = nil) throws -> [String] {
  try printed(GrantRows(.json, in: period(until: until)), lines).split(separator: "\n")
    .map(String.init)
}

extension ReportClock {
  static let utc = ReportClock(.utc, name: "UTC")
}

func period(since: String? = nil, until: String? = nil, offset: String = "Z") -> ReportPeriod {
  ReportPeriod(
    since: since.flatMap(Timestamp.init(dateText:)),
    until: until.flatMap(Timestamp.init(dateText:)),
    clock: ReportClock(offset: offset) ?? .utc)
}

/// A line of the history.
func line(
  _ id: String, _ account: String, _ type: String, _ credits: Int, at time: String,
  status: String = "completed", balance: Int = 0, _ more: String = ""
) -> String {
  """
  {"id":"\(id)","account":"\(account)","type":"\(type)","status":"\(status)","credits":\(credits),\
  "balance":\(balance),"timestamp":"\(time):00.000Z"\(more.isEmpty ? "" : ",")\(more)}
  """
}

/// Calls `body` with a line that was read from its text.
func withLine(_ text: String, _ body: (ReportLine) throws -> Void) throws {
  try JSONDocument(text).withRoot { value in try body(try #require(ReportLine(value))) }
}
