/// Compact JSON in a buffer of bytes that is reused.
///
/// The writer adds the commas. The caller has to alternate names and values, and to end what it
/// begins.
public struct JSONWriter: ~Copyable {
  @usableFromInline var base: UnsafeMutableRawPointer
  /// The next byte's place. Writing keeps it in a local variable: the compiler can't know that a
  /// stored byte does not change the writer.
  @usableFromInline var end: UnsafeMutableRawPointer
  /// Start of the slack.
  @usableFromInline var limit: UnsafeMutableRawPointer
  @usableFromInline var needsComma = false
  private var times = TimestampTexts()

  /// Room that is always reserved beyond the text: a comma, quotes, a colon, and a whole word for
  /// storing some of its bytes.
  private static let slack = 16

  /// - Parameter capacity: bytes to have room for from the start.
  public init(capacity: Int = 4096) {
    base = .allocate(byteCount: capacity + Self.slack, alignment: 8)
    end = base
    limit = base + capacity
  }

  deinit {
    base.deallocate()
  }

  // MARK: The buffer

  /// Bytes written so far.
  public var count: Int { end - base }

  /// Calls `body` with the written bytes, which are only valid until it returns.
  public func withBytes<Result, Failure: Error>(
    _ body: (Bytes) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try body(Bytes(start: base, count: count))
  }

  /// The text that has been written.
  public var string: String { withBytes { String(decoding: $0, as: UTF8.self) } }

  /// Removes the written bytes.
  public mutating func removeAll(keepingCapacity: Bool = true) {
    if !keepingCapacity { self = JSONWriter() }
    end = base
    needsComma = false
  }

  /// Removes everything after the first `count` bytes, at which no container was open: undoes an
  /// incomplete result.
  public mutating func truncate(to count: Int) {
    precondition(count >= 0 && count <= self.count)
    end = base + count
    needsComma = false
  }

  /// Calls `body` with the bytes from an offset on, to change them in place.
  public mutating func withMutableBytes(from offset: Int, _ body: (MutableBytes) -> Void) {
    precondition(offset >= 0 && offset <= count)
    body(MutableBytes(start: base + offset, count: count - offset))
  }

  /// Writes a text over as many bytes that have been written before.
  public mutating func overwrite(_ text: StaticString, at offset: Int) {
    precondition(offset >= 0 && offset + text.utf8CodeUnitCount <= count)
    (base + offset).copyMemory(from: text.utf8Start, byteCount: text.utf8CodeUnitCount)
  }

  // MARK: Containers

  @inlinable @inline(__always)
  public mutating func beginObject() { open(UInt8(ascii: "{")) }

  /// Ends the object begun last: `}`.
  @inlinable @inline(__always)
  public mutating func endObject() { close(UInt8(ascii: "}")) }

  @inlinable @inline(__always)
  public mutating func beginArray() { open(UInt8(ascii: "[")) }

  /// Ends the array begun last: `]`.
  @inlinable @inline(__always)
  public mutating func endArray() { close(UInt8(ascii: "]")) }

  /// Ends a line, after a value that is in no container.
  public mutating func endLine() {
    put(.lineFeed)
    needsComma = false
  }

  /// Ends an object that has members, and its line.
  /// - Parameter text: the members to follow, from the comma on, then the brace and the newline.
  /// - Returns: ``count``, which another module can read only by a call that is given a copy of all
  ///   that the writer has.
  @discardableResult
  public mutating func endLine(with text: StaticString) -> Int {
    append(Bytes(text))
    needsComma = false
    return end - base
  }

  /// Ends a field of a line, after a value outside containers.
  public mutating func endField() {
    put(UInt8(ascii: "\t"))
    needsComma = false
  }

  // MARK: Names

  /// Writes a member's name, before its value. It must not need escapes.
  @inlinable @inline(__always)
  public mutating func key(_ name: StaticString) {
    reserve(name.utf8CodeUnitCount)
    var next = separated()
    next.store(.quote)
    next.store(Bytes(name))
    next.store(.quote)
    next.store(UInt8(ascii: ":"))
    end = next
    needsComma = false
  }

  /// Writes a member's name from its UTF-8, which must be well formed; its value is to follow.
  public mutating func key(utf8 name: Bytes) {
    string(utf8: name)
    put(UInt8(ascii: ":"))
    needsComma = false
  }

