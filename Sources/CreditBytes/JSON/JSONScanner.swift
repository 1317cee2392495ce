/// Finds the nodes of one JSON value after another (RFC 8259, strictly).
///
/// A scan that runs out of bytes keeps its place, so that a value may arrive in any pieces: the
/// time is linear in its length. Storage is kept from value to value. There is no recursion.
public struct JSONScanner: ~Copyable {
  /// The most containers within one another.
  public static let depthLimit = 128
  /// The most bytes of one value that comes from outside.
  public static let byteLimit = 16 << 20
  /// The most bytes of any value: its nodes have offsets of 32 bits.
  public static let offsetLimit = Int(UInt32.max)

  /// Result of a scan.
  public enum Outcome: Equatable, Sendable {
    /// The value takes up the first `length` bytes.
    case complete(length: Int)
    /// The value continues after the given bytes: call again with more of it.
    case incomplete
    /// The offset and line are counted from the value's first byte.
    case failure(JSONError)
  }

  var nodes = JSONNodes()
  var phase = Phase.finished
  /// The next byte to look at.
  var position = 0
  /// Line feeds before `position`. Strings contain no line feeds, so only white space counts.
  private(set) var lineFeeds = 0
  private var numberPhase = JSONNumberPhase.sign
  private var failure = JSONError.Reason.truncated
  private var isInObject = false
  private var depth = 0
  /// The nodes of the containers that are open, outermost first.
  private let open = UnsafeMutablePointer<Int>.allocate(capacity: JSONScanner.depthLimit)
  private var duplicate: Int?
  private let byteLimit: Int

  /// The kind of the next token, or of one to continue.
  enum Phase: UInt8 {
    case value
    case elementOrEnd
    case nameOrEnd
    case name
    case colon
    case separator
    case nameText
    case stringText
    case number
    case finished
  }

  enum Progress {
    case proceeds
    case starved
    case failed
    case finished
  }

  /// - Parameter byteLimit: the most bytes of one value, `JSONScanner.offsetLimit` at most.
  public init(byteLimit: Int = JSONScanner.byteLimit) {
    self.byteLimit = min(byteLimit, JSONScanner.offsetLimit)
  }

  deinit {
    open.deallocate()
  }

  /// Scans a value, or continues an incomplete one.
  /// - Parameters:
  ///   - bytes: all of the value that has arrived, from its first byte on, and any further bytes.
  ///     They may have moved since the last call.
  ///   - isFinal: true if no more bytes will come.
  public mutating func scan(_ bytes: Bytes, isFinal: Bool) -> Outcome {
    if phase == .finished { reset() }
    let isOversized = bytes.count > byteLimit
    guard let base = bytes.baseAddress else {
      return isFinal ? fail(.truncated, at: 0) : .incomplete
    }
    let input = JSONInput(
      base: base, count: isOversized ? byteLimit : bytes.count, isFinal: isFinal && !isOversized)
    switch run(input) {
    case .finished:
      return .complete(length: position)
    case .failed:
      return fail(failure, at: position)
    case .starved, .proceeds:
      if isOversized { return fail(.tooLong, at: byteLimit) }
      return isFinal ? fail(.truncated, at: bytes.count) : .incomplete
    }
  }

  /// Returns the value that the last scan completed. It is valid until the next scan, and as long
  /// as the scanner and the bytes are.
  /// - Parameter bytes: the bytes of that scan, at their current address.
  public func value(in bytes: Bytes) -> JSONValue {
    guard let base = bytes.baseAddress, nodes.count > 0 else {
      preconditionFailure("No value has been scanned")
    }
    return JSONValue(bytes: base, nodes: nodes.base, index: 0)
  }

  /// The first member name found twice in one object, anywhere in the last completed value. Inner
  /// objects are checked before those around them.
  /// - Parameter bytes: the bytes of that scan, at their current address.
  public func duplicateName(in bytes: Bytes) -> String? {
    guard let duplicate else { return nil }
    return value(in: bytes).at(duplicate).string
  }

  private mutating func reset() {
    nodes.removeAll()
    phase = .value
    position = 0
    lineFeeds = 0
    depth = 0
    isInObject = false
    duplicate = nil
  }

