/// One JSON value that is a whole text, with only white space around it.
public struct JSONDocument: ~Copyable {
  private let text: [UInt8]
  private let start: Int
  private let scanner: JSONScanner

  /// Scans a text.
  /// - Parameter byteLimit: the most bytes of the value; more for a text of the tool's own.
  /// - Throws: the fault, with line and offset counted from the text's first byte.
  public init(_ text: [UInt8], byteLimit: Int = JSONScanner.byteLimit) throws(JSONError) {
    var scanner = JSONScanner(byteLimit: byteLimit)
    let start = Self.endOfSpace(text, from: 0)
    var line = 1 + Self.lineFeeds(text[..<start])
    let outcome = text.withBytes {
      scanner.scan(Bytes(rebasing: $0[start...]), isFinal: true)
    }
    line += scanner.lineFeeds
    switch outcome {
    case .incomplete:
      throw Self.error(.truncated, line, text.count, in: text)
    case .failure(let error):
      throw Self.error(error.reason, line, start + error.offset, in: text)
    case .complete(let length):
      let end = Self.endOfSpace(text, from: start + length)
      guard end == text.count else {
        line += Self.lineFeeds(text[(start + length)..<end])
        throw Self.error(.textAfterValue, line, end, in: text)
      }
    }
    self.text = text
    self.start = start
    self.scanner = scanner
  }

  private static func error(
    _ reason: JSONError.Reason, _ line: Int, _ offset: Int, in text: [UInt8]
  ) -> JSONError {
    let lineFeed = text[..<offset].lastIndex(of: .lineFeed) ?? -1
    return JSONError(reason, line: line, column: offset - lineFeed, offset: offset)
  }

  /// Scans a text.
  /// - Throws: the fault, with line and offset counted from the text's first byte.
  public init(_ text: String) throws(JSONError) { try self.init(Array(text.utf8)) }

  /// Calls `body` with the value, which is valid only until it returns.
  public func withRoot<Result, Failure: Error>(
    _ body: (JSONValue) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try text.withUnsafeBufferPointer { (text) throws(Failure) -> Result in
      let bytes = Bytes(text)
      return try body(scanner.value(in: Bytes(rebasing: bytes[start...])))
    }
  }

  /// Returns the place of a value in the document's text.
  public func range(of value: JSONValue) -> Range<Int> {
    let raw = value.raw
    let offset = raw.baseAddress.map { $0 - value.bytes } ?? 0
    return start + offset..<start + offset + raw.count
  }

  /// The first member name found twice in one object, anywhere in the value.
  public var duplicateName: String? {
    text.withBytes {
      scanner.duplicateName(in: Bytes(rebasing: $0[start...]))
    }
  }

  private static func endOfSpace(_ text: [UInt8], from start: Int) -> Int {
    text[start...].firstIndex { !$0.isJSONSpace } ?? text.count
  }

  private static func lineFeeds(_ text: ArraySlice<UInt8>) -> Int {
    text.count(where: { $0 == .lineFeed })
  }
}

extension JSONNodes {
  /// Larger objects have their names compared by hash, not in pairs.
  private static let pairwiseLimit = 16

  /// The node of the first repeated name in an object.
  func duplicateName(ofObject object: Int, in bytes: UnsafeRawPointer) -> Int? {
    let end = Int(self[object].next)
    var members = 0
    var name = object &+ 1
    while name < end {
      members &+= 1
      if members > Self.pairwiseLimit { return hashedDuplicate(ofObject: object, in: bytes) }
      var earlier = object &+ 1
      while earlier < name {
        if namesAreEqual(earlier, name, in: bytes) { return name }
        earlier = nameAfter(earlier)
      }
      name = nameAfter(name)
    }
    return nil
  }

  @inline(__always)
  private func nameAfter(_ name: Int) -> Int { Int(self[name &+ 1].next) }

  private func text(of name: Int, in bytes: UnsafeRawPointer) -> JSONText {
    let node = self[name]
    return JSONText(
      bytes: Bytes(start: bytes + Int(node.start), count: node.range.count),
      isPlain: node.isPlain)
  }

  @inline(__always)
  private func namesAreEqual(_ left: Int, _ right: Int, in bytes: UnsafeRawPointer) -> Bool {
    self[left].nameHash == self[right].nameHash
      && text(of: left, in: bytes).equals(text(of: right, in: bytes))
  }

