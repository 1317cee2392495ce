internal import CreditModel

/// Walks over a line that is expected to be in the one form that a writer gives it. What differs, or
/// needs more than a look, makes it fail for good; after that it stays where it is.
///
/// Whatever it accepts is what the writer writes for the values it returns, byte for byte.
struct RecordCursor {
  private let base: UnsafeRawPointer
  private let end: Int
  private var position = 0
  private(set) var hasFailed = false

  init?(_ line: UnsafeRawBufferPointer) {
    guard let base = line.baseAddress else { return nil }
    self.base = base
    end = line.count
  }

  var isAtEnd: Bool { position == end && !hasFailed }

  mutating func fail() { hasFailed = true }

  /// Fails unless a condition holds.
  @inline(__always)
  mutating func require(_ condition: Bool) {
    if !condition { hasFailed = true }
  }

  @inline(__always)
  private func byte(at index: Int) -> UInt8 { base.load(fromByteOffset: index, as: UInt8.self) }

  /// Goes past a text if it comes next.
  @inline(__always)
  mutating func skip(_ text: StaticString) -> Bool {
    let count = text.utf8CodeUnitCount
    guard !hasFailed, end &- position >= count,
      bytesAreEqual(base + position, text.utf8Start, count: count)
    else { return false }
    position &+= count
    return true
  }

  /// Goes past a text that has to come next.
  @inline(__always)
  mutating func expect(_ text: StaticString) {
    if !skip(text) { hasFailed = true }
  }

  /// Goes past so many bytes.
  mutating func skip(count: Int) {
    require(end - position >= count)
    if !hasFailed { position += count }
  }

  /// An integer of up to 18 digits; longer ones are rare enough to be read the slow way.
  @inline(__always)
  mutating func integer() -> Int64 {
    let isNegative = skip("-")
    let first = position
    var value: Int64 = 0
    while position < end {
      let digit = byte(at: position) &- UInt8(ascii: "0")
      guard digit < 10 else { break }
      value = value &* 10 &+ Int64(digit)
      position &+= 1
    }
    let count = position &- first
    // Neither 007 nor -0 is ever written.
    require(1...18 ~= count && (byte(at: first) != UInt8(ascii: "0") || count == 1 && !isNegative))
    return isNegative ? 0 &- value : value
  }

  /// The bytes of a string, without its quotes: printable ASCII, none of it escaped.
  @inline(__always)
  mutating func text() -> UnsafeRawBufferPointer {
    expect("\"")
    let first = position
    while !hasFailed {
      if position &+ 8 <= end {
        let word = ByteWord(base + position)
        let plain = ByteWord.firstIndex(in: word.escapable | word.aboveTilde)
        position &+= plain
        if plain == 8 { continue }
      }
      guard position < end else { break }
      let byte = byte(at: position)
      if byte == .quote {
        position &+= 1
        return UnsafeRawBufferPointer(start: base + first, count: position &- 1 &- first)
      }
      if byte < 0x20 || byte >= 0x7F || byte == .backslash { break }
      position &+= 1
    }
    hasFailed = true
    return UnsafeRawBufferPointer(start: base, count: 0)
  }

  /// The bytes of a text that a name can have.
  @inline(__always)
  mutating func name() -> UnsafeRawBufferPointer {
    let text = self.text()
    guard 1...Name.accountLimit ~= text.count, text[0] > 0x20, text[text.count &- 1] > 0x20 else {
      hasFailed = true
      return UnsafeRawBufferPointer(start: base, count: 0)
    }
    return text
  }

  /// The bytes of a time's text, of which only the length has been looked at.
  @inline(__always)
  mutating func timeText() -> UnsafeRawBufferPointer {
    expect("\"")
    let text = UnsafeRawBufferPointer(start: base + position, count: Timestamp.textLength)
    if end &- position <= Timestamp.textLength { hasFailed = true }
    guard !hasFailed else { return UnsafeRawBufferPointer(start: base, count: 0) }
    position &+= Timestamp.textLength
    expect("\"")
    return text
  }
}