  private mutating func fail(_ reason: JSONError.Reason, at offset: Int) -> Outcome {
    phase = .finished
    return .failure(JSONError(reason, line: lineFeeds + 1, offset: offset))
  }

  // MARK: Tokens

  private mutating func run(_ input: JSONInput) -> Progress {
    while true {
      let progress =
        switch phase {
        case .nameText, .stringText: scanText(input)
        case .number: scanNumber(input)
        default: scanToken(input)
        }
      guard progress == .proceeds else { return progress }
    }
  }

  @inline(__always)
  private mutating func scanToken(_ input: JSONInput) -> Progress {
    while position < input.count, input[position].isJSONSpace {
      if input[position] == .lineFeed { lineFeeds &+= 1 }
      position &+= 1
    }
    guard position < input.count else { return .starved }
    let byte = input[position]
    switch phase {
    case .value:
      return beginValue(byte, input)
    case .elementOrEnd:
      return byte == UInt8(ascii: "]") ? close(input) : beginValue(byte, input)
    case .nameOrEnd:
      return byte == UInt8(ascii: "}") ? close(input) : beginName(byte)
    case .name:
      return beginName(byte)
    case .colon:
      guard takeColon(input) else { return stumble(.colonExpected) }
      return .proceeds
    default:
      return scanSeparator(byte, input)
    }
  }

  @inline(__always)
  private mutating func scanSeparator(_ byte: UInt8, _ input: JSONInput) -> Progress {
    if takeComma(input) { return .proceeds }
    if isInObject {
      return byte == UInt8(ascii: "}") ? close(input) : stumble(.commaOrBraceExpected)
    }
    return byte == UInt8(ascii: "]") ? close(input) : stumble(.commaOrBracketExpected)
  }

  /// Goes past the colon, if it comes next.
  @inline(__always)
  private mutating func takeColon(_ input: JSONInput) -> Bool {
    guard position < input.count, input[position] == UInt8(ascii: ":") else { return false }
    position &+= 1
    phase = .value
    return true
  }

  /// Goes past the comma, if it comes next.
  @inline(__always)
  private mutating func takeComma(_ input: JSONInput) -> Bool {
    guard position < input.count, input[position] == UInt8(ascii: ",") else { return false }
    position &+= 1
    phase = isInObject ? .name : .value
    return true
  }

  @inline(__always)
  private mutating func beginName(_ byte: UInt8) -> Progress {
    guard byte == .quote else { return stumble(.nameExpected) }
    beginText(.nameText)
    return .proceeds
  }

  @inline(__always)
  private mutating func beginText(_ textPhase: Phase) {
    position &+= 1
    nodes.append(.string, start: position)
    phase = textPhase
  }

  @inline(__always)
  private mutating func beginValue(_ byte: UInt8, _ input: JSONInput) -> Progress {
    switch byte {
    case .quote:
      beginText(.stringText)
      return .proceeds
    case UInt8(ascii: "{"):
      return beginContainer(.object, .nameOrEnd)
    case UInt8(ascii: "["):
      return beginContainer(.array, .elementOrEnd)
    case UInt8(ascii: "t"):
      return scanLiteral("true", .true, input)
    case UInt8(ascii: "f"):
      return scanLiteral("false", .false, input)
    case UInt8(ascii: "n"):
      return scanLiteral("null", .null, input)
    default:
      guard let first = JSONNumberPhase.first(byte) else { return stopWithoutValue(input) }
      nodes.append(.number, start: position)
      numberPhase = first
      phase = .number
      position &+= 1
      return .proceeds
    }
  }

  @inline(__always)
  private mutating func endValue(_ input: JSONInput) -> Progress {
    if depth == 0 {
      phase = .finished
      return .finished
    }
    phase = .separator
    // Mostly the next name follows at once: without another round.
    if takeComma(input), isInObject, position < input.count, input[position] == .quote {
      beginText(.nameText)
    }
    return .proceeds
  }

  /// Stops with an error at `position`.
  @inline(never)
  private mutating func stumble(_ reason: JSONError.Reason) -> Progress {
    failure = reason
    return .failed
  }