  // MARK: Values

  public mutating func string(_ text: String) { text.withUTF8Bytes { string(utf8: $0) } }

  /// Writes a string from its UTF-8, which must be well formed.
  public mutating func string(utf8 text: Bytes) {
    reserve(text.count)
    var next = separated()
    next.store(.quote)
    end = next
    storeText(text, isJSON: false)
    end.store(.quote)
    needsComma = true
  }

  /// Writes a string that needs no escapes.
  @inlinable @inline(__always)
  public mutating func plain(_ text: StaticString) {
    reserve(text.utf8CodeUnitCount)
    var next = separated()
    next.store(.quote)
    next.store(Bytes(text))
    next.store(.quote)
    end = next
    needsComma = true
  }

  public mutating func integer(_ value: Int64) {
    reserve(20)
    var next = separated()
    if value < 0 { next.store(UInt8(ascii: "-")) }
    end = next + JSONDigits.write(value.magnitude, to: next)
    needsComma = true
  }

  public mutating func timestamp(_ value: Timestamp) {
    reserve(Timestamp.textLength + 2)
    var next = separated()
    next.store(.quote)
    times.write(value, to: next)
    next += Timestamp.textLength
    next.store(.quote)
    end = next
    needsComma = true
  }

  public mutating func bool(_ value: Bool) { raw(value ? "true" : "false") }

  /// Writes a value that is JSON already, as it is.
  public mutating func raw(_ json: Bytes) {
    reserve(json.count)
    var next = separated()
    next.store(json)
    end = next
    needsComma = true
  }

  /// Writes a value that is JSON already, as it is.
  @inlinable @inline(__always)
  public mutating func raw(_ json: StaticString) { raw(Bytes(json)) }

  /// Writes a value in its original form, but with escaped hidden characters.
  public mutating func raw(_ value: JSONValue) {
    reserve(value.raw.count)
    end = separated()
    storeText(value.raw, isJSON: true)
    needsComma = true
  }

  // MARK: Bytes

  /// Begins a value whose bytes the caller appends, including commas.
  public mutating func beginRawValue() {
    reserve(1)
    end = separated()
  }

  /// Ends a value that the caller appended.
  public mutating func endRawValue() { needsComma = true }

  /// Writes a byte, without a thought of commas.
  @inlinable @inline(__always)
  public mutating func put(_ byte: UInt8) {
    reserve(1)
    end.store(byte)
  }

  /// Writes bytes, without a thought of commas.
  public mutating func append(_ bytes: Bytes) {
    reserve(bytes.count)
    end.store(bytes)
  }

  /// Writes an integer, without a thought of commas.
  public mutating func append(_ value: Int64) {
    reserve(20)
    if value < 0 { end.store(UInt8(ascii: "-")) }
    end += JSONDigits.write(value.magnitude, to: end)
  }

  /// Writes whole lines that are JSON already.
  public mutating func append(lines: Bytes) {
    append(lines)
    needsComma = false
  }

  /// Writes a value as ``raw(_:)`` does, without a thought of commas.
  public mutating func append(_ value: JSONValue) {
    reserve(value.raw.count)
    storeText(value.raw, isJSON: true)
  }

  @inlinable @inline(__always)
  mutating func open(_ bracket: UInt8) {
    reserve(1)
    var next = separated()
    next.store(bracket)
    end = next
    needsComma = false
  }

  @inlinable @inline(__always)
  mutating func close(_ bracket: UInt8) {
    put(bracket)
    needsComma = true
  }

  /// Makes room for `bytes` and the slack.
  @inlinable @inline(__always)
  mutating func reserve(_ bytes: Int) { if limit - end < bytes { grow(by: bytes) } }

  @inline(never)
  @usableFromInline mutating func grow(by bytes: Int) {
    let count = self.count
    let newCapacity = max(2 * (limit - base), count + bytes)
    let grown = UnsafeMutableRawPointer.allocate(byteCount: newCapacity + Self.slack, alignment: 8)
    grown.copyMemory(from: base, byteCount: count)
    base.deallocate()
    base = grown
    end = grown + count
    limit = grown + newCapacity
  }

