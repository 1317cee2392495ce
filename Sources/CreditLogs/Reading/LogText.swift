internal import CreditModel
internal import CreditSystem

/// Takes one text apart into records, in constant memory: it keeps one line, or one value.
///
/// A damaged line does not affect others. If the first line begins a value and does not end it, as
/// viewers lay it out, the text is read as values over many lines.
struct LogText: ~Copyable {
  /// The most bytes of a line, or of a row.
  static let lineLimit = JSONScanner.byteLimit
  /// The most bytes of a value over many lines, which may be a whole session.
  static let valueLimit = 64 << 20
  /// Bytes to read at once.
  static let readUnit = 1 << 20

  private enum Layout {
    case undecided
    case lines
    case values
    case table
  }

  /// A record's place: its line, from 1, and that line's offset in the text, in bytes.
  struct Place {
    let line: Int
    let offset: Int
  }

  /// Takes a record, or its fault, with its place.
  typealias Taker = (Result<JSONValue, LogProblem>, Place) -> Void

  private let format: any LogFormat
  private let allowed: LogLayout
  private var layout: Layout
  private var buffer = JSONBuffer()
  private var scanner = JSONScanner()
  private var stream = JSONStream(byteLimit: LogText.valueLimit)
  private var table = CSVTable()
  /// Number of lines that have been taken, and of their bytes.
  private var line = 0
  private var passed = 0
  /// The bytes of the line that was taken last, if it had no line feed.
  private var openLength = 0
  /// Number of bytes of the next line that were searched for its end.
  private var searched = 0
  /// Whether the rest of a line that was too long is passed over.
  private var isSkipping = false

  /// - Parameter offset: above 0 to go on with a text of lines, of which `line` were read.
  init(_ format: any LogFormat, from offset: Int, line: Int) {
    self.format = format
    allowed = type(of: format).description.layout
    layout = allowed == .lines || offset > 0 ? .lines : .undecided
    passed = offset
    self.line = line
  }

  /// End of the lines that have been read to their line feed.
  ///
  /// Its line is the number of lines before. It is nil if the text does not consist of lines, or a
  /// line is being skipped.
  var end: Place? {
    guard layout == .lines, !isSkipping else { return nil }
    return Place(line: openLength > 0 ? line - 1 : line, offset: passed - openLength)
  }

  /// Adds bytes of the text in place: `fill` gets some room, and returns how many bytes it filled.
  mutating func withFreeSpace<Failure: Error>(
    _ fill: (MutableBytes) throws(Failure) -> Int
  ) throws(Failure) -> Int {
    try buffer.withFreeSpace(minimum: Self.readUnit, fill)
  }

  /// Hands on the records that have arrived.
  /// - Parameter isFinal: true if there is no more text.
  mutating func take(isFinal: Bool, _ body: Taker) {
    if layout == .undecided { decide(isFinal: isFinal) }
    switch layout {
    case .undecided: break
    case .lines: takeLines(isFinal: isFinal, body)
    case .values: takeValues(isFinal: isFinal, body)
    case .table: takeRows(isFinal: isFinal, body)
    }
  }

  // MARK: Layout

  /// Decides the form by the first two lines that are not blank.
  private mutating func decide(isFinal: Bool) {
    while let end = endOfLine(isFinal: isFinal) {
      let text = Self.trimmed(buffer.unread[..<end])
      if !text.isEmpty {
        let next = buffer.unread[end...].first { !$0.isSpace || $0 == UInt8(ascii: " ") }
        layout = self.layout(firstLine: text, next: next, isFinal: isFinal)
        return
      }
      pass(end)
    }
    // No line is as long: it may be a value that is.
    if buffer.unread.count > Self.lineLimit { layout = .values }
  }

  private mutating func layout(
    firstLine text: Bytes, next: UInt8?, isFinal: Bool
  ) -> Layout {
    let first = text[0]
    if first != UInt8(ascii: "{"), first != UInt8(ascii: "[") {
      return allowed == .valuesOrTable ? .table : .lines
    }
    if case .complete = scanner.scan(text, isFinal: true) { return .lines }
    if first == UInt8(ascii: "[") { return .values }
    // A line that was cut is followed by one that begins a record, a value by the rest of it.
    guard let next else { return isFinal ? .lines : .undecided }
    return next == first ? .lines : .values
  }

  // MARK: Lines