  /// Stops if no value begins; distinguishes a byte order mark from other text.
  @inline(never)
  private mutating func stopWithoutValue(_ input: JSONInput) -> Progress {
    switch input.comparison(with: "\u{feff}", at: position) {
    case .same: stumble(.byteOrderMark)
    case .cut where !input.isFinal: .starved
    case .cut, .different: stumble(.valueExpected)
    }
  }

  // MARK: Containers

  @inline(__always)
  private mutating func beginContainer(_ kind: JSONKind, _ inner: Phase) -> Progress {
    guard depth < Self.depthLimit else { return stumble(.tooDeep) }
    open[depth] = nodes.count
    depth &+= 1
    nodes.append(kind, start: position)
    position &+= 1
    isInObject = kind == .object
    phase = inner
    return .proceeds
  }

  @inline(__always)
  private mutating func close(_ input: JSONInput) -> Progress {
    position &+= 1
    depth &-= 1
    let container = open[depth]
    nodes[container].end = UInt32(truncatingIfNeeded: position)
    nodes[container].next = UInt32(truncatingIfNeeded: nodes.count)
    if isInObject, duplicate == nil {
      duplicate = nodes.duplicateName(ofObject: container, in: input.base)
    }
    isInObject = depth > 0 && nodes[open[depth &- 1]].kind == .object
    return endValue(input)
  }

  // MARK: Scalars

  /// Goes on with a string's or a name's text, up to its closing quote.
  @inline(__always)
  private mutating func scanText(_ input: JSONInput) -> Progress {
    while true {
      position = input.endOfPlainText(from: position)
      guard position < input.count else { return .starved }
      let byte = input[position]
      if byte == .quote { break }
      let progress = scanPiece(byte, input)
      guard progress == .proceeds else { return progress }
    }
    nodes[nodes.count &- 1].end = UInt32(truncatingIfNeeded: position)
    position &+= 1
    if phase == .stringText { return endValue(input) }
    phase = .colon
    _ = takeColon(input)
    return .proceeds
  }

  @inline(never)
  private mutating func scanPiece(_ byte: UInt8, _ input: JSONInput) -> Progress {
    if byte < 0x20 { return stumble(.controlCharacter) }
    let isEscape = byte == .backslash
    switch isEscape ? input.escape(at: position) : input.utf8Sequence(at: position) {
    case .whole(let length):
      if isEscape { nodes[nodes.count - 1].isPlain = false }
      position += length
      return .proceeds
    case .cut:
      return .starved
    case .malformed(let reason):
      return stumble(reason)
    }
  }

  /// Continues a number. One outside of a container ends at white space or at the end.
  @inline(__always)
  private mutating func scanNumber(_ input: JSONInput) -> Progress {
    while position < input.count, let next = numberPhase.after(input[position]) {
      numberPhase = next
      position &+= 1
    }
    if position < input.count {
      let byte = input[position]
      guard numberPhase.isWhole, !byte.isDigit, depth > 0 || byte.isJSONSpace else {
        return stumble(.invalidNumber)
      }
    } else {
      guard input.isFinal, numberPhase.isWhole, depth == 0 else { return .starved }
    }
    let number = nodes.count &- 1
    nodes[number].end = UInt32(truncatingIfNeeded: position)
    nodes[number].isPlain = numberPhase.isPlain
    return endValue(input)
  }

  private mutating func scanLiteral(
    _ literal: StaticString, _ kind: JSONKind, _ input: JSONInput
  ) -> Progress {
    switch input.comparison(with: literal, at: position) {
    case .same: break
    case .cut: return .starved
    case .different: return stumble(.valueExpected)
    }
    let end = position &+ literal.utf8CodeUnitCount
    // Outside of containers, as with a number, something has to show that the word ends here.
    if depth == 0 {
      guard end < input.count || input.isFinal else { return .starved }
      if end < input.count, !input[end].isJSONSpace { return stumble(.valueExpected) }
    }
    nodes.append(kind, start: position)
    nodes[nodes.count &- 1].end = UInt32(truncatingIfNeeded: end)
    position = end
    return endValue(input)
  }
}
