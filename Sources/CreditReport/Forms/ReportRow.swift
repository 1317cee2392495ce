internal import CreditJSON
internal import CreditModel

/// How rows are printed.
package enum RowForm: Sendable {
  case json, csv
}

/// One field of a row.
package enum ReportCell: Hashable {
  case none
  case text(String)
  /// A whole number's digits.
  case integer(String)
  /// An exact decimal number: JSON has it as text, so that nothing reads it as floating point.
  case decimal(String)
  /// Something that is so; where it isn't, there is nothing.
  case isTrue

  init(_ text: String?) { self = text.map { .text($0) } ?? .none }

  package init(_ sum: DecimalSum?, short: Bool = false) {
    self = sum.map { .decimal(short ? $0.shortText : $0.text) } ?? .none
  }

  /// The content, unchanged.
  var plainText: String {
    switch self {
    case .none: ""
    case .isTrue: "true"
    case .text(let text), .integer(let text), .decimal(let text): text
    }
  }
}

extension ReportText {
  /// A row as comma-separated values (RFC 4180). Text that a spreadsheet would take for a formula
  /// gets an apostrophe before it.
  package mutating func appendCSV(_ cells: [ReportCell]) {
    for (index, cell) in cells.enumerated() {
      if index > 0 { append(",") }
      let isText = if case .text = cell { true } else { false }
      cell.plainText.withUTF8Bytes { appendCSV($0, isText: isText) }
    }
    append("\r\n")
  }

  /// A field of comma-separated values.
  /// - Parameter isText: whether it may look like a formula.
  mutating func appendCSV(_ field: UnsafeRawBufferPointer, isText: Bool) {
    let needsMark = isText && field.first.map { Self.formulaMarks.contains($0) } == true
    let needsQuotes = field.contains { Self.csvMarks.contains($0) }
    if needsQuotes { bytes.append(UInt8(ascii: "\"")) }
    if needsMark { bytes.append(UInt8(ascii: "'")) }
    if needsQuotes {
      for byte in field {
        if byte == UInt8(ascii: "\"") { bytes.append(byte) }
        bytes.append(byte)
      }
      bytes.append(UInt8(ascii: "\""))
    } else {
      bytes.append(contentsOf: field)
    }
  }

  private static let formulaMarks = Array("=+-@\t\r".utf8)
  private static let csvMarks = Array(",\"\r\n".utf8)

  /// A row as one JSON object.
  /// - Parameter keys: how many cells come first that are shown also where they are empty, as null.
  mutating func appendJSON(_ names: [String], _ cells: [ReportCell], keys: Int) {
    var row = JSONWriter()
    row.beginObject()
    for (index, (name, cell)) in zip(names, cells).enumerated() {
      if cell == .none, index >= keys { continue }
      name.withUTF8Bytes { row.key(utf8: $0) }
      switch cell {
      case .none: row.raw("null")
      case .isTrue: row.raw("true")
      case .text(let text), .decimal(let text): row.string(text)
      case .integer(let digits): digits.withUTF8Bytes { row.raw($0) }
      }
    }
    row.endObject()
    append(row.string + "\n")
  }
}
