package import CreditModel

/// A form that a report is printed in. It is given all lines of the input, one after another, in
/// any order.
package protocol ReportForm: AnyObject {
  /// Takes a line in.
  /// - Throws: ``CreditError`` where the line can't be understood, or a limit is met.
  func add(_ line: ReportLine) throws(CreditError)

  /// Takes in a line that was taken in before and says of itself that it was refunded since.
  func add(repeated line: ReportLine) throws(CreditError)

  /// Takes in that there are no more lines.
  func finish() throws(CreditError)

  /// The least that it has to know of each line.
  var need: ReportLine.Source { get }

  /// What is ready to be printed.
  var output: ReportText { get set }
}

extension ReportForm {
  package func add(repeated line: ReportLine) throws(CreditError) {}
}

/// Text that is gathered to be printed.
package struct ReportText {
  package internal(set) var bytes: [UInt8] = []

  package init() {}

  package mutating func append(_ text: String) { bytes.append(contentsOf: text.utf8) }

  mutating func append(_ text: [UInt8]) { bytes.append(contentsOf: text) }

  package mutating func removeAll() { bytes.removeAll(keepingCapacity: true) }
}
