internal import CreditJSON
internal import CreditModel

/// Lines of a listing as an aligned table, for people at a terminal.
struct Table {
  private let columns: [StaticString]
  private var rows: [[Cell]] = []
  private var widths: [Int]
  /// Which columns have numbers in them.
  private var areNumbers: [Bool]
  private var hasHeader = false

  private struct Cell {
    let text: String
    let isNumber: Bool
    let width: Int

    init(_ text: String, isNumber: Bool = false) {
      self.text = text
      self.isNumber = isNumber
      width = text.terminalColumns
    }
  }

  /// How many rows are gathered before the widths of the columns are settled.
  private static let blockSize = 1000

  /// - Parameter columns: the members to show.
  init(columns: [StaticString]) {
    self.columns = columns
    widths = columns.map { Self.title(of: $0).terminalColumns }
    areNumbers = columns.map { _ in false }
  }

  var isBlockFull: Bool { rows.count >= Self.blockSize }

  mutating func add(_ line: JSONValue) {
    let row = columns.map { column in
      guard let member = line.member(column), !member.isNull else {
        return Cell("")
      }
      return Cell(Self.text(of: member), isNumber: member.kind == .number)
    }
    for (index, cell) in row.enumerated() {
      widths[index] = max(widths[index], cell.width)
      if cell.isNumber { areNumbers[index] = true }
    }
    rows.append(row)
  }

  /// The rows gathered so far, below the columns' titles the first time.
  mutating func takeText() -> String {
    var text = ""
    if !hasHeader && !rows.isEmpty {
      // A title stands over its column as the column's cells stand.
      text += line(zip(columns, areNumbers).map { Cell(Self.title(of: $0), isNumber: $1) })
      hasHeader = true
    }
    for row in rows { text += line(row) }
    rows.removeAll(keepingCapacity: true)
    return text
  }

  private func line(_ cells: [Cell]) -> String {
    var line = ""
    for (index, cell) in cells.enumerated() {
      let padding = String(repeating: " ", count: max(0, widths[index] - cell.width))
      if index > 0 { line += "  " }
      line += cell.isNumber ? padding + cell.text : cell.text + padding
    }
    while line.last == " " { line.removeLast() }
    return line + "\n"
  }

  /// `registeredAt` → `REGISTERED AT`.
  private static func title(of column: StaticString) -> String {
    var title = ""
    for scalar in column.description.unicodeScalars {
      if scalar.properties.isUppercase { title += " " }
      title += String(scalar).uppercased()
    }
    return title
  }

  /// Text as a terminal may be shown it, to which hidden characters can be commands.
  private static func text(of value: JSONValue) -> String {
    guard let text = value.string else {
      return String(decoding: value.raw, as: UTF8.self)
    }
    return String(
      String.UnicodeScalarView(
        text.unicodeScalars.map { $0.isHidden ? "\u{FFFD}" : $0 }))
  }
}
