/// The JSON values of one input, which may arrive in any pieces.
///
/// Between the values there may only be white space. After malformed text, reading continues at the
/// next line that starts with `{`; skipped text is not kept. The buffer only has a partial value
/// and the bytes added last.
public struct JSONStream: ~Copyable {
  /// Number of bytes read from a descriptor at once. Large, as one read makes a batch, which costs
  /// one sync; with a partial value before them they still fit in the buffer.
  public static let readUnit = 960 << 10

  /// The next item of the input.
  public enum Item {
    /// A value, and the place of its first byte in the input: the line from 1, the offset from 0.
    /// It is valid until the stream is used again.
    case value(JSONValue, line: Int, offset: Int)
    /// A word, if words are accepted: the letters, digits, `-`, `_` and `.` of a token, and its
    /// line from 1. It is valid until the stream is used again.
    case word(Bytes, line: Int)
    /// Text that is not a JSON value, and its first wrong byte's place.
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
  /// The prefix of words that may replace a value; nil if none may.
  private let wordPrefix: StaticString?
  private let wordLimit: Int
  /// True if an array's elements are the values of the input.
  private let splitsArrays: Bool
  private var list = List.outside

  /// The place of the reader in an array that is taken apart.
  private enum List {
    case outside
    /// After the bracket that opens it.
    case beginning
    case afterElement, afterComma
  }
  private var wordLength = 0
  /// The place of the buffer's first unread byte.
  private var line = 1
  private var offset = 0
  /// The offset of the line feed before that line; -1 for the first one.
  private var lineFeed = -1
  /// The bytes that begin with the value taken last; nil once they may be overwritten.
  private var taken: Bytes?

  /// - Parameters:
  ///   - byteLimit: the most bytes of one value.
  ///   - wordPrefix: how a word begins that may replace a value; no value may begin like it.
  ///   - splitsArrays: true to take the elements of an array one by one: it may have any length
  ///     then. Malformed text ends it.
  public init(
    byteLimit: Int = JSONScanner.byteLimit, words wordPrefix: StaticString? = nil,
    splitsArrays: Bool = false
  ) {
    self.splitsArrays = splitsArrays
    scanner = JSONScanner(byteLimit: byteLimit)
    self.wordPrefix = wordPrefix
    wordLimit = byteLimit
  }

  /// Advice on the last malformed value; may be empty.
  public private(set) var advice = ""
  /// True if its line is a word, such as an id, or such a word's rest after a digit.
  public private(set) var isWord = false
  /// Number of values that are not read because of it: 1, or those after commas on its line.
  public private(set) var lostCount = 1

  public mutating func append(_ bytes: Bytes) {
    _ = withFreeSpace(minimum: bytes.count) { space in
      space.copyMemory(from: bytes)
      return bytes.count
    }
  }

  /// Adds bytes of the input in place: `fill` gets at least `minimum` bytes of room, and reports
  /// how many it filled.
  /// - Returns: the result of `fill`.
  public mutating func withFreeSpace<Failure: Error>(
    minimum: Int = JSONStream.readUnit,
    _ fill: (MutableBytes) throws(Failure) -> Int
  ) throws(Failure) -> Int {
    precondition(!isFinished)
    taken = nil
    return try buffer.withFreeSpace(minimum: minimum, fill)
  }

  /// Says that the input has no more bytes.
  public mutating func finish() { isFinished = true }

  /// Takes the next value of the input.
  public mutating func next() -> Item {
    taken = nil
    if isSkipping { skipToObject() }
    if !isSkipping { skipSpace() }
    if splitsArrays, !isSkipping, let error = enterList() { return malformed(error) }
    let unread = buffer.unread
    if unread.isEmpty || isSkipping { return isFinished ? .end : .needsMore }
    if let wordPrefix, let item = nextWord(wordPrefix, in: unread) { return item }
    switch scanner.scan(unread, isFinal: isFinished) {
    case .complete(let length):
      let (line, offset) = (self.line, self.offset)
      taken = unread
      self.line &+= scanner.lineFeeds
      if scanner.lineFeeds > 0 { lineFeed = lineFeed(in: unread, before: length) }
      advance(by: length)
      if list != .outside { list = .afterElement }
      return .value(scanner.value(in: unread), line: line, offset: offset)
    case .incomplete:
      return .needsMore
    case .failure(let error):
      let place = place(of: error, in: unread)
      advise(on: error, before: Bytes(rebasing: unread[error.offset...]))
      line += error.line - 1
      lineFeed = lineFeed(in: unread, before: error.offset)
      list = .outside
      recover(unread, at: error.offset)
      return .malformed(place)
    }
  }

