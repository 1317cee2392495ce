package import CreditModel

/// Reads one response of a provider, whole or streamed.
package enum ResponseReader {
  /// The most bytes of a response.
  package static let byteLimit = 64 << 20

  /// Reads what a response says of usage and model. Counts of a later chunk replace those of an
  /// earlier one; the model is the first that is named.
  ///
  /// The reading's `responseModel` is there for an object of our own form, too.
  /// - Parameter input: the whole of it: an object, an array of chunks, chunks one after another, or
  ///   server-sent events.
  /// - Throws: `invalid_json`, with line and offset, for malformed text; `invalid_request` for no text,
  ///   too much of it, chunks that are no objects, or member names that stand twice.
  package static func read(_ input: UnsafeRawBufferPointer) throws(CreditError) -> UsageReading {
    guard input.count <= byteLimit else {
      throw invalid("the response is longer than \(byteLimit >> 20) MiB")
    }
    var stream = JSONStream()
    _ = stream.withFreeSpace(minimum: input.count) { space in
      space.copyMemory(from: input)
      EventStream.blank(UnsafeMutableRawBufferPointer(rebasing: space[..<input.count]))
      return input.count
    }
    stream.finish()
    guard input.contains(where: { !$0.isJSONSpace }) else {
      throw invalid("there is no response: standard input is empty")
    }
    return try reading(of: &stream)
  }

  private static func reading(of stream: inout JSONStream) throws(CreditError) -> UsageReading {
    var response = StreamedUsage()
    while true {
      switch stream.next() {
      case .value(let value, let line, let offset):
        if let name = stream.duplicateName {
          throw invalid(
            "the member name \(quoted(name)) stands twice in one object", at: line, offset)
        }
        if value.kind != .array {
          try add(value, to: &response, line, offset)
        } else {
          for chunk in value.elements { try add(chunk, to: &response, line, offset) }
        }
      case .malformed(let error):
        throw CreditError(
          .invalidJSON, error.reason.message, [.line(error.line), .offset(error.offset)])
      case .needsMore, .end, .word:
        return response.reading
      }
    }
  }

  private static func add(
    _ chunk: JSONValue, to response: inout StreamedUsage, _ line: Int, _ offset: Int
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

/// What the chunks of a response have said so far.
private struct StreamedUsage {
  private var model: String?
  private var counts: TokenCounts?
  /// Of the last chunk whose usage had a known shape.
  private var usage: ReportedUsage?
  /// Of the last chunk whose usage had none; `null` says less than anything else.
  private var unknown: ReportedUsage?
  private var error: String?
  private var isOwnForm = false

  mutating func add(_ chunk: JSONValue) {
    if model == nil { model = chunk.providerModel }
    switch UsageFinding(in: chunk) {
    case .known(let shape, let usage):
      isOwnForm = shape.isOwnForm
      add(usage, shape)
    case .unknown(let usage):
      if unknown == nil || !usage.isNull { unknown = .unknown(usage) }
    case .none: break
    }
    if error == nil { error = chunk.providerError }
  }

  private mutating func add(_ usage: JSONValue, _ shape: UsageShape) {
    do throws(UsageProblem) {
      let latest = try TokenCounts(of: usage, shape)
      let counts = self.counts?.followed(by: latest) ?? latest
      self.counts = counts
      self.usage = .counts(try counts.usage)
    } catch {
      self.usage = .unreadable(usage, error)
    }
  }

  var reading: UsageReading {
    let missing = unknown ?? .missing(error: nil)
    return UsageReading(
      isResponse: !isOwnForm,
      usage: usage ?? error.map(missing.explained(by:)) ?? missing,
      responseModel: model)
  }
}
