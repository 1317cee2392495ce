internal import CreditModel

/// Walks over a line in its writer's only form. After a difference it fails for good, and stays in
/// its place.
///
/// Any accepted text is exactly the text that the writer writes for the returned values.
struct RecordCursor: ~Copyable {
  private let base: UnsafeRawPointer
  private let end: Int
  private var position = 0
  private(set) var hasFailed = false
  /// The text that was read last, if the line's text differs from it.
  private var decoded: UnsafeMutableRawBufferPointer?

  @inline(__always)
  init(_ line: UnsafeRawBufferPointer) {
    let nothing: StaticString = ""
    base = line.baseAddress ?? UnsafeRawPointer(nothing.utf8Start)
    end = line.count
  }

  deinit {
    decoded?.deallocate()
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

  /// Whether a text comes next.
  @inline(__always)
  func isNext(_ text: StaticString) -> Bool {
    let count = text.utf8CodeUnitCount
    return !hasFailed && end &- position >= count
      && bytesAreEqual(base + position, text.utf8Start, count: count)
  }

  /// Goes past a text if it comes next.
  @inline(__always)
  mutating func skip(_ text: StaticString) -> Bool {
    guard isNext(text) else { return false }
    position &+= text.utf8CodeUnitCount
    return true
  }

  /// Goes past a text that has to come next.
  @inline(__always)
  mutating func expect(_ text: StaticString) {
    if !skip(text) { hasFailed = true }
  }

  /// Goes past a member's name if it comes next, and past the comma before it.
  @inline(__always)
  mutating func skipMember(_ name: StaticString) -> Bool {
    guard let place = placeAfter(name) else { return false }
    position = place
    return true
  }

  /// Whether a member comes next.
  @inline(__always)
  func isNextMember(_ name: StaticString) -> Bool { placeAfter(name) != nil }

  /// Returns the start of the next member's value, if it has a name. The first member has no comma.
  @inline(__always)
  private func placeAfter(_ name: StaticString) -> Int? {
    let count = name.utf8CodeUnitCount
    guard end &- position >= count &+ 4 else { return nil }
    let hasComma = byte(at: position) == UInt8(ascii: ",")
    let place = hasComma ? position &+ 1 : position
    guard bytesAreEqual(base + place + 1, name.utf8Start, count: count), !hasFailed,
      byte(at: place) == .quote, byte(at: place &+ count &+ 1) == .quote,
      byte(at: place &+ count &+ 2) == UInt8(ascii: ":"),
      hasComma != (position > 0 && byte(at: position &- 1) == UInt8(ascii: "{"))
    else { return nil }
    return place &+ count &+ 3
  }

  /// Goes past a word and the quote behind it if they come next.
  mutating func skipWord(_ word: StaticString) -> Bool {
    let start = position
    if skip(word), skip("\"") { return true }
    position = start
    return false
  }

  /// Goes past a text in quotes if it comes next.
  mutating func skipText(_ text: StaticString) -> Bool {
    let start = position
    if skip("\""), skip(text), skip("\"") { return true }
    position = start
    return false
  }

  /// Goes past `count` bytes.
  mutating func skip(count: Int) {
    require(end - position >= count)
    if !hasFailed { position += count }
  }

  /// Moves to the place `count` bytes before the last brace that opens an object.
  /// - Parameter skipped: number of bytes at the end that are not searched.
  mutating func goToLastObject(lessBytes count: Int, skipping skipped: Int) {
    let braces: UInt64 = 0x7B7B_7B7B_7B7B_7B7B
    var place = end - skipped
    // Eight bytes at once, until one of them is a brace.
    while place &- 8 > position {
      let others = ByteWord(base + (place &- 8)).bits ^ braces
      if (others &- 0x0101_0101_0101_0101) & ~others & 0x8080_8080_8080_8080 != 0 { break }
      place &-= 8
    }
    while place > position, byte(at: place &- 1) != UInt8(ascii: "{") { place &-= 1 }
    require(place &- count >= position)
    if !hasFailed { position = place &- count }
  }

  /// An integer.
  @inline(__always)
  mutating func integer() -> Int64 {
    let isNegative = skip("-")
    let first = position
    var value: Int64 = 0
    if position &+ 8 <= end {
      let (digits, count) = ByteWord(base + position).leadingDigits
      value = digits
      position &+= count
    }
    while position < end {
      let digit = byte(at: position) &- UInt8(ascii: "0")
      guard digit < 10 else { break }
      value = value &* 10 &+ Int64(digit)
      position &+= 1
    }
    let count = position &- first
    // Neither 007 nor -0 is ever written.
    require(1...19 ~= count && (byte(at: first) != UInt8(ascii: "0") || count == 1 && !isNegative))
    // 19 digits that fit are never negative here, and those that do not fit always are.
    require(value >= 0)
    return isNegative ? 0 &- value : value
  }

  /// The bytes of a string, its escapes resolved; valid until the next one is read.
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
    return hasFailed ? none : otherText(from: first)
  }

  private var none: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: base, count: 0) }

  /// Reads a text that is not all printable ASCII. Few are: it is unescaped and compared with the
  /// writer's text.
  @inline(never)
  private mutating func otherText(from first: Int) -> UnsafeRawBufferPointer {
    guard let end = endOfString(from: first) else {
      hasFailed = true
      return none
    }
    let raw = UnsafeRawBufferPointer(start: base + first - 1, count: end - first + 2)
    let inner = UnsafeRawBufferPointer(rebasing: raw[1..<raw.count - 1])
    let text = JSONText(bytes: inner, isPlain: false).string
    var writer = JSONWriter(capacity: raw.count)
    writer.string(text)
    require(writer.withBytes { $0.hasSameBytes(as: raw) })
    position = end + 1
    return keep(text)
  }

  private mutating func keep(_ text: String) -> UnsafeRawBufferPointer {
    decoded?.deallocate()
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: text.utf8.count, alignment: 1)
    buffer.copyBytes(from: text.utf8)
    decoded = buffer
    return UnsafeRawBufferPointer(buffer)
  }

  /// Returns the place of the quote that ends a string. Nil if there is no such quote, or if an
  /// escape is malformed.
  private func endOfString(from first: Int) -> Int? {
    let input = JSONInput(base: base, count: end, isFinal: true)
    var place = first
    while place < end {
      let byte = byte(at: place)
      if byte == .quote { return place }
      if byte == .backslash {
        guard case .whole(let length) = input.escape(at: place) else { return nil }
        place += length
      } else {
        place += 1
      }
    }
    return nil
  }

  /// The bytes of a text that a name can have.
  @inline(__always)
  mutating func name(limit: Int) -> UnsafeRawBufferPointer {
    let line = base
    let text = self.text()
    if let decoded, text.baseAddress == UnsafeRawPointer(decoded.baseAddress) {
      require(Name.problem(with: String(decoding: text, as: UTF8.self), limit: limit) == nil)
    } else {
      require(1...limit ~= text.count && text[0] > 0x20 && text[text.count &- 1] > 0x20)
    }
    return hasFailed ? UnsafeRawBufferPointer(start: line, count: 0) : text
  }

  /// The bytes of a time's text, with a checked length only.
  @inline(__always)
  mutating func timeText() -> UnsafeRawBufferPointer {
    expect("\"")
    let text = UnsafeRawBufferPointer(start: base + position, count: Timestamp.textLength)
    if end &- position <= Timestamp.textLength { hasFailed = true }
    guard !hasFailed else { return none }
    position &+= Timestamp.textLength
    expect("\"")
    return text
  }
}