  private mutating func advise(on error: JSONError, before rest: Bytes) {
    advice = error.advice(before: rest)
    isWord =
      error.reason == (error.offset == 0 ? .valueExpected : .invalidNumber)
      && rest.prefix { $0 != .lineFeed }.allSatisfy(\.isWordByte)
    lostCount = 1
    guard error.offset == 0, rest.first == UInt8(ascii: ",") else { return }
    var line = rest.prefix { $0 != .lineFeed }
    let isWhole = line.count < rest.count || isFinished
    var scanner = JSONScanner()
    var count = 0
    while isWhole, line.first == UInt8(ascii: ",") {
      line = line.dropFirst().drop { $0.isJSONSpace }
      guard case .complete(let length) = scanner.scan(Bytes(rebasing: line), isFinal: true) else {
        break
      }
      count += 1
      line = line.dropFirst(length).drop { $0.isJSONSpace }
    }
    lostCount = max(1, count)
    advice = "; separate values by white space, not by commas"
    if !isWhole {
      advice += "; the rest of the line is not read"
    } else if count > 0 {
      advice += "; \(count) more on this line \(count == 1 ? "is" : "are") not read"
    }
  }

  /// The place of a fault in the whole input. A value without an end lacks it
  /// behind its text, not on the next line.
  private func place(of error: JSONError, in unread: Bytes) -> JSONError {
    var (end, endLine) = (error.offset, line + error.line - 1)
    if error.reason == .truncated || beginsNextLine(unread, at: end) {
      while end > 0, unread[end - 1].isJSONSpace {
        end -= 1
        if unread[end] == .lineFeed { endLine -= 1 }
      }
    }
    let column = offset + end - lineFeed(in: unread, before: end)
    return JSONError(error.reason, line: endLine, column: column, offset: offset + end)
  }

  /// Returns the offset of the last line feed before a place of the unread bytes.
  private func lineFeed(in unread: Bytes, before end: Int) -> Int {
    unread[..<end].lastIndex(of: .lineFeed).map { offset + $0 } ?? lineFeed
  }

  /// Passes the brackets and commas before the next element.
  /// - Returns: their fault, if any.
  private mutating func enterList() -> JSONError.Reason? {
    while let byte = buffer.unread.first {
      switch (list, byte) {
      case (.outside, UInt8(ascii: "[")): list = .beginning
      case (.beginning, UInt8(ascii: "]")), (.afterElement, UInt8(ascii: "]")): list = .outside
      case (.afterElement, UInt8(ascii: ",")): list = .afterComma
      case (.afterElement, _): return .commaOrBracketExpected
      case (.outside, _), (.beginning, _), (.afterComma, _): return nil
      }
      advance(by: 1)
      skipSpace()
    }
    return isFinished && list != .outside ? .truncated : nil
  }

  /// Text that is neither a value nor a word; it may begin like a word.
  private mutating func malformed(_ reason: JSONError.Reason) -> Item {
    let place = offset + wordLength
    let error = JSONError(reason, line: line, column: place - lineFeed, offset: place)
    list = .outside
    recover(buffer.unread, at: wordLength)
    wordLength = 0
    return .malformed(error)
  }

  /// The first member name found twice in one object, anywhere in the value taken last.
  public var duplicateName: String? { taken.flatMap { scanner.duplicateName(in: $0) } }

  /// Reads the word that comes next; nil if something else does.
  private mutating func nextWord(_ prefix: StaticString, in unread: Bytes) -> Item? {
    switch comparison(of: unread, with: prefix) {
    case .same: break
    case .cut: return .needsMore
    case .different: return nil
    }
    while wordLength < unread.count, wordLength <= wordLimit,
      !unread[wordLength].isJSONSpace
    {
      guard unread[wordLength].isWordByte else { return malformed(.valueExpected) }
      wordLength += 1
    }
    if wordLength > wordLimit { return malformed(.tooLong) }
    if wordLength == unread.count, !isFinished { return .needsMore }
    let word = Bytes(rebasing: unread[..<wordLength])
    wordLength = 0
    advance(by: word.count)
    return .word(word, line: line)
  }