  private mutating func takeLines(isFinal: Bool, _ body: Taker) {
    while let end = endOfLine(isFinal: isFinal) {
      if !isSkipping {
        let text = Bytes(rebasing: buffer.unread[..<end])
        if text.count > Self.lineLimit {
          body(.failure(.lineTooLong), place)
        } else {
          takeLine(Self.trimmed(text[...]), body)
        }
      }
      isSkipping = false
      pass(end)
    }
    guard isSkipping || buffer.unread.count > Self.lineLimit else { return }
    if !isSkipping { body(.failure(.lineTooLong), place) }
    isSkipping = true
    passed += buffer.unread.count
    buffer.advance(by: buffer.unread.count)
    searched = 0
  }

  /// Place of the next line.
  private var place: Place { Place(line: line + 1, offset: passed) }

  /// Only the ends of an irrelevant line are checked; an incomplete line lacks them.
  private mutating func takeLine(_ text: Bytes, _ body: Taker) {
    if text.isEmpty { return }
    let isWhole = text.first == UInt8(ascii: "{") && text.last == UInt8(ascii: "}")
    if isWhole, !format.wants(text) { return }
    switch scanner.scan(text, isFinal: true) {
    case .complete(let length) where length == text.count:
      Self.hand(on: scanner.value(in: text), place, body)
    case .complete, .incomplete:
      body(.failure(.malformed(.textAfterValue)), place)
    case .failure(let error):
      let rest = Bytes(rebasing: text[min(error.offset, text.count)...])
      body(.failure(.malformed(error.reason, error.advice(before: rest))), place)
    }
  }

  /// Returns the next line's length in bytes, without its line feed.
  ///
  /// It is nil if the line's end is not read yet.
  private mutating func endOfLine(isFinal: Bool) -> Int? {
    let unread = buffer.unread
    let rest = Bytes(rebasing: unread[searched...])
    if let end = rest.firstPlace(of: UInt8(ascii: "\n")) { return searched + end }
    searched = unread.count
    return isFinal && !unread.isEmpty ? unread.count : nil
  }

  /// Goes past a line of `count` bytes and its line feed.
  private mutating func pass(_ count: Int) {
    let length = min(count + 1, buffer.unread.count)
    openLength = length == count ? length : 0
    passed += length
    buffer.advance(by: length)
    searched = 0
    line += 1
  }

  private static func trimmed(_ text: Slice<Bytes>) -> Bytes {
    var text = text
    if text.starts(with: [0xef, 0xbb, 0xbf]) { text = text.dropFirst(3) }
    while let first = text.first, first.isSpace { text = text.dropFirst() }
    while let last = text.last, last.isSpace { text = text.dropLast() }
    return Bytes(rebasing: text)
  }

  // MARK: Values and rows

  private mutating func takeValues(isFinal: Bool, _ body: Taker) {
    stream.append(buffer.unread)
    buffer.advance(by: buffer.unread.count)
    if isFinal { stream.finish() }
    while true {
      switch stream.next() {
      case .value(let value, let place, _):
        Self.hand(on: value, Place(line: line + place, offset: 0), body)
      case .malformed(let error):
        let isTooLong = error.reason == .tooLong
        body(
          .failure(isTooLong ? .valueTooLong : .malformed(error.reason, stream.advice)),
          Place(line: line + error.line, offset: 0))
      case .needsMore, .end, .word: return
      }
    }
  }

  private mutating func takeRows(isFinal: Bool, _ body: Taker) {
    let count = table.take(buffer.unread, isFinal: isFinal) { row, number in
      let place = Place(line: line + number, offset: 0)
      switch row {
      case .failure(let problem): body(.failure(problem), place)
      case .success(let text):
        if case .complete = scanner.scan(text, isFinal: true) {
          body(.success(scanner.value(in: text)), place)
        } else {
          body(.failure(.malformed(.invalidUTF8)), place)
        }
      }
    }
    buffer.advance(by: count)
  }

  /// Hands on a record, or the records of a list.
  private static func hand(on value: JSONValue, _ place: Place, _ body: Taker) {
    if value.kind != .array { return body(.success(value), place) }
    for element in value.elements { body(.success(element), place) }
  }
}

extension UInt8 {
  /// True if the byte is white space in JSON.
  fileprivate var isSpace: Bool { self == 0x20 || (0x09...0x0d).contains(self) }
}
