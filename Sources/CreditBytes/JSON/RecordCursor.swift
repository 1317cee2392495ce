/// Walks over a line in its writer's only form. After a difference it fails for good, and stays in
/// its place.
///
/// The writer writes each accepted line again, byte for byte.
public struct RecordCursor: ~Copyable {
  @usableFromInline let base: UnsafeRawPointer
  @usableFromInline let end: Int
  @usableFromInline var position = 0
  public var hasFailed = false
  /// The text that was read last, if the line's text differs from it.
  @usableFromInline var decoded: MutableBytes?

  @inlinable @inline(__always)
  public init(_ line: Bytes) {
    let nothing: StaticString = ""
    base = line.baseAddress ?? UnsafeRawPointer(nothing.utf8Start)
    end = line.count
  }

  deinit {
    decoded?.deallocate()
  }

  @inlinable public var isAtEnd: Bool { position == end && !hasFailed }

  public mutating func fail() { hasFailed = true }

  /// Fails unless a condition holds.
  @inlinable @inline(__always)
  public mutating func require(_ condition: Bool) { if !condition { hasFailed = true } }

  @inlinable @inline(__always)
  func byte(at index: Int) -> UInt8 { base.load(fromByteOffset: index, as: UInt8.self) }

  @inlinable @inline(__always)
  public func isNext(_ text: StaticString) -> Bool {
    let count = text.utf8CodeUnitCount
    return !hasFailed && end &- position >= count
      && bytesAreEqual(base + position, text.utf8Start, count: count)
  }

  /// Goes past a text if it comes next.
  @inlinable @inline(__always)
  public mutating func skip(_ text: StaticString) -> Bool {
    guard isNext(text) else { return false }
    position &+= text.utf8CodeUnitCount
    return true
  }

  /// Goes past a text that has to come next.
  @inlinable @inline(__always)
  public mutating func expect(_ text: StaticString) { if !skip(text) { hasFailed = true } }

  /// Goes past a member's name if it comes next, and past the comma before it.
  @inlinable @inline(__always)
  public mutating func skipMember(_ name: StaticString) -> Bool {
    guard let place = placeAfter(name) else { return false }
    position = place
    return true
  }

  /// Returns the start of the next member's value, if it has a name. The first member has no comma.
  @inlinable @inline(__always)
  public func placeAfter(_ name: StaticString) -> Int? {
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
  @inlinable public mutating func skipWord(_ word: StaticString) -> Bool {
    let start = position
    if skip(word), skip("\"") { return true }
    position = start
    return false
  }

  /// Goes past a text in quotes if it comes next.
  @inlinable public mutating func skipText(_ text: StaticString) -> Bool {
    let start = position
    if skip("\""), skip(text), skip("\"") { return true }
    position = start
    return false
  }

  public mutating func skip(count: Int) {
    require(end - position >= count)
    if !hasFailed { position += count }
  }

  /// Goes to the place `count` bytes before the last brace that opens an object.
  /// - Parameter skipped: the number of bytes at the end that are not looked at.
  public mutating func goToLastObject(lessBytes count: Int, skipping skipped: Int) {
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

  @inlinable @inline(__always)
  public mutating func integer() -> Int64 {
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
  @inlinable @inline(__always)
  public mutating func text() -> Bytes {
    expect("\"")
    let first = position
    while !hasFailed {
      if position &+ 8 <= end {
        let word = ByteWord(base + position)
        let plain = ByteWord.firstIndex(in: word.unprintable)
        position &+= plain
        if plain == 8 { continue }
      }
      guard position < end else { break }
      let byte = byte(at: position)
      if byte == .quote {
        position &+= 1
        return Bytes(start: base + first, count: position &- 1 &- first)
      }
      if byte < 0x20 || byte >= 0x7F || byte == .backslash { break }
      position &+= 1
    }
    return hasFailed ? none : otherText(from: first)
  }

  @inlinable var none: Bytes { Bytes(start: base, count: 0) }

  /// Reads a text that is not all printable ASCII. Few are: it is unescaped and compared with the
  /// writer's text.
  @inline(never)
  @usableFromInline mutating func otherText(from first: Int) -> Bytes {
    guard let end = endOfString(from: first) else {
      hasFailed = true
      return none
    }
    let raw = Bytes(start: base + first - 1, count: end - first + 2)
    let inner = Bytes(rebasing: raw[1..<raw.count - 1])
    let text = JSONText(bytes: inner, isPlain: false).string
    var writer = JSONWriter(capacity: raw.count)
    writer.string(text)
    require(writer.withBytes { $0.hasSameBytes(as: raw) })
    position = end + 1
    decoded?.deallocate()
    let buffer = MutableBytes.allocate(byteCount: text.utf8.count, alignment: 1)
    buffer.copyBytes(from: text.utf8)
    decoded = buffer
    return Bytes(buffer)
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

  /// Whether a text that was just read differs from the line's bytes.
  @inlinable @inline(__always)
  public func isDecoded(_ text: Bytes) -> Bool {
    decoded.map { text.baseAddress == UnsafeRawPointer($0.baseAddress) } ?? false
  }

  /// The bytes of a time's text, with a checked length only.
  @inlinable @inline(__always)
  public mutating func timeText() -> Bytes {
    expect("\"")
    let text = Bytes(start: base + position, count: Timestamp.textLength)
    if end &- position <= Timestamp.textLength { hasFailed = true }
    guard !hasFailed else { return none }
    position &+= Timestamp.textLength
    expect("\"")
    return text
  }
}