  /// Returns the place of the next value, after a comma if one is needed.
  @inlinable @inline(__always)
  func separated() -> UnsafeMutableRawPointer {
    // Written always, and kept if it is needed.
    end.storeBytes(of: UInt8(ascii: ","), as: UInt8.self)
    return end + (needsComma ? 1 : 0)
  }

  /// Stores a text, for which there is room, with hidden characters escaped.
  ///
  /// Quotes and backslashes are escaped too, unless they are JSON's own.
  @inline(__always)
  mutating func storeText(_ text: Bytes, isJSON: Bool) {
    guard let source = text.baseAddress else { return }
    // Most texts are plain, and copied by whole words, the last of which overlaps the one before.
    var stops: UInt64 = 0
    var done = 0
    while done &+ 8 < text.count {
      stops |= storeWord(ByteWord(source + done), at: done, isJSON: isJSON)
      done &+= 8
    }
    if text.count >= 8 {
      done = text.count &- 8
      stops |= storeWord(ByteWord(source + done), at: done, isJSON: isJSON)
    } else {
      // Zeros follow the bytes of a shorter word, and are no stops of theirs.
      let word = ByteWord(source, count: text.count)
      stops = storeWord(word, at: 0, isJSON: isJSON) & ~(~0 &<< UInt64(8 &* text.count))
    }
    if stops == 0 {
      end += text.count
    } else {
      storeEscaping(source, count: text.count, isJSON: isJSON)
    }
  }

  /// Stores a word behind the end.
  /// - Returns: a bit for each byte that may not stay as it is; 0 if all may.
  @inline(__always)
  private func storeWord(_ word: ByteWord, at offset: Int, isJSON: Bool) -> UInt64 {
    (end + offset).storeBytes(of: word.bits.littleEndian, as: UInt64.self)
    return isJSON ? word.aboveTilde : word.unprintable
  }

  /// Stores a text that is not plain, for which there is room.
  @inline(never)
  private mutating func storeEscaping(_ text: UnsafeRawPointer, count: Int, isJSON: Bool) {
    var done = 0
    while done < count {
      let rest = count &- done
      let word = rest >= 8 ? ByteWord(text + done) : ByteWord(text + done, count: rest)
      // Bytes of the word beyond its plain ones are overwritten.
      end.storeBytes(of: word.bits.littleEndian, as: UInt64.self)
      let stops = isJSON ? word.aboveTilde : word.unprintable
      let plain = min(ByteWord.firstIndex(in: stops), rest)
      end += plain
      done &+= plain
      if plain < min(rest, 8) { done &+= storeUnplain(text + done, remaining: rest &- plain) }
    }
  }

  /// Stores a byte that has to be escaped, or a run of characters beyond ASCII.
  ///
  /// Reserves room for the rest of the `remaining` bytes of the text.
  /// - Returns: the number of bytes of the text that were stored.
  @inline(never)
  private mutating func storeUnplain(_ text: UnsafeRawPointer, remaining: Int) -> Int {
    let first = text.load(as: UInt8.self)
    if first < 0x80 {
      storeEscape(first, remaining: remaining)
      return 1
    }
    var done = 0
    while done < remaining {
      let lead = text.load(fromByteOffset: done, as: UInt8.self)
      if lead < 0x80 { break }
      let count = min(lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4, remaining &- done)
      let character = Bytes(start: text + done, count: count)
      done &+= count
      if let scalar = Unicode.Scalar(wellFormed: character), scalar.isHidden {
        storeEscape(scalar, remaining: remaining &- done)
      } else {
        for byte in character { end.store(byte) }
      }
    }
    return done
  }

  /// Stores a character as its escape, and makes room for the `remaining` bytes of its text.
  @inline(never)
  private mutating func storeEscape(_ scalar: Unicode.Scalar, remaining: Int) {
    var escape = scalar.escape
    reserve(escape.utf8.count + remaining)
    escape.withUTF8 { end.store(Bytes($0)) }
  }

  /// Stores a byte as its escape, and makes room for the `remaining` bytes of its text.
  @inline(never)
  private mutating func storeEscape(_ byte: UInt8, remaining: Int) {
    reserve(6 + remaining)
    end.store(.backslash)
    if let letter = JSONEscape.letter(for: byte) { return end.store(letter) }
    end.store(Bytes("u00"))
    end.store(JSONDigits.hexadecimal(byte >> 4))
    end.store(JSONDigits.hexadecimal(byte & 0xf))
  }
}
