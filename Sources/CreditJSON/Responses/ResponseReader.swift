package import CreditModel

/// Reads one response of a provider, whole or streamed.
package enum ResponseReader {
  /// The most bytes of a response.
  package static let byteLimit = 64 << 20

  /// Reads what a response says of usage and model. Counts of a later chunk replace those of an
  /// earlier one; the model is the first that is named.
  ///
  /// The reading's `responseModel` is there for an object of our own form, too.
  /// - Parameter input: the whole of it: an object, an array of chunks, chunks one after another,
  ///   or server-sent events.
  /// - Throws: `invalid_json`, with line and offset, for malformed text; `invalid_request` for no
  ///   text, too much of it, chunks that are no objects, or member names that appear twice.
  package static func read(_ input: UnsafeRawBufferPointer) throws(CreditError) -> UsageReading {
    guard input.count <= byteLimit else {
      throw invalid("the response is longer than \(byteLimit >> 20) MiB")
    }
    guard input.contains(where: { !$0.isJSONSpace }) else {
      throw invalid("there is no response: standard input is empty")
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
          .invalidJSON, failure.reason.message, [.line(failure.line), .offset(failure.offset)])
      }
      response.isCutOff = true
    }
    return response.reading
  }

  private static func read(_ text: inout ResponseText, into response: inout StreamedResponse)
    throws(CreditError)
  {
    while let (value, line, offset) = text.next() {
      if let name = text.duplicateName {
        throw invalid(
          "the member name \(quoted(name)) is twice in one object", at: line, offset)
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
      throw invalid("a response must be a JSON object or chunks that are", at: line, offset)
    }
    response.add(chunk)
  }

  private static func invalid(_ message: String) -> CreditError {
    CreditError(.invalidRequest, message)
  }

  private static func invalid(_ message: String, at line: Int, _ offset: Int) -> CreditError {
    CreditError(.invalidRequest, message, [.line(line), .offset(offset)])
  }
}