  private func comparison(of unread: Bytes, with prefix: StaticString) -> JSONInput.Comparison {
    guard let base = unread.baseAddress else { return .different }
    let input = JSONInput(base: base, count: unread.count, isFinal: isFinished)
    let comparison = input.comparison(with: prefix, at: 0)
    return comparison == .cut && isFinished ? .different : comparison
  }

  /// Continues after malformed text, at the wrong byte if it begins an object on a line.
  ///
  /// So an incomplete line does not spoil the next one.
  private mutating func recover(_ unread: Bytes, at wrong: Int) {
    isSkipping = !beginsNextLine(unread, at: wrong)
    advance(by: wrong)
  }

  private func beginsNextLine(_ unread: Bytes, at place: Int) -> Bool {
    place > 0 && place < unread.count && unread[place] == UInt8(ascii: "{")
      && unread[place - 1] == .lineFeed
  }

  /// Drops text up to the next line that starts with `{`, within the bytes read.
  private mutating func skipToObject() {
    let unread = buffer.unread
    var index = 0
    while let lineFeed = unread[index...].firstIndex(of: .lineFeed) {
      index = lineFeed + 1
      guard index < unread.count else {
        // The line's first byte has not arrived yet; the line feed waits for it.
        return advance(by: lineFeed)
      }
      // Reading may resume at an object, or at a word if words are taken.
      let rest = Bytes(rebasing: unread[index...])
      let word = wordPrefix.map { comparison(of: rest, with: $0) } ?? .different
      switch rest.first == UInt8(ascii: "{") ? .same : word {
      case .cut:
        return advance(by: lineFeed)
      case .same:
        line += 1
        self.lineFeed = offset + lineFeed
        isSkipping = false
        return advance(by: index)
      case .different:
        line += 1
      }
    }
    advance(by: unread.count)
  }

  @inline(__always)
  private mutating func skipSpace() {
    let unread = buffer.unread
    var count = 0
    while count < unread.count, unread[count].isJSONSpace {
      if unread[count] == .lineFeed { (line, lineFeed) = (line &+ 1, offset &+ count) }
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

/// The bytes of an input that have been read and not yet used: a queue in one piece of memory.
public struct JSONBuffer: ~Copyable {
  private var base: UnsafeMutableRawPointer
  private var capacity = 0
  private var start = 0
  private var end = 0

  private static let initialCapacity = 1 << 20

  /// A queue without memory, which it gets with its first bytes: a run by flags alone reads none.
  public init() { base = .allocate(byteCount: 0, alignment: 16) }

  deinit {
    base.deallocate()
  }

  /// The unread bytes. Valid until bytes are added; reading them does not move any.
  @inline(__always)
  public var unread: Bytes { Bytes(start: base + start, count: end &- start) }

  /// Marks the first `count` unread bytes as used.
  @inline(__always)
  public mutating func advance(by count: Int) {
    assert(count <= end - start)
    start &+= count
  }

  /// Adds bytes: `fill` gets at least `minimum` bytes of room, and reports how many it filled.
  public mutating func withFreeSpace<Failure: Error>(
    minimum: Int, _ fill: (MutableBytes) throws(Failure) -> Int
  ) throws(Failure) -> Int {
    makeRoom(for: minimum)
    let space = MutableBytes(start: base + end, count: capacity - end)
    let count = try fill(space)
    precondition(count >= 0 && count <= space.count)
    end += count
    return count
  }

  private mutating func makeRoom(for minimum: Int) {
    let used = end - start
    if start == end { (start, end) = (0, 0) }
    let needed = max(used + minimum, Self.initialCapacity)
    let isFarTooLarge = capacity / 8 > needed
    if capacity - end >= minimum, !isFarTooLarge { return }
    if capacity < needed || isFarTooLarge {
      // At least doubled, so that a long value is not copied more often than it doubles.
      let newCapacity = isFarTooLarge ? needed : max(needed, capacity * 2)
      let moved = UnsafeMutableRawPointer.allocate(byteCount: newCapacity, alignment: 16)
      moved.copyMemory(from: base + start, byteCount: used)
      base.deallocate()
      base = moved
      capacity = newCapacity
    } else {
      base.copyMemory(from: base + start, byteCount: used)
    }
    (start, end) = (0, used)
  }
}
