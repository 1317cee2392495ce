internal import CreditModel

/// Goes over a request of the plain form. Once something else stands there it has failed, and
/// finds nothing any more.
struct PlainCursor {
  private let base: UnsafeRawPointer
  private(set) var position = 0
  /// Up to where a whole word may be read from.
  private let end: Int
  private(set) var hasFailed = false
  /// Where in a run's text the request will stand.
  private let offset: Int

  /// How much is looked at behind a place at most: requests at the very end of what has arrived
  /// are none of the plain form's.
  private static let slack = 32

  /// Bytes to look at where there are none.
  private static let nothing: StaticString = "                                "

  /// - Parameter offset: where in a run's text the request will stand.
  init(_ bytes: UnsafeRawBufferPointer, offset: Int) {
    self.offset = offset
    base = bytes.baseAddress ?? UnsafeRawPointer(Self.nothing.utf8Start)
    end = bytes.count - Self.slack
    hasFailed = end <= 0
  }

  @inline(__always)
  mutating func require(_ condition: Bool) {
    if !condition { hasFailed = true }
  }

  @inline(__always)
  mutating func expect(_ text: StaticString) { require(skip(text)) }

  /// Goes on behind a text of at most 16 bytes, where it comes next.
  @inline(__always)
  mutating func skip(_ text: StaticString) -> Bool {
    guard !hasFailed, position < end else { return false }
    let count = text.utf8CodeUnitCount
    let expected = UnsafeRawPointer(text.utf8Start)
    if count >= 8 {
      // Two words that overlap.
      let last = count &- 8
      let next = base + position
      if ByteWord(next).bits != ByteWord(expected).bits
        || ByteWord(next + last).bits != ByteWord(expected + last).bits
      {
        return false
      }
    } else {
      let mask = (1 &<< UInt64(8 &* count)) &- 1
      let word = ByteWord(base + position).bits & mask
      if word != ByteWord(expected, count: count).bits { return false }
    }
    position &+= count
    return true
  }

  /// A text that needs no escape and is a name of at most `limit` bytes; the part must be empty
  /// before, or the member stands there twice.
  @inline(__always)
  mutating func text(into part: inout PlainRequest.Part, limit: Int) -> Bool {
    guard part.count == 0, skip("\"") else { return false }
    let first = position
    while position < end {
      let word = ByteWord(base + position)
      let stops = word.escapable | word.aboveTilde
      if stops == 0 {
        position &+= 8
        continue
      }
      position &+= ByteWord.firstIndex(in: stops)
      let count = position &- first
      guard 1...limit ~= count, byte(at: position) == .quote, byte(at: first) != 0x20,
        byte(at: position &- 1) != 0x20
      else { return false }
      position &+= 1
      part = PlainRequest.Part(start: offset &+ first, count: count)
      return true
    }
    return false
  }

  /// A whole number that is not negative, of at most 15 digits.
  @inline(__always)
  mutating func count(into count: inout Int64) -> Bool {
    let first = position
    guard first < end else { return false }
    var number: Int64 = 0
    var digit = byte(at: position) &- UInt8(ascii: "0")
    while digit <= 9, position &- first < 16 {
      number = number &* 10 &+ Int64(digit)
      position &+= 1
      digit = byte(at: position) &- UInt8(ascii: "0")
    }
    let digitCount = position &- first
    if digitCount > 1, byte(at: first) == UInt8(ascii: "0") { return false }
    // What follows shows that the number has ended.
    let next = byte(at: position)
    count = number
    return 1...15 ~= digitCount && (next == UInt8(ascii: ",") || next == UInt8(ascii: "}"))
  }

  /// A member of a charge that says what is charged: its key, its model or its usage.
  @inline(__always)
  mutating func chargeMember(_ request: inout PlainRequest) -> Bool {
    if skip("key\":") { return text(into: &request.reference, limit: Name.idLimit) }
    if skip("model\":") { return text(into: &request.subject, limit: Name.idLimit) }
    guard skip("usage\":{"), !request.hasUsage else { return false }
    request.hasUsage = true
    return usage(into: &request.counts)
  }

  /// Whether two parts that were read of this request are the same text.
  func areSame(_ part: PlainRequest.Part, _ other: PlainRequest.Part) -> Bool {
    if hasFailed { return false }
    func bytes(_ part: PlainRequest.Part) -> UnsafeRawBufferPointer {
      UnsafeRawBufferPointer(start: base + (Int(part.start) - offset), count: Int(part.count))
    }
    return bytes(part).hasSameBytes(as: bytes(other))
  }

  /// A usage of the common counts, behind its brace.
  @inline(__always)
  mutating func usage(into counts: inout CommonCounts) -> Bool {
    var seen = 0
    repeat {
      let bit: Int
      let isCount: Bool
      if skip("\"inputTokens\":") {
        bit = 1
        isCount = count(into: &counts.inputTokens)
      } else if skip("\"outputTokens\":") {
        bit = 2
        isCount = count(into: &counts.outputTokens)
      } else if skip("\"cacheReadTokens") && skip("\":") {
        bit = 4
        isCount = count(into: &counts.cacheReadTokens)
      } else if skip("\"cacheWriteToken") && skip("s\":") {
        bit = 8
        isCount = count(into: &counts.cacheWriteTokens)
      } else {
        return false
      }
      if !isCount || seen & bit != 0 { return false }
      seen |= bit
    } while skip(",")
    return seen & 3 == 3 && skip("}")
  }

  /// An authorization's id, or the object that `credit-authorize` prints of it.
  mutating func authorization(id: inout PlainRequest.Part, account: inout PlainRequest.Part) -> Bool
  {
    if !skip("{\"") { return text(into: &id, limit: Name.idLimit) }
    var time = PlainRequest.Part.none
    guard skip("id\":"), text(into: &id, limit: Name.idLimit), skip(",\"account\":"),
      text(into: &account, limit: Name.accountLimit), skip(",\"timestamp\":"),
      text(into: &time, limit: Timestamp.textLength)
    else { return false }
    return skip("}")
  }

  @inline(__always)
  private func byte(at place: Int) -> UInt8 { base.load(fromByteOffset: place, as: UInt8.self) }
}
