internal import CreditJSON
internal import CreditSystem

/// Takes one text apart into records, in constant memory: what is held is a line, or one value.
///
/// A line that is damaged takes no other with it. A text whose first line begins a value and does
/// not end it, as people's viewers lay them out, is read as values over many lines.
struct LogText: ~Copyable {
  /// The most bytes of a line, or of a row.
  static let lineLimit = JSONScanner.byteLimit
  /// The most bytes of a value over many lines, which may be a whole session.
  static let valueLimit = 64 << 20
  /// How much to read at once, in bytes.
  static let readUnit = 1 << 20

  private enum Layout {
    case undecided
    case lines
    case values
    case table
  }

  /// Takes a record, or what is wrong with one, and the line from 1 that it begins in.
  typealias Taker = (Result<JSONValue, LogProblem>, _ line: Int) -> Void

  private let format: any LogFormat
  private let allowed: LogLayout
  private var layout: Layout
  private var buffer = JSONBuffer()
  private var scanner = JSONScanner()
  private var stream = JSONStream(byteLimit: LogText.valueLimit)
  private var table = CSVTable()
  /// How many lines have been taken.
  private var line = 0
  /// How many bytes of the next line have been looked at without finding its end.
  private var searched = 0
  /// Whether the rest of a line that was too long is passed over.
  private var isSkipping = false

  init(_ format: any LogFormat) {
    self.format = format
    allowed = type(of: format).description.layout
    layout = allowed == .lines ? .lines : .undecided
  }

  /// Adds bytes of the text in place: `fill` is given some room, and says how many bytes it filled.
  mutating func withFreeSpace<Failure: Error>(
    _ fill: (UnsafeMutableRawBufferPointer) throws(Failure) -> Int
  ) throws(Failure) -> Int {
    try buffer.withFreeSpace(minimum: Self.readUnit, fill)
  }

  /// Hands on the records that have arrived.
  /// - Parameter isFinal: whether there is no more text.
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

  /// Looks at the first line that is not blank, and at how the next one begins.
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
    firstLine text: UnsafeRawBufferPointer, next: UInt8?, isFinal: Bool
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
        let text = UnsafeRawBufferPointer(rebasing: buffer.unread[..<end])
        if text.count > Self.lineLimit {
          body(.failure(.lineTooLong), line + 1)
        } else {
          takeLine(Self.trimmed(text[...]), body)
        }
      }
      isSkipping = false
      pass(end)
    }
    guard isSkipping || buffer.unread.count > Self.lineLimit else { return }
    if !isSkipping { body(.failure(.lineTooLong), line + 1) }
    isSkipping = true
    buffer.advance(by: buffer.unread.count)
    searched = 0
  }

  /// Of a line that is of no interest only its ends are looked at, which a line that was cut has
  /// not.
  private mutating func takeLine(_ text: UnsafeRawBufferPointer, _ body: Taker) {
    if text.isEmpty { return }
    let isWhole = text.first == UInt8(ascii: "{") && text.last == UInt8(ascii: "}")
    if isWhole, !format.wants(text) { return }
    switch scanner.scan(text, isFinal: true) {
    case .complete(let length) where length == text.count:
      Self.hand(on: scanner.value(in: text), line + 1, body)
    case .complete, .incomplete:
      body(.failure(.malformed(.textAfterValue)), line + 1)
    case .failure(let error):
      body(.failure(.malformed(error.reason)), line + 1)
    }
  }

  /// How many bytes the next line has, without its line feed; nil where its end is yet to come.
  private mutating func endOfLine(isFinal: Bool) -> Int? {
    let unread = buffer.unread
    let rest = UnsafeRawBufferPointer(rebasing: unread[searched...])
    if let end = rest.firstPlace(of: UInt8(ascii: "\n")) { return searched + end }
    searched = unread.count
    return isFinal && !unread.isEmpty ? unread.count : nil
  }

  /// Goes past a line of `count` bytes and its line feed.
  private mutating func pass(_ count: Int) {
    buffer.advance(by: min(count + 1, buffer.unread.count))
    searched = 0
    line += 1
  }

  private static func trimmed(_ text: Slice<UnsafeRawBufferPointer>) -> UnsafeRawBufferPointer {
    var text = text
    if text.starts(with: [0xef, 0xbb, 0xbf]) { text = text.dropFirst(3) }
    while let first = text.first, first.isSpace { text = text.dropFirst() }
    while let last = text.last, last.isSpace { text = text.dropLast() }
    return UnsafeRawBufferPointer(rebasing: text)
  }

  // MARK: Values and rows

  private mutating func takeValues(isFinal: Bool, _ body: Taker) {
    stream.append(buffer.unread)
    buffer.advance(by: buffer.unread.count)
    if isFinal { stream.finish() }
    while true {
      switch stream.next() {
      case .value(let value, let place, _): Self.hand(on: value, line + place, body)
      case .malformed(let error):
        let isTooLong = error.reason == .tooLong
        body(.failure(isTooLong ? .valueTooLong : .malformed(error.reason)), line + error.line)
      case .needsMore, .end, .word: return
      }
    }
  }

  private mutating func takeRows(isFinal: Bool, _ body: Taker) {
    let count = table.take(buffer.unread, isFinal: isFinal) { row, place in
      switch row {
      case .failure(let problem): body(.failure(problem), line + place)
      case .success(let text):
        if case .complete = scanner.scan(text, isFinal: true) {
          body(.success(scanner.value(in: text)), line + place)
        } else {
          body(.failure(.malformed(.invalidUTF8)), line + place)
        }
      }
    }
    buffer.advance(by: count)
  }

  /// Hands on a record, or the records of a list.
  private static func hand(on value: JSONValue, _ line: Int, _ body: Taker) {
    if value.kind != .array { return body(.success(value), line) }
    for element in value.elements { body(.success(element), line) }
  }
}

extension UInt8 {
  /// Whether the byte is white space, as JSON has it.
  fileprivate var isSpace: Bool { self == 0x20 || (0x09...0x0d).contains(self) }
}