  /// Each process seeds `Hasher`, so that users cannot choose names that collide.
  @inline(never)
  private func hashedDuplicate(ofObject object: Int, in bytes: UnsafeRawPointer) -> Int? {
    let end = Int(self[object].next)
    var members = 0
    var name = object + 1
    while name < end {
      members += 1
      name = nameAfter(name)
    }
    // A power of two that leaves at least half of the table empty; 0 is an empty slot, and no name.
    let mask = (1 << (Int.bitWidth - (members * 2).leadingZeroBitCount)) - 1
    var slots = [UInt32](repeating: 0, count: mask + 1)
    name = object + 1
    while name < end {
      var slot = hash(of: name, in: bytes) & mask
      while slots[slot] != 0 {
        if namesAreEqual(Int(slots[slot]), name, in: bytes) { return name }
        slot = (slot + 1) & mask
      }
      slots[slot] = UInt32(truncatingIfNeeded: name)
      name = nameAfter(name)
    }
    return nil
  }

  private func hash(of name: Int, in bytes: UnsafeRawPointer) -> Int {
    text(of: name, in: bytes).withDecoded {
      var hasher = Hasher()
      hasher.combine(bytes: $0)
      return hasher.finalize()
    }
  }
}

/// A fault of malformed or too large JSON, with its place.
public struct JSONError: Error, Equatable, Sendable {
  public let reason: Reason
  /// The line of the first wrong byte, from 1.
  public let line: Int
  /// The place of that byte in its line, from 1.
  public let column: Int
  /// The offset of the first wrong byte, from 0; at the end of the text if more was expected.
  public let offset: Int

  /// - Parameter column: nil if the text has one line.
  public init(_ reason: Reason, line: Int, column: Int? = nil, offset: Int) {
    (self.reason, self.line, self.column) = (reason, line, column ?? offset + 1)
    self.offset = offset
  }

  /// The fault with its place, for a message.
  public var message: String { "line \(line), column \(column): \(reason.message)" }

  /// Returns advice on a usual mistake, to follow the reason in a message; empty if it has none.
  /// `rest` is the text from the first wrong byte on.
  /// - Parameter isConverted: false if JSON made of another form would be wrong, too.
  public func advice(before rest: Bytes, isConverted: Bool = true) -> String {
    if offset == 0, rest.isMedia { return "; it is bytes, such as an image's, not text" }
    let isMarked = rest.starts(with: [0xFF, 0xFE]) || rest.starts(with: [0xFE, 0xFF])
    if isMarked || rest.prefix(2).contains(0) {
      return "; it is UTF-16, or no text: JSON is saved as UTF-8"
    }
    if rest.starts(with: [0x1F, 0x8B]) { return "; it is compressed by gzip: zcat reads it" }
    if reason == .valueExpected, Self.beginsEvents(rest) {
      return "; it is a streamed response, which credit-charge --response reads"
    }
    if let advice = adviceOnForm(of: rest, isConverted) { return advice }
    switch rest.first {
    case .some(0x41...0x5A) where reason == .nameExpected,
      .some(0x61...0x7A) where reason == .nameExpected:
      let hasQuotes = rest.prefix(1024).prefix { $0 != .lineFeed }.contains(UInt8(ascii: "\""))
      return hasQuotes ? "" : Self.adviceOnQuotes
    case .some(0x30...0x39) where reason == .nameExpected:
      let digits = rest.prefix { (0x30...0x39).contains($0) }.prefix(20)
      return ", not \(String(decoding: digits, as: UTF8.self)); numbers have no commas"
    case UInt8(ascii: "_") where reason == .commaOrBraceExpected:
      return ", not _; numbers have no underscores"
    case .some(0x30...0x39) where reason == .invalidNumber: return "; a number has no leading zeros"
    case UInt8(ascii: "N") where rest.starts(with: "NaN".utf8): return "; JSON has no NaN"
    case UInt8(ascii: "}") where reason == .nameExpected,
      UInt8(ascii: "]") where reason == .valueExpected:
      return "; remove the comma before it"
    case UInt8(ascii: "/"), UInt8(ascii: "#"): return "; JSON has no comments"
    case UInt8(ascii: "'"): return "; JSON strings have double quotes"
    case 0xE2
    where rest.starts(with: [0xE2, 0x80]) && rest.count > 2 && (0x98...0x9F).contains(rest[2]):
      return "; JSON strings have straight double quotes: \""
    case _ where reason == .byteOrderMark: return "; save the text without it"
    default: return ""
    }
  }

