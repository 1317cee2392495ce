internal import CreditJSON
internal import CreditModel

/// Lines of a listing as an aligned table. It fits the terminal, unless its whole columns do not.
final class Table {
  private let columns: [TableColumn]
  private let terminal: Terminal
  private var rows: [[String]] = []
  /// The width that each column needs; 0 for an empty one.
  private var wanted: [Int]
  private var headedPlaces: [Int] = []

  /// Number of rows from which the columns' widths are fixed.
  private static let blockSize = 1000

  init(_ columns: [TableColumn], on terminal: Terminal) {
    self.columns = columns
    self.terminal = terminal
    wanted = columns.map { _ in 0 }
  }

  var isBlockFull: Bool { rows.count >= Self.blockSize }

  func add(_ line: JSONValue) {
    let row = columns.map { $0.text(in: line) }
    for (place, text) in row.enumerated() where !text.isEmpty {
      wanted[place] = max(wanted[place], text.terminalColumns, columns[place].title.terminalColumns)
    }
    rows.append(row)
  }

  /// Adds rows, an object a line.
  /// - Returns: the text of the blocks that they have filled.
  func text(of rows: [UInt8]) -> [UInt8] {
    var text: [UInt8] = []
    for row in rows.split(separator: UInt8(ascii: "\n")) {
      try? JSONDocument(Array(row)).withRoot { add($0) }
      if isBlockFull { text += takeText().utf8 }
    }
    return text
  }

  /// Returns the rows gathered so far, headed unless these columns already have a heading.
  func takeText() -> String {
    if rows.isEmpty { return "" }
    let layout = TableLayout(columns, wanted: wanted, limit: terminal.width)
    var text = ""
    if layout.places != headedPlaces {
      text += terminal.bold(line(columns.map(\.title), layout)) + "\n"
      headedPlaces = layout.places
    }
    for row in rows { text += line(row, layout) + "\n" }
    rows.removeAll(keepingCapacity: true)
    return text
  }

  /// A title is aligned as its column's cells are.
  private func line(_ cells: [String], _ layout: TableLayout) -> String {
    var line = ""
    for (index, place) in layout.places.enumerated() {
      let form = columns[place].form
      var cell = cells[place]
      if form == .time, cell.terminalColumns > layout.widths[index] {
        cell = String(cell.prefix(ValueForm.dayWidth))
      }
      cell = cell.shortened(to: layout.widths[index], keepsEnd: form == .id)
      let blanks = layout.widths[index] - cell.terminalColumns
      let padding = String(repeating: " ", count: blanks)
      let isDebt = form == .balance && cell.utf8.first == UInt8(ascii: "-")
      let shown = isDebt ? terminal.red(cell) : cell
      if index > 0 { line += String(repeating: " ", count: TableLayout.gap) }
      line += form.isNumber ? padding + shown : shown + padding
    }
    while line.utf8.last == UInt8(ascii: " ") { line.removeLast() }
    return line
  }
}

/// Which columns of a table fit beside each other, and how wide they are.
struct TableLayout: Equatable {
  static let gap = 2

  private(set) var places: [Int]
  private(set) var widths: [Int]

  /// Shortens text if the columns are too wide. If that is not enough, leaves out columns, those of
  /// the highest rank first.
  /// - Parameters:
  ///   - wanted: the width that each column needs; 0 for an empty one.
  ///   - limit: the width of a line.
  init(_ columns: [TableColumn], wanted: [Int], limit: Int) {
    func width(of widths: [Int]) -> Int { widths.reduce(-Self.gap) { $0 + $1 + Self.gap } }
    places = columns.indices.filter { wanted[$0] > 0 }
    if width(of: places.map { wanted[$0] }) > limit { places.removeAll { columns[$0].isExtra } }
    let byRank = places.sorted { (columns[$0].rank, $0) > (columns[$1].rank, $1) }
    func minimum(_ place: Int) -> Int { columns[place].minimum(of: wanted[place]) }
    for place in byRank
    where places.count > 1 && !columns[place].isWhole && width(of: places.map(minimum)) > limit {
      places.removeAll { $0 == place }
    }
    widths = places.map { wanted[$0] }
    var excess = width(of: widths) - limit
    for place in byRank.filter({ !columns[$0].isWord }) + byRank.filter({ columns[$0].isWord })
    where excess > 0 {
      guard let index = places.firstIndex(of: place) else { continue }
      let least = places.count == 1 && !columns[place].isWhole ? limit : minimum(place)
      let cut = min(excess, widths[index] - least)
      widths[index] -= cut
      excess -= cut
    }
  }
}
