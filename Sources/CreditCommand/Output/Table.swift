internal import CreditJSON
internal import CreditModel
internal import CreditSystem

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

extension String {
  /// Number of a terminal's columns for the text, which must have no control characters.
  var terminalColumns: Int { unicodeScalars.reduce(0) { $0 + $1.terminalColumns } }

  /// Shortens the text to at most `width` columns of a terminal, with an ellipsis.
  /// - Parameter keepsEnd: true to leave out the beginning instead of the end.
  func shortened(to width: Int, keepsEnd: Bool = false) -> String {
    if terminalColumns <= width { return self }
    var rest = width - 1
    func fits(_ scalar: Unicode.Scalar) -> Bool {
      rest -= scalar.terminalColumns
      return rest >= 0
    }
    var kept = String.UnicodeScalarView()
    if keepsEnd {
      let end = unicodeScalars.reversed().prefix(while: fits)
      // A mark without the character it is set upon would be set upon the ellipsis.
      kept.append(contentsOf: end.reversed().drop { $0.terminalColumns == 0 })
      return "…" + String(kept)
    }
    kept.append(contentsOf: unicodeScalars.prefix(while: fits))
    return String(kept) + "…"
  }
}

extension Unicode.Scalar {
  /// Columns of a character in a terminal: 0, 1 or 2.
  ///
  /// 0 for combining characters, 2 for the squares of East Asian writing (width W and F of
  /// Unicode's UAX #11) and for pictures, else 1. By whole blocks, unassigned characters included.
  fileprivate var terminalColumns: Int {
    if value < 0x300 { return 1 }
    if [.nonspacingMark, .enclosingMark].contains(properties.generalCategory) { return 0 }
    switch value {
    case 0x1160...0x11FF: return 0  // Hangul vowels and finals
    case 0x1100...0x115F,  // Hangul initials
      0x2E80...0x303E, 0x3041...0xA4CF,  // Han radicals, kana, Han, Yi
      0xA960...0xA97F, 0xAC00...0xD7A3,  // Hangul
      0xF900...0xFAFF,  // Han, for compatibility
      0xFE10...0xFE19, 0xFE30...0xFE6F,  // upright and small forms
      0xFF01...0xFF60, 0xFFE0...0xFFE6,  // full-width forms
      0x16FE0...0x18DFF, 0x1AFF0...0x1B2FF,  // Tangut, Khitan, more kana
      0x20000...0x3FFFD:  // the other planes of Han
      return 2
    case 0x1F1E6...0x1F1FF: return 1  // two of them make a flag
    default: return properties.isEmojiPresentation ? 2 : 1
    }
  }
}

/// The terminal that results are shown on.
struct Terminal {
  let width: Int
  /// Whether it can do more than print text. Then it takes commands for colours, and can rewrite a
  /// line.
  var isCapable = false
  var hasColors = false
  /// Whether it also shows the sentences on standard error.
  var showsMessages = false
}

extension Terminal {
  /// The terminal of standard output. In a file a line may be as long as it is, unless `COLUMNS`
  /// limits it.
  init(ofOutput host: Host, isQuiet: Bool = false) {
    let isTerminal = host.streams.outputIsTerminal
    let usual = isTerminal ? host.streams.outputColumns ?? 80 : nil
    let columns = Int(Self.variable("COLUMNS", host)) ?? usual
    width = columns.map { min(max($0, 20), 10_000) } ?? .max
    if !isTerminal { return }
    isCapable = Self.isCapable(host)
    hasColors = isCapable && Self.variable("NO_COLOR", host).isEmpty
    showsMessages = host.streams.errorIsTerminal && !isQuiet
  }

  static func isCapable(_ host: Host) -> Bool { !["", "dumb"].contains(variable("TERM", host)) }

  private static func variable(_ name: String, _ host: Host) -> String {
    (try? host.environment(name)).flatMap { $0 } ?? ""
  }

  func bold(_ text: String) -> String { hasColors ? "\u{1b}[1m\(text)\u{1b}[m" : text }

  func red(_ text: String) -> String { hasColors ? "\u{1b}[31m\(text)\u{1b}[m" : text }
}