  /// Returns advice on a text that is of another form from its first byte on.
  private func adviceOnForm(of rest: Bytes, _ isConverted: Bool) -> String? {
    func made(of form: String, by command: String) -> String {
      "; it looks like \(form)" + (isConverted ? ": \(command) makes JSON of it" : "")
    }
    let adviceOnYAML = made(of: "YAML", by: "yq -o json")
    if offset == 1, reason == .invalidNumber, rest.starts(with: "--".utf8) { return adviceOnYAML }
    guard offset == 0, reason == .valueExpected else { return nil }
    if rest.starts(with: [0x50, 0x4B, 3, 4]) { return "; it is a zip archive: unzip -p reads it" }
    if rest.first == UInt8(ascii: "<") {
      return "; it looks like HTML or XML: is it a server's error page?"
    }
    if rest.first == UInt8(ascii: "|") { return "; it looks like a table in Markdown" }
    if rest.starts(with: "HTTP/".utf8) {
      return "; it begins with a response's headers: leave out curl's -i"
    }
    let line = rest.prefix(1024).prefix { $0 != .lineFeed }
    let word = line.prefix { byte in
      (0x61...0x7a).contains(byte | 0x20) || (0x30...0x39).contains(byte)
        || "_-.".utf8.contains(byte)
    }
    guard !word.isEmpty else { return nil }
    switch line.dropFirst(word.count).first {
    case UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "\t"):
      return made(of: "CSV", by: "mlr --icsv --ojsonl cat")
    case UInt8(ascii: ":"):
      // Of `{"account":"me","key":"z1"}` a shell makes two words.
      let value = line.dropFirst(word.count + 1).first ?? 0
      let isMember = word.allSatisfy { $0 | 0x20 >= 0x61 } && word.first ?? 0 >= 0x61
      let colons = line.count(where: { $0 == UInt8(ascii: ":") })
      let hasWords = colons > 1 && line.count(where: { $0 == 0x20 }) == colons - 1
      if isConverted, isMember, value > 0x20, hasWords, !line.contains(0x22) {
        return Self.adviceOnQuotes
      }
      // It is no YAML, and a line of `/etc/passwd` is no message either.
      if value > 0x20, !line.contains(0x20) { return nil }
      return value <= 0x20 && Self.isYAML(rest, after: word) && !word.elementsEqual("curl".utf8)
        ? adviceOnYAML
        : "; it looks like a message, not like output: did the command before it fail?"
    default: return nil
    }
  }

  private static let adviceOnQuotes =
    "; a shell takes the double quotes away: put the JSON in single quotes"

  /// Whether a text is an event stream: one of its first lines has data or the name of an event.
  private static func beginsEvents(_ text: Bytes) -> Bool {
    var rest = Bytes(rebasing: text.prefix(1024))
    while let name = ["data:", "event:", "id:", "retry:", ":", "\n"].first(where: {
      rest.starts(with: $0.utf8)
    }) {
      if name == "data:" || name == "event:" { return true }
      guard let end = rest.firstIndex(of: .lineFeed) else { return false }
      rest = Bytes(rebasing: rest[(end + 1)...])
    }
    return false
  }

  /// Returns true if a text goes on as YAML after a word and a colon: by another word and a colon,
  /// by an indented line, or by the entry of a list.
  private static func isYAML(_ text: Bytes, after first: Bytes.SubSequence) -> Bool {
    guard let end = text.prefix(1024).firstIndex(of: .lineFeed) else { return false }
    let next = text.prefix(1024)[(end + 1)...].prefix { $0 != .lineFeed }
    if next.first == UInt8(ascii: " ") || next.first == UInt8(ascii: "-") { return true }
    guard let colon = next.firstIndex(of: UInt8(ascii: ":")) else { return false }
    let word = next[..<colon]
    return !word.isEmpty && !word.contains(UInt8(ascii: " ")) && !word.elementsEqual(first)
  }

  public enum Reason: Equatable, Sendable {
    case valueExpected
    case nameExpected
    case colonExpected
    case commaOrBraceExpected
    case commaOrBracketExpected
    case invalidNumber
    case controlCharacter
    case invalidEscape
    case loneSurrogate
    case invalidUTF8
    case byteOrderMark
    case textAfterValue
    case truncated
    case tooDeep
    case tooLong

    /// A phrase for a message: lower case, no full stop.
    public var message: String {
      switch self {
      case .valueExpected: "a JSON value is expected here"
      case .nameExpected: "a member name in double quotes is expected here"
      case .colonExpected: "a colon is expected here"
      case .commaOrBraceExpected: "a comma or a closing brace is expected here"
      case .commaOrBracketExpected: "a comma or a closing bracket is expected here"
      case .invalidNumber: "a number is malformed"
      case .controlCharacter: "a string has a control character in it"
      case .invalidEscape: "a string has an escape that JSON does not know"
      case .loneSurrogate: "a string has half of a surrogate pair"
      case .invalidUTF8: "the text is not UTF-8"
      case .byteOrderMark: "a byte order mark is not allowed"
      case .textAfterValue: "text follows the value"
      case .truncated: "the text ends inside a value"
      case .tooDeep: "the value is nested more than \(JSONScanner.depthLimit) levels deep"
      case .tooLong: "the value is longer than \(JSONScanner.byteLimit >> 20) MiB"
      }
    }
  }
}

