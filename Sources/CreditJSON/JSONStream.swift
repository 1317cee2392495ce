/// The JSON values of one input, one after another, however the input arrives.
///
/// White space stands between the values or nothing does. After malformed text reading goes on at the
/// next line that starts with `{`; what is skipped is not kept. No more is held than a partial value
/// and what was added last.
package struct JSONStream: ~Copyable {
  /// How much to read from a descriptor at once, in bytes.
  package static let readUnit = 256 << 10

  /// What comes next in the input.
  package enum Item {
    /// A value, and where in the input its first byte is: the line from 1, the offset from 0. It is
    /// valid until the stream is used again.
    case value(JSONValue, line: Int, offset: Int)
    /// Text that is no JSON value, and where in the input its first wrong byte is.
    case malformed(JSONError)
    /// The values that have arrived have all been taken: add more, or finish.
    case needsMore
    /// The input is finished and all of it taken.
    case end
  }

  private var buffer = JSONBuffer()
  private var scanner: JSONScanner
  private var isFinished = false
  private var isSkipping = false
  /// The place of the buffer's first unread byte.
  private var line = 1
  private var offset = 0
  /// The bytes that begin with the value taken last; nil once they may be gone.
  private var taken: UnsafeRawBufferPointer?

  /// - Parameter byteLimit: the most bytes of one value, if fewer than `JSONScanner.byteLimit`.
  package init(byteLimit: Int = JSONScanner.byteLimit) {
    scanner = JSONScanner(byteLimit: byteLimit)
  }

  /// Adds bytes of the input.
  package mutating func append(_ bytes: UnsafeRawBufferPointer) {
    _ = withFreeSpace(minimum: bytes.count) { space in
      space.copyMemory(from: bytes)
      return bytes.count
    }
  }

  /// Adds bytes of the input in place: `fill` is given `minimum` bytes of room or more, and says how
  /// many it filled.
  /// - Returns: what `fill` returned.
  package mutating func withFreeSpace<Failure: Error>(
    minimum: Int = JSONStream.readUnit,
    _ fill: (UnsafeMutableRawBufferPointer) throws(Failure) -> Int
  ) throws(Failure) -> Int {
    precondition(!isFinished)
    taken = nil
    return try buffer.withFreeSpace(minimum: minimum, fill)
  }

  /// Says that the input has no more bytes.
  package mutating func finish() { isFinished = true }

  /// Takes the next value of the input.
  package mutating func next() -> Item {
    taken = nil
    if isSkipping { skipToObject() }
    if !isSkipping { skipSpace() }
    let unread = buffer.unread
    if unread.isEmpty || isSkipping { return isFinished ? .end : .needsMore }
    switch scanner.scan(unread, isFinal: isFinished) {
    case .complete(let length):
      let (line, offset) = (self.line, self.offset)
      taken = unread
      self.line &+= scanner.lineFeeds
      advance(by: length)
      return .value(scanner.value(in: unread), line: line, offset: offset)
    case .incomplete:
      return .needsMore
    case .failure(let error):
      let place = JSONError(
        error.reason, line: line + error.line - 1, offset: offset + error.offset)
      line = place.line
      recover(unread, at: error.offset)
      return .malformed(place)
    }
  }

  /// The first member name found to stand twice in one object, anywhere in the value taken last.
  package var duplicateName: String? { taken.flatMap { scanner.duplicateName(in: $0) } }

  /// Goes on after malformed text, at the wrong byte if that begins an object on a line of its own:
  /// so a line that was cut off does not take the next one with it.
  private mutating func recover(_ unread: UnsafeRawBufferPointer, at wrong: Int) {
    let isNextLine =
      wrong > 0 && wrong < unread.count && unread[wrong] == UInt8(ascii: "{")
      && unread[wrong - 1] == .lineFeed
    isSkipping = !isNextLine
    advance(by: wrong)
  }

  /// Drops text up to the next line that starts with `{`, as far as that is to be seen.
  private mutating func skipToObject() {
    let unread = buffer.unread
    var index = 0
    while let lineFeed = unread[index...].firstIndex(of: .lineFeed) {
      index = lineFeed + 1
      guard index < unread.count else {
        // The line's first byte has not arrived yet; the line feed waits for it.
        return advance(by: lineFeed)
      }
      line += 1
      if unread[index] == UInt8(ascii: "{") {
        isSkipping = false
        return advance(by: index)
      }
    }
    advance(by: unread.count)
  }

  @inline(__always)
  private mutating func skipSpace() {
    let unread = buffer.unread
    var count = 0
    while count < unread.count, unread[count].isJSONSpace {
      if unread[count] == .lineFeed { line &+= 1 }
      count &+= 1
    }
    advance(by: count)
  }

  @inline(__always)
  private mutating func advance(by count: Int) {
    buffer.advance(by: count)
    offset &+= count
  }
}
