/// One JSON value that is a whole text, such as a file: white space around it and nothing else.
package struct JSONDocument: ~Copyable {
  private let text: [UInt8]
  private let start: Int
  private let scanner: JSONScanner

  /// Scans a text.
  /// - Parameter byteLimit: the most bytes of the value; more for a text of the tool's own.
  /// - Throws: what is wrong with it, the line and offset counted from the text's first byte.
  package init(_ text: [UInt8], byteLimit: Int = JSONScanner.byteLimit) throws(JSONError) {
    var scanner = JSONScanner(byteLimit: byteLimit)
    let start = Self.endOfSpace(text, from: 0)
    var line = 1 + Self.lineFeeds(text[..<start])
    let outcome = text.withUnsafeBytes {
      scanner.scan(UnsafeRawBufferPointer(rebasing: $0[start...]), isFinal: true)
    }
    line += scanner.lineFeeds
    switch outcome {
    case .incomplete:
      throw JSONError(.truncated, line: line, offset: text.count)
    case .failure(let error):
      throw JSONError(error.reason, line: line, offset: start + error.offset)
    case .complete(let length):
      let end = Self.endOfSpace(text, from: start + length)
      guard end == text.count else {
        line += Self.lineFeeds(text[(start + length)..<end])
        throw JSONError(.textAfterValue, line: line, offset: end)
      }
    }
    self.text = text
    self.start = start
    self.scanner = scanner
  }

  /// Scans a text.
  /// - Throws: what is wrong with it, the line and offset counted from the text's first byte.
  package init(_ text: String) throws(JSONError) {
    try self.init(Array(text.utf8))
  }

  /// Calls `body` with the value, which is valid only until it returns.
  package func withRoot<Result, Failure: Error>(
    _ body: (JSONValue) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try text.withUnsafeBufferPointer { (text) throws(Failure) -> Result in
      let bytes = UnsafeRawBufferPointer(text)
      return try body(scanner.value(in: UnsafeRawBufferPointer(rebasing: bytes[start...])))
    }
  }

  /// Where in the text a value of the document begins.
  package func range(of value: JSONValue) -> Range<Int> {
    let raw = value.raw
    let offset = raw.baseAddress.map { $0 - value.bytes } ?? 0
    return start + offset..<start + offset + raw.count
  }

  /// The first member name found twice in one object, anywhere in the value.
  package var duplicateName: String? {
    text.withUnsafeBytes {
      scanner.duplicateName(in: UnsafeRawBufferPointer(rebasing: $0[start...]))
    }
  }

  private static func endOfSpace(_ text: [UInt8], from start: Int) -> Int {
    text[start...].firstIndex { !$0.isJSONSpace } ?? text.count
  }

  private static func lineFeeds(_ text: ArraySlice<UInt8>) -> Int {
    text.count(where: { $0 == .lineFeed })
  }
}