/// One value or member name of a scanned text: 16 bytes, in the order of the text.
///
/// A container's node is followed by its contents' nodes: in an object each name's node by its
/// value's. Offsets count from the first byte of the outermost value, so that the text may move.
public struct JSONNode {
  let kind: JSONKind
  let form: JSONForm
  /// The value's first byte; of a string, the one after its opening quote.
  let start: UInt32
  /// After the value's last byte; of a string, the closing quote.
  fileprivate(set) var end: UInt32
  fileprivate var link: UInt32

  /// - Parameter link: the index of the node after this value, or a name's hash.
  @inline(__always)
  init(_ kind: JSONKind, _ form: JSONForm, _ start: Int, _ end: Int, _ link: UInt32) {
    self.kind = kind
    self.form = form
    // A value has at most `JSONScanner.offsetLimit` bytes, and no more nodes than bytes.
    self.start = UInt32(truncatingIfNeeded: start)
    self.end = UInt32(truncatingIfNeeded: end)
    self.link = link
  }

  var isPlain: Bool { form != .escaped }
  /// The index of the node after this value and all that it holds.
  public var next: UInt32 { link }
  var nameHash: UInt32 { link }

  var range: Range<Int> { Int(start)..<Int(end) }
}

/// The nodes of one value, in storage that is kept for the next.
public struct JSONNodes: ~Copyable {
  private(set) var base: UnsafeMutablePointer<JSONNode>
  private(set) var count = 0
  private var capacity = JSONNodes.initialCapacity

  private static let initialCapacity = 256
  /// Storage beyond this (1 MiB) is given back after the value that needed it.
  private static let keptCapacity = 1 << 16

  init() { base = .allocate(capacity: Self.initialCapacity) }

  deinit {
    base.deallocate()
  }

  @inline(__always)
  subscript(index: Int) -> JSONNode { base[index] }

  @inline(__always)
  mutating func append(_ node: JSONNode) {
    if count == capacity { move(toCapacity: capacity * 2) }
    (base + count).initialize(to: node)
    count &+= 1
  }

  /// Ends a container before the node that will be the next one.
  @inline(__always)
  func close(_ container: Int, at end: Int) {
    base[container].end = UInt32(truncatingIfNeeded: end)
    base[container].link = UInt32(truncatingIfNeeded: count)
  }

  mutating func removeAll() {
    count = 0
    if capacity > Self.keptCapacity { move(toCapacity: Self.initialCapacity) }
  }

  @inline(never)
  private mutating func move(toCapacity newCapacity: Int) {
    let moved = UnsafeMutablePointer<JSONNode>.allocate(capacity: newCapacity)
    moved.moveInitialize(from: base, count: count)
    base.deallocate()
    base = moved
    capacity = newCapacity
  }
}
