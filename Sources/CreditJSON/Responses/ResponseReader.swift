public import CreditModel

/// Reads one response of a provider, whole or streamed.
public enum ResponseReader {
  public static let byteLimit = 64 << 20

  /// Reads the usage and model of a response. Counts of a later chunk replace earlier ones; the
  /// first model named counts.
  ///
  /// An object of our own form has the reading's `responseModel`, too.
  /// - Parameter input: the whole text: an object, an array of chunks, chunks one after another, or
  ///   server-sent events.
  /// - Throws: `invalid_json`, with line and offset, for malformed text; `invalid_request` for text
  ///   that is empty or too long, chunks that are not objects, or member names that appear twice.
  public static func read(_ input: Bytes) throws(CreditError) -> UsageReading {
    guard input.count <= byteLimit else {
      throw .invalidRequest("the response is longer than \(byteLimit >> 20) MiB")
    }
    guard input.contains(where: { !$0.isJSONSpace }) else {
      throw .invalidRequest("there is no response: standard input is empty")
    }
    var text = ResponseText(input)
    var response = StreamedResponse(isStream: text.events != nil)
    try read(&text, into: &response)
    if let failure = text.failure, !response.hasFailed {
      // Of an array that was cut off those elements are known that are whole.
      if !response.hasBegun, var elements = ResponseText(elementsOf: input) {
        response = StreamedResponse(isStream: true)
        try read(&elements, into: &response)
      }
      guard text.isCutOff, response.hasBegun || text.events != nil else {
        throw CreditError(
          .invalidJSON,
          "the response is not JSON"
            + (failure.offset == 0 && input.isMedia ? "" : ": \(failure.reason.message)")
            + (failure.offset == 0 ? failure.advice(before: input) : ""),
          [.line(failure.line), .offset(failure.offset)])
      }
      response.isCutOff = true
    }
    return response.reading
  }

  private static func read(_ text: inout ResponseText, into response: inout StreamedResponse)
    throws(CreditError)
  {
    while let (value, line, offset) = text.next() {
      if let name = text.stream.duplicateName {
        throw invalid(
          "member \(quoted(name)) appears twice in one object", at: line, offset)
      }
      if let start = text.events?.errorStart, offset > start { response.fail(value) }
      if value.kind == .array {
        response.isStream = true
        for chunk in value.elements { try add(chunk, to: &response, line, offset) }
      } else if text.events != nil, value.utf8Equals(EventStream.closingWord) {
        response.addWord()
      } else {
        try add(value, to: &response, line, offset)
      }
    }
    if text.events?.errorStart != nil { response.fail(nil) }
  }

  private static func add(
    _ chunk: JSONValue, to response: inout StreamedResponse, _ line: Int, _ offset: Int
  ) throws(CreditError) {
    guard chunk.isObject else {
      throw invalid(
        "a response must be a JSON object, or chunks that are JSON objects", at: line, offset)
    }
    response.add(chunk)
  }

  private static func invalid(_ message: String, at line: Int, _ offset: Int) -> CreditError {
    CreditError(.invalidRequest, message, [.line(line), .offset(offset)])
  }
}

/// The headers that a response came with, as `curl -D FILE` writes them.
public enum ResponseHeaders {
  /// The most bytes of them.
  public static let byteLimit = 1 << 20

  /// Returns the cost of the call in dollars from a proxy's headers, or nil.
  ///
  /// Of several responses, such as a redirection and its target, the last one counts. Names are
  /// compared without case. Source: https://docs.litellm.ai/docs/proxy/response_headers
  /// - Throws: `invalid_request` if the cost is not an amount.
  public static func cost(in headers: [UInt8]) throws(CreditError) -> ExactDecimal? {
    var cost: ExactDecimal?
    for line in headers.split(separator: UInt8(ascii: "\n")) {
      if line.starts(with: "HTTP/".utf8) { cost = nil }
      guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { continue }
      let name = Array(line[..<colon])
      guard name.withBytes({ $0.equalsInAnyCase("x-litellm-response-cost") }) else { continue }
      let value = line[(colon + 1)...].filter { $0 != 0x20 && $0 != 0x09 && $0 != 0x0d }
      if value.isEmpty || value.elementsEqual("None".utf8) { continue }
      guard let amount = value.withBytes(ExactDecimal.init(text:)) else {
        throw .invalidRequest("x-litellm-response-cost in the headers is not an amount")
      }
      cost = amount
    }
    return cost
  }

  /// Returns true if a text has a header, or the status line that comes before headers.
  public static func areIn(_ text: [UInt8]) -> Bool {
    text.split(separator: UInt8(ascii: "\n")).contains { line in
      if line.starts(with: "HTTP/".utf8) { return true }
      let name = line.prefix { $0 != UInt8(ascii: ":") }
      return !name.isEmpty && name.count < line.count
        && name.allSatisfy { byte in
          (0x61...0x7a).contains(byte | 0x20) || (0x30...0x39).contains(byte)
            || "-_".utf8.contains(byte)
        }
    }
  }
}

extension UsageReading {
  /// Returns this reading with the headers' cost, if there is one.
  public func costing(_ cost: ExactDecimal?) -> UsageReading {
    if let cost { reportedUSD = cost }
    return self
  }
}

/// The values of a response's text in any form.
struct ResponseText: ~Copyable {
  /// The events whose data the values are. Nil if they are not server-sent events.
  let events: EventStream?
  /// The reason why no more values come, if that is not the end.
  private(set) var failure: JSONError?
  private(set) var stream = JSONStream()
  /// The start of the last line, if no end of line follows it. Otherwise the end of the text.
  private let openLineStart: Int
  private let count: Int

  /// - Parameter opening: makes values of the text in place; the events if it has any.
  init(
    _ input: Bytes, opening: (MutableBytes) -> EventStream? = { EventStream(blanking: $0) }
  ) {
    var events: EventStream?
    _ = stream.withFreeSpace(minimum: input.count) { space in
      space.copyMemory(from: input)
      events = opening(MutableBytes(rebasing: space[..<input.count]))
      return input.count
    }
    stream.finish()
    self.events = events
    let lineEnd = input.lastIndex { $0 == .lineFeed || $0 == .carriageReturn }
    openLineStart = lineEnd.map { $0 + 1 } ?? 0
    count = input.count
  }

  /// The elements of an array that was cut off, each for itself; nil otherwise.
  init?(elementsOf input: Bytes) {
    guard input.first(where: { !$0.isJSONSpace }) == UInt8(ascii: "[") else { return nil }
    self.init(input) { text in
      var elements = ChunkElements()
      elements.open(text)
      return nil
    }
  }

  /// Returns the next value and its place; nil at the end of the readable text.
  mutating func next() -> (value: JSONValue, line: Int, offset: Int)? {
    switch stream.next() {
    case .value(let value, let line, let offset): return (value, line, offset)
    case .malformed(let error):
      failure = error
      return nil
    case .needsMore, .end, .word: return nil
    }
  }

  /// Whether the unreadable part is an incomplete end of the text. A complete event line is
  /// malformed instead.
  var isCutOff: Bool {
    guard let failure else { return false }
    return failure.offset >= openLineStart && (events == nil || openLineStart < count)
  }
}
