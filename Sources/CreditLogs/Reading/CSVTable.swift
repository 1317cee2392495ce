public import CreditBytes

/// Comma-separated values (RFC 4180), each row as a JSON object of texts. The separator is a comma,
/// a semicolon or a tab: the one that the first row has the most of.
public struct CSVTable: ~Copyable {
  private var names: [[UInt8]] = []
  private var row = JSONWriter()
  private var cell: [UInt8] = []
  private var column = 0
  /// The byte between two values.
  private var separator = UInt8.comma
  /// The line from 1 that the next row begins in.
  private var line = 1
  /// Whether the row that was taken last ends within quotes.
  private var endsQuoted = false

  public init() {}

  /// Takes rows, or a row's fault, with the first line of each.
  public typealias Taker = (Result<Bytes, LogProblem>, _ line: Int) -> Void

  /// Hands on the rows at the beginning of the bytes.
  /// - Returns: the number of their bytes.
  public mutating func take(
    _ bytes: Bytes, isFinal: Bool, _ body: Taker
  ) -> Int {
    var start = bytes.starts(with: [0xef, 0xbb, 0xbf]) ? 3 : 0
    while let end = Self.endOfRow(bytes, from: start, isFinal: isFinal) {
      takeRow(Bytes(rebasing: bytes[start..<end]), body)
      start = min(end + 1, bytes.count)
    }
    if bytes.count - start > LogText.lineLimit {
      // A quote that is never closed: the next line begins a new record.
      body(.failure(.lineTooLong), line)
      let rest = Bytes(rebasing: bytes[start...])
      let end = start + (rest.firstIndex(of: .lineFeed) ?? rest.count - 1)
      line += 1
      return end + 1
    }
    return start
  }

  /// Returns the end of the row: a line feed outside of quotes.
  private static func endOfRow(
    _ bytes: Bytes, from start: Int, isFinal: Bool
  ) -> Int? {
    var isQuoted = false
    for index in start..<bytes.count {
      switch bytes[index] {
      case .quote: isQuoted.toggle()
      case .lineFeed where !isQuoted: return index
      default: break
      }
    }
    return isFinal && start < bytes.count ? bytes.count : nil
  }

  private mutating func takeRow(_ text: Bytes, _ body: Taker) {
    defer { line += 1 + text.count(where: { $0 == .lineFeed }) }
    let text = text.last == .carriageReturn ? text.dropLast() : text[...]
    if text.isEmpty { return }
    let isHeader = names.isEmpty
    if isHeader { separator = Self.separator(in: text) }
    row.removeAll()
    row.beginObject()
    column = 0
    forEachCell(of: text, isHeader: isHeader)
    row.endObject()
    if isHeader { return }
    if endsQuoted { return body(.failure(.unclosedQuote), line) }
    guard column == names.count else { return body(.failure(.wrongColumns), line) }
    row.withBytes { body(.success($0), line) }
  }

  private mutating func forEachCell(of text: Slice<Bytes>, isHeader: Bool) {
    cell.removeAll(keepingCapacity: true)
    var isQuoted = false
    var wasQuote = false
    for byte in text {
      switch byte {
      case .quote:
        // Two quotes within quotes are one of the value.
        if !isQuoted, wasQuote { cell.append(byte) }
        isQuoted.toggle()
        wasQuote = !isQuoted
        continue
      case separator where !isQuoted: endCell(isHeader: isHeader)
      default: cell.append(byte)
      }
      wasQuote = false
    }
    endsQuoted = isQuoted
    endCell(isHeader: isHeader)
  }

  private static func separator(in header: Slice<Bytes>) -> UInt8 {
    var counts: [Int] = [0, 0, 0]
    var isQuoted = false
    for byte in header {
      if byte == .quote { isQuoted.toggle() }
      if !isQuoted, let number = separators.firstIndex(of: byte) { counts[number] += 1 }
    }
    let most = counts.max() ?? 0
    return separators[counts.firstIndex(of: most) ?? 0]
  }

  private static let separators: [UInt8] = [.comma, UInt8(ascii: ";"), UInt8(ascii: "\t")]

  private mutating func endCell(isHeader: Bool) {
    if isHeader {
      names.append(cell)
    } else if column < names.count {
      names[column].withBytes { row.key(utf8: $0) }
      cell.withBytes { row.string(utf8: $0) }
    }
    column += 1
    cell.removeAll(keepingCapacity: true)
  }
}

extension UInt8 {
  fileprivate static let comma = UInt8(ascii: ",")
  fileprivate static let carriageReturn = UInt8(ascii: "\r")
}
