public import CreditModel

/// Reads one response of a provider as its text passes, in pieces of any length. It keeps at most
/// one event or object, which has at most `JSONScanner.byteLimit` bytes.
public struct ResponseTap: ~Copyable {
  public enum Outcome {
    /// No known response. An object may be one of a provider that reports no usage.
    case none(UsageReading?)
    /// A response with any result.
    case response(UsageReading)
    /// A response that can't be read on from some place.
    case unreadable(CreditError, UsageReading)
  }

  private enum Form {
    case undecided, values, elements, events
    /// No response, or one that can't be read further.
    case ended
  }

  private var form = Form.undecided
  private var stream = JSONStream()
  private var response = StreamedResponse(isStream: false)
  private var elements = ChunkElements()
  /// The part of the current line that has come, if lines matter.
  private var line: [UInt8] = []
  private var failure: CreditError?
  /// The thread of Codex that the text is of, whose usage is the sum of all its runs.
  public private(set) var thread: String?
  private var hasBegun = false
  /// Whether an event was named as an error.
  private var namesError = false

  /// Number of a line's bytes that decide the form of the text.
  private static let headLimit = 4096

  public init() {}

  public mutating func append(_ bytes: Bytes) {
    switch form {
    case .ended: return
    case .undecided:
      line.append(contentsOf: bytes)
      decide(isFinal: false)
    case .values:
      stream.append(bytes)
      drain()
    case .elements: addElements(bytes)
    case .events: addEvents(bytes)
    }
  }

  public mutating func finish() -> Outcome {
    if case .undecided = form { decide(isFinal: true) }
    if case .events = form, !line.isEmpty { takeLine() }
    if form != .ended {
      stream.finish()
      drain()
      response.isCutOff = failure != nil
    }
    if namesError { response.fail(nil) }
    guard let failure else {
      return response.isUnrecognized
        ? .none(hasBegun ? response.reading : nil) : .response(response.reading)
    }
    if response.isCutOff { return .response(response.reading) }
    return response.isUnrecognized && failure.code == .invalidJSON
      ? .none(nil) : .unreadable(failure, response.reading)
  }

  // MARK: Forms

  /// Decides the form of the text, once enough of it has come.
  private mutating func decide(isFinal: Bool) {
    if line.starts(with: [0xef, 0xbb, 0xbf]) { line.removeFirst(3) }
    guard let start = line.firstIndex(where: { !$0.isJSONSpace }) else {
      line.removeAll()
      return
    }
    line.removeFirst(start)
    let isWhole = isFinal || line.count >= Self.headLimit || line.contains(.lineFeed)
    switch line[0] {
    case UInt8(ascii: "{"): form = .values
    case UInt8(ascii: "["): form = .elements
    case _ where EventStream.beginsField(line): form = .events
    default:
      // A few bytes may still become the name of a field.
      guard isWhole || line.count > 8 else { return }
      form = .ended
      if line.withBytes({ $0.isMedia }) {
        fail(
          .failedResponse,
          "the response is bytes, such as an image's or a sound's, and reports no usage")
      }
      return
    }
    let head = line
    line = []
    head.withBytes { append($0) }
  }

  private mutating func addElements(_ bytes: Bytes) {
    response.isStream = true
    var elements = elements
    _ = stream.withFreeSpace(minimum: bytes.count) { space in
      space.copyMemory(from: bytes)
      elements.open(MutableBytes(rebasing: space[..<bytes.count]))
      return bytes.count
    }
    self.elements = elements
    drain()
  }

  private mutating func addEvents(_ bytes: Bytes) {
    response.isStream = true
    var rest = bytes[...]
    while let end = rest.firstIndex(where: { $0 == .lineFeed || $0 == .carriageReturn }) {
      line.append(contentsOf: rest[..<end])
      takeLine()
      rest = rest[(end + 1)...]
    }
    line.append(contentsOf: rest)
    guard line.count > JSONScanner.byteLimit else { return }
    fail(
      .cutResponse,
      "an event or object of the response is longer than \(JSONScanner.byteLimit >> 20) MiB")
  }

  private mutating func takeLine() {
    guard form != .ended else { return }
    line.withMutableBytes { line in
      if EventStream.namesError(line[...]) { namesError = true }
      EventStream.blankLine(line[...])
    }
    line.append(.lineFeed)
    line.withBytes { stream.append($0) }
    line.removeAll(keepingCapacity: true)
    drain()
  }

  // MARK: Values

  private mutating func drain() {
    while form != .ended {
      switch stream.next() {
      case .value(let value, let line, _):
        if stream.duplicateName != nil {
          fail(.cutResponse, "line \(line) of the response has a member twice")
        } else {
          take(value)
        }
      case .malformed(let error):
        fail(
          error.reason == .tooLong ? .cutResponse : .invalidJSON,
          "line \(error.line) of the response can't be read: \(error.reason.message)")
      case .needsMore, .end, .word: return
      }
    }
  }

  private mutating func take(_ value: JSONValue) {
    if namesError { response.fail(value) }
    if value.kind == .array {
      response.isStream = true
      for chunk in value.elements where chunk.isObject { response.add(chunk) }
    } else if case .events = form, value.utf8Equals(EventStream.closingWord) {
      response.addWord()
    } else if value.isObject {
      if !hasBegun, value.string("type") == "thread.started" { thread = value.string("thread_id") }
      hasBegun = true
      response.add(value)
    } else {
      fail(.invalidJSON, "the response has a value that is not an object")
    }
  }

  private mutating func fail(_ code: CreditError.Code, _ message: String) {
    failure = CreditError(code, message)
    form = .ended
  }
}

/// Overwrites the brackets and commas of an array with spaces, in any pieces: each element is a
/// value then.
struct ChunkElements {
  private var depth = 0
  private var isInString = false
  private var isEscaped = false

  /// Takes the next piece of the array's text.
  mutating func open(_ text: MutableBytes) {
    for index in text.indices {
      let byte = text[index]
      if isInString {
        if isEscaped {
          isEscaped = false
        } else {
          if byte == UInt8(ascii: "\\") { isEscaped = true }
          if byte == UInt8(ascii: "\"") { isInString = false }
        }
        continue
      }
      switch byte {
      case UInt8(ascii: "\""): isInString = true
      case UInt8(ascii: "["), UInt8(ascii: "{"):
        if depth == 0 { text[index] = UInt8(ascii: " ") }
        depth += 1
      case UInt8(ascii: "]"), UInt8(ascii: "}"):
        depth -= 1
        if depth == 0 { text[index] = UInt8(ascii: " ") }
      case UInt8(ascii: ","):
        if depth == 1 { text[index] = UInt8(ascii: " ") }
      default: break
      }
    }
  }
}
