package import CreditModel

/// Compact JSON in a buffer of bytes that is kept from use to use.
///
/// The writer puts the commas. That names and values alternate, and that what is begun is ended, is
/// the caller's business.
package struct JSONWriter: ~Copyable {
  private var base: UnsafeMutableRawPointer
  /// Bytes written so far.
  package private(set) var count = 0
  private var capacity: Int
  private var needsComma = false
  private var day = TimestampDay(of: Timestamp(milliseconds: 0))

  /// Room that is always asked for beyond the text itself: a comma, quotes, a colon, and a whole word
  /// to store where only some of its bytes count.
  private static let slack = 16

  /// - Parameter capacity: bytes to have room for from the start.
  package init(capacity: Int = 4096) {
    self.capacity = max(capacity, Self.slack)
    base = .allocate(byteCount: self.capacity, alignment: 8)
  }

  deinit {
    base.deallocate()
  }

  // MARK: The buffer

  /// Calls `body` with what has been written; the bytes are valid only until it returns.
  package func withBytes<Result, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try body(UnsafeRawBufferPointer(start: base, count: count))
  }

  /// What has been written, as text.
  package var string: String {
    withBytes { String(decoding: $0, as: UTF8.self) }
  }

  /// Forgets what has been written.
  package mutating func removeAll(keepingCapacity: Bool = true) {
    if !keepingCapacity { self = JSONWriter() }
    count = 0
    needsComma = false
  }

  /// Forgets what was written after the writer held `count` bytes, at a time when no container was
  /// open: how a result that could not be finished is taken back.
  package mutating func truncate(to count: Int) {
    precondition(count >= 0 && count <= self.count)
    self.count = count
    needsComma = false
  }

  /// Calls `body` with what has been written from an offset on, to change it in place.
  package mutating func withMutableBytes(
    from offset: Int, _ body: (UnsafeMutableRawBufferPointer) -> Void
  ) {
    precondition(offset >= 0 && offset <= count)
    body(UnsafeMutableRawBufferPointer(start: base + offset, count: count - offset))
  }

  /// Writes a text over as many bytes that have been written before.
  package mutating func overwrite(_ text: StaticString, at offset: Int) {
    precondition(offset >= 0 && offset + text.utf8CodeUnitCount <= count)
    (base + offset).copyMemory(from: text.utf8Start, byteCount: text.utf8CodeUnitCount)
  }

  // MARK: Containers

  /// Begins an object: `{`.
  @inline(__always)
  package mutating func beginObject() { begin(UInt8(ascii: "{")) }

  /// Ends the object begun last: `}`.
  @inline(__always)
  package mutating func endObject() { end(UInt8(ascii: "}")) }

  /// Begins an array: `[`.
  @inline(__always)
  package mutating func beginArray() { begin(UInt8(ascii: "[")) }

  /// Ends the array begun last: `]`.
  @inline(__always)
  package mutating func endArray() { end(UInt8(ascii: "]")) }

  /// Ends a line, after a value that stands in no container.
  package mutating func endLine() {
    put(.lineFeed)
    needsComma = false
  }

  // MARK: Names

  /// Writes a member's name, whose value is to follow. It must have nothing in it to escape.
  @inline(__always)
  package mutating func key(_ name: StaticString) {
    let text = UnsafeRawBufferPointer(name)
    reserve(text.count)
    separate()
    store(.quote)
    storeWhole(text)
    store(.quote)
    store(UInt8(ascii: ":"))
    needsComma = false
  }

  /// Writes a member's name, whose value is to follow.
  package mutating func key(_ name: String) {
    string(name)
    endKey()
  }

  /// Writes a member's name from its UTF-8, which must be well formed; its value is to follow.
  package mutating func key(utf8 name: UnsafeRawBufferPointer) {
    string(utf8: name)
    endKey()
  }

  // MARK: Values

  /// Writes a string.
  package mutating func string(_ text: String) {
    text.withUTF8Bytes { string(utf8: $0) }
  }

  /// Writes a string from its UTF-8, which must be well formed.
  package mutating func string(utf8 text: UnsafeRawBufferPointer) {
    reserve(text.count)
    separate()
    store(.quote)
    storeEscaped(text)
    store(.quote)
    needsComma = true
  }

  /// Writes a string that has nothing in it to escape.
  @inline(__always)
  mutating func plain(_ text: StaticString) {
    let text = UnsafeRawBufferPointer(text)
    reserve(text.count)
    separate()
    store(.quote)
    storeWhole(text)
    store(.quote)
    needsComma = true
  }

  /// Writes an integer.
  package mutating func integer(_ value: Int64) {
    reserve(20)
    separate()
    if value < 0 { store(UInt8(ascii: "-")) }
    count &+= JSONDigits.write(value.magnitude, to: base + count)
    needsComma = true
  }

  /// Writes a time, as text.
  package mutating func timestamp(_ value: Timestamp) {
    reserve(Timestamp.textLength + 2)
    separate()
    store(.quote)
    day.encode(
      value,
      into: UnsafeMutableRawBufferPointer(start: base + count, count: Timestamp.textLength))
    count &+= Timestamp.textLength
    store(.quote)
    needsComma = true
  }

  /// Writes 32 bits as a string of eight hexadecimal digits.
  package mutating func hexadecimal(_ bits: UInt32) {
    reserve(10)
    separate()
    store(.quote)
    (base + count).storeBytes(of: Hexadecimal.digits(bits).bigEndian, as: UInt64.self)
    count &+= 8
    store(.quote)
    needsComma = true
  }

  /// Writes `true` or `false`.
  package mutating func bool(_ value: Bool) { raw(value ? "true" : "false") }

  /// Writes a value that is JSON already, as it stands.
  package mutating func raw(_ json: UnsafeRawBufferPointer) {
    reserve(json.count)
    separate()
    storeWhole(json)
    needsComma = true
  }

  /// Writes a value that is JSON already, as it stands.
  @inline(__always)
  package mutating func raw(_ json: StaticString) { raw(UnsafeRawBufferPointer(json)) }

  /// Writes a value as it was written where it was read.
  package mutating func raw(_ value: JSONValue) { raw(value.raw) }

  // MARK: Bytes

  /// Begins a value that is put together of bytes, whose commas are the caller's business.
  mutating func beginLaidOut() {
    reserve(1)
    separate()
  }

  /// Ends a value that was put together of bytes.
  mutating func endLaidOut() { needsComma = true }

  /// Writes a byte, without a thought of commas.
  @inline(__always)
  mutating func put(_ byte: UInt8) {
    reserve(1)
    store(byte)
  }

  /// Writes bytes, without a thought of commas.
  mutating func append(_ bytes: UnsafeRawBufferPointer) {
    reserve(bytes.count)
    storeWhole(bytes)
  }

  @inline(__always)
  private mutating func begin(_ bracket: UInt8) {
    reserve(1)
    separate()
    store(bracket)
    needsComma = false
  }

  @inline(__always)
  private mutating func end(_ bracket: UInt8) {
    put(bracket)
    needsComma = true
  }

  private mutating func endKey() {
    put(UInt8(ascii: ":"))
    needsComma = false
  }

  /// Makes room for `bytes` and the slack.
  @inline(__always)
  private mutating func reserve(_ bytes: Int) {
    if capacity &- count < bytes &+ Self.slack { grow(by: bytes) }
  }

  @inline(never)
  private mutating func grow(by bytes: Int) {
    let newCapacity = max(capacity * 2, count + bytes + Self.slack)
    let grown = UnsafeMutableRawPointer.allocate(byteCount: newCapacity, alignment: 8)
    grown.copyMemory(from: base, byteCount: count)
    base.deallocate()
    base = grown
    capacity = newCapacity
  }

  @inline(__always)
  private mutating func separate() {
    // Written in any case, and kept where it is needed.
    base.storeBytes(of: UInt8(ascii: ","), toByteOffset: count, as: UInt8.self)
    count &+= needsComma ? 1 : 0
  }

  @inline(__always)
  private mutating func store(_ byte: UInt8) {
    assert(count < capacity)
    base.storeBytes(of: byte, toByteOffset: count, as: UInt8.self)
    count &+= 1
  }

  /// Stores a text as it stands.
  @inline(__always)
  private mutating func storeWhole(_ text: UnsafeRawBufferPointer) {
    guard let source = text.baseAddress else { return }
    if text.count < 8 {
      let word = ByteWord(source, count: text.count)
      (base + count).storeBytes(of: word.bits.littleEndian, as: UInt64.self)
    } else if text.count <= 16 {
      // Two words that overlap.
      let last = text.count &- 8
      (base + count).storeBytes(of: ByteWord(source).bits.littleEndian, as: UInt64.self)
      (base + count).storeBytes(
        of: ByteWord(source + last).bits.littleEndian, toByteOffset: last, as: UInt64.self)
    } else {
      (base + count).copyMemory(from: source, byteCount: text.count)
    }
    count &+= text.count
  }

  /// Stores a text with its quotes, backslashes and control characters escaped.
  @inline(__always)
  private mutating func storeEscaped(_ text: UnsafeRawBufferPointer) {
    guard let source = text.baseAddress else { return }
    var read = 0
    while read &+ 8 <= text.count {
      let word = ByteWord(source + read)
      // What the word holds beyond its plain bytes is written over.
      (base + count).storeBytes(of: word.bits.littleEndian, as: UInt64.self)
      let plain = ByteWord.firstIndex(in: word.escapable)
      count &+= plain
      read &+= plain
      if plain < 8 {
        storeEscape(text[read], remaining: text.count &- read)
        read &+= 1
      }
    }
    let rest = ByteWord(source + read, count: text.count &- read)
    if rest.escapable & ~(UInt64.max << UInt64(8 &* (text.count &- read))) == 0 {
      (base + count).storeBytes(of: rest.bits.littleEndian, as: UInt64.self)
      count &+= text.count &- read
      return
    }
    while read < text.count {
      let byte = text[read]
      if byte < 0x20 || byte == .quote || byte == .backslash {
        storeEscape(byte, remaining: text.count &- read)
      } else {
        store(byte)
      }
      read &+= 1
    }
  }

  /// Stores a byte as its escape, and makes room for the `remaining` bytes of its text.
  @inline(never)
  private mutating func storeEscape(_ byte: UInt8, remaining: Int) {
    reserve(6 + remaining)
    store(.backslash)
    if let letter = JSONEscape.letter(for: byte) { return store(letter) }
    storeWhole(UnsafeRawBufferPointer("u00"))
    store(JSONDigits.hexadecimal(byte >> 4))
    store(JSONDigits.hexadecimal(byte & 0xf))
  }
}
