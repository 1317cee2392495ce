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

  private var nodes = JSONNodes()
  var place = Place()
  var numberPhase = JSONNumberPhase.sign
  /// Line feeds before the place. Strings contain no line feeds, so only white space counts.
  private(set) var lineFeeds = 0
  private var failure = JSONError.Reason.truncated
  /// The containers that are open, by their depth from 1.
  private let open = UnsafeMutablePointer<Container>.allocate(capacity: JSONScanner.depthLimit + 1)
  private var duplicate: Int?
  private let byteLimit: Int

  /// The place of a scan in its value. It is copied while bytes last, to stay in registers.
  struct Place {
    var phase = Phase.finished
    /// The next byte to look at.
    var offset = 0
    /// The first byte of the current text or number.
    var tokenStart = 0
    var form = JSONForm.printable
    var depth = 0
    var isInObject = false

    @inline(__always)
    mutating func beginText(_ phase: Phase) {
      offset &+= 1
      tokenStart = offset
      form = .printable
      self.phase = phase
    }
  }

  private struct Container {
    var node: UInt32
    /// True if two names have the same bit: they may be one name.
    var mayRepeat = false
    var nameBits: UInt64 = 0
  }

  /// The kind of the next token, or of one to continue.
  enum Phase: UInt8 {
    case value, elementOrEnd, nameOrEnd, name, colon, separator
    case nameText, stringText, number
    case finished
  }

  /// How the scan goes on after a token.
  enum Progress { case proceeds, endsValue, starved, failed, finished }

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
    if place.phase == .finished { reset() }
    let isOversized = bytes.count > byteLimit
    guard let base = bytes.baseAddress else {
      return isFinal ? fail(.truncated, at: 0) : .incomplete
    }
    let input = JSONInput(
      base: base, count: isOversized ? byteLimit : bytes.count, isFinal: isFinal && !isOversized)
    switch run(input) {
    case .finished:
      return .complete(length: place.offset)
    case .failed:
      return fail(failure, at: place.offset)
    case .starved, .proceeds, .endsValue:
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
    place = Place()
    place.phase = .value
    lineFeeds = 0
    duplicate = nil
  }

  private mutating func fail(_ reason: JSONError.Reason, at offset: Int) -> Outcome {
    place.phase = .finished
    return .failure(JSONError(reason, line: lineFeeds + 1, offset: offset))
  }

  // MARK: Tokens

  private mutating func run(_ input: JSONInput) -> Progress {
    var place = self.place
    while true {
      var progress =
        switch place.phase {
        case .nameText, .stringText: scanText(input, &place)
        case .number: slowly(&place) { scanner in scanner.scanNumber(input) }
        default: scanToken(input, &place)
        }
      if progress == .endsValue { progress = endValue(input, &place) }
      if progress != .proceeds {
        self.place = place
        return progress
      }
    }
  }

  /// Runs a function that is not inlined. Only for that is the place in memory.
  @inline(__always)
  private mutating func slowly(
    _ place: inout Place, _ body: (inout JSONScanner) -> Progress
  ) -> Progress {
    self.place = place
    let progress = body(&self)
    place = self.place
    return progress
  }

  @inline(__always)
  private mutating func scanToken(_ input: JSONInput, _ place: inout Place) -> Progress {
    guard skipSpace(input, &place) else { return .starved }
    let byte = input[place.offset]
    switch place.phase {
    case .separator:
      if byte == UInt8(ascii: ",") {
        place.offset &+= 1
        place.phase = place.isInObject ? .name : .value
        return .proceeds
      }
      guard byte == UInt8(ascii: place.isInObject ? "}" : "]") else {
        return stumble(place.isInObject ? .commaOrBraceExpected : .commaOrBracketExpected)
      }
      return close(input, &place)
    case .nameOrEnd where byte == UInt8(ascii: "}"), .elementOrEnd where byte == UInt8(ascii: "]"):
      return close(input, &place)
    case .nameOrEnd, .name:
      guard byte == .quote else { return stumble(.nameExpected) }
      place.beginText(.nameText)
      return .proceeds
    case .colon:
      guard byte == UInt8(ascii: ":") else { return stumble(.colonExpected) }
      place.offset &+= 1
      place.phase = .value
      return .proceeds
    default:
      return beginValue(byte, input, &place)
    }
  }

  @inline(__always)
  private mutating func beginValue(_ byte: UInt8, _ input: JSONInput, _ place: inout Place)
    -> Progress
  {
    switch byte {
    case .quote:
      place.beginText(.stringText)
      return .proceeds
    case UInt8(ascii: "{"), UInt8(ascii: "["):
      guard place.depth < Self.depthLimit else { return stumble(.tooDeep) }
      open(byte == UInt8(ascii: "{"), &place)
      return .proceeds
    default:
      let end = place.offset &+ input.lengthOfShortInteger(at: place.offset)
      if end == place.offset || place.depth == 0 {
        return slowly(&place) { scanner in scanner.scanWord(byte, input) }
      }
      addScalar(.number, .plain, place.offset, end)
      place.offset = end
      return .endsValue
    }
  }

  /// Goes on after a value. Mostly the next name follows at once: without another round.
  @inline(__always)
  private mutating func endValue(_ input: JSONInput, _ place: inout Place) -> Progress {
    if place.depth == 0 {
      place.phase = .finished
      return .finished
    }
    place.phase = .separator
    if place.isInObject, place.offset &+ 1 < input.count,
      input[place.offset] == UInt8(ascii: ","), input[place.offset &+ 1] == .quote
    {
      place.offset &+= 1
      place.beginText(.nameText)
    }
    return .proceeds
  }

  /// Goes past white space.
  /// - Returns: false if no byte follows.
  @inline(__always)
  private mutating func skipSpace(_ input: JSONInput, _ place: inout Place) -> Bool {
    while place.offset < input.count {
      let byte = input[place.offset]
      if byte > 0x20 || !byte.isJSONSpace { return true }
      if byte == .lineFeed { lineFeeds &+= 1 }
      place.offset &+= 1
    }
    return false
  }

  /// Stops with an error at the place.
  @inline(never)
  mutating func stumble(_ reason: JSONError.Reason) -> Progress {
    failure = reason
    return .failed
  }

  // MARK: Containers

  @inline(__always)
  private mutating func open(_ isObject: Bool, _ place: inout Place) {
    place.depth &+= 1
    open[place.depth] = Container(node: UInt32(truncatingIfNeeded: nodes.count))
    nodes.append(JSONNode(isObject ? .object : .array, .plain, place.offset, place.offset, 0))
    place.offset &+= 1
    place.isInObject = isObject
    place.phase = isObject ? .nameOrEnd : .elementOrEnd
  }

  @inline(__always)
  private mutating func close(_ input: JSONInput, _ place: inout Place) -> Progress {
    place.offset &+= 1
    let container = open[place.depth]
    place.depth &-= 1
    nodes.close(Int(container.node), at: place.offset)
    if container.mayRepeat, duplicate == nil {
      duplicate = nodes.duplicateName(ofObject: Int(container.node), in: input.base)
    }
    place.isInObject = place.depth > 0 && nodes[Int(open[place.depth].node)].kind == .object
    return .endsValue
  }

  // MARK: Scalars

  @inline(__always)
  mutating func addScalar(_ kind: JSONKind, _ form: JSONForm, _ start: Int, _ end: Int) {
    nodes.append(JSONNode(kind, form, start, end, UInt32(truncatingIfNeeded: nodes.count &+ 1)))
  }

  /// Goes on with a name or a string.
  @inline(__always)
  private mutating func scanText(_ input: JSONInput, _ place: inout Place) -> Progress {
    let end = input.endOfPrintableText(from: place.offset)
    place.offset = end
    if end >= input.count || input[end] != .quote {
      return slowly(&place) { scanner in scanner.scanPiece(input) }
    }
    place.offset &+= 1
    if place.phase == .nameText {
      endName(at: end, input, &place)
      return .proceeds
    }
    addScalar(.string, place.form, place.tokenStart, end)
    return .endsValue
  }

  /// Adds a name's node. Goes past the colon and into a string if they come next.
  @inline(__always)
  private mutating func endName(at end: Int, _ input: JSONInput, _ place: inout Place) {
    let hash =
      place.form == .escaped
      ? input.hashOfEscapedName(from: place.tokenStart, to: end)
      : Bytes(start: input.base + place.tokenStart, count: end &- place.tokenStart).nameHash
    let container = open + place.depth
    let bit = JSONValue.nameBit(hash)
    if container.pointee.nameBits & bit != 0 { container.pointee.mayRepeat = true }
    container.pointee.nameBits |= bit
    nodes.append(JSONNode(.string, place.form, place.tokenStart, end, hash))
    place.phase = .colon
    if place.offset &+ 1 < input.count, input[place.offset] == UInt8(ascii: ":") {
      place.offset &+= 1
      place.phase = .value
      if input[place.offset] == .quote { place.beginText(.stringText) }
    }
  }

  /// Goes past an escape, or a character beyond printable ASCII.
  @inline(never)
  private mutating func scanPiece(_ input: JSONInput) -> Progress {
    guard place.offset < input.count else { return .starved }
    let byte = input[place.offset]
    if byte < 0x20 { return stumble(.controlCharacter) }
    let isEscape = byte == .backslash
    let isDelete = byte == 0x7F
    let piece =
      isDelete
      ? .whole(length: 1)
      : isEscape ? input.escape(at: place.offset) : input.utf8Sequence(at: place.offset)
    switch piece {
    case .whole(let length):
      place.form = isEscape || place.form == .escaped ? .escaped : .plain
      place.offset += length
      return .proceeds
    case .cut:
      return .starved
    case .malformed(let reason):
      return stumble(reason)
    }
  }
}
