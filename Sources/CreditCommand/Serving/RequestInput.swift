internal import CreditJSON
internal import CreditModel
internal import CreditSystem

/// The requests on standard input, taken in as they arrive.
final class RequestInput {
  private let streams: any Streams
  private let wordAdvice: String
  // Exclusivity is unchecked: one thread at a time, and no callee reaches back.
  @exclusivity(unchecked) private(set) var stream: JSONStream

  /// A request on standard input. It is valid until the input is used again.
  enum Arrival: ~Copyable {
    case value(JSONValue, line: Int)
    /// The request that a word is short for.
    case word(JSONDocument, line: Int)
    /// Text that is not a request, or as many as it loses.
    case malformed(CreditError, count: Int = 1)
  }

  /// - Parameter tool: the tool of the requests, if it has words for them, or advice on words.
  init(_ streams: any Streams, for tool: ToolName? = nil) {
    self.streams = streams
    wordAdvice = tool == .charge ? "; if it is an id: --authorization ID" : ""
    // A signed transaction may be a line by itself: its header is base64url of `{"…`.
    stream = JSONStream(words: tool == .topup ? "eyJ" : nil)
  }

  var hasMore: Bool { streams.hasInput }

  /// Reads the bytes that have arrived, waiting for at least one.
  /// - Returns: true if the input has ended.
  func fill() throws(CreditError) -> Bool {
    var gathered = 0
    repeat {
      let count = try stream.withFreeSpace { space throws(CreditError) in
        try streams.readInput(into: space)
      }
      if count == 0 {
        stream.finish()
        return true
      }
      gathered += count
    } while gathered < JSONStream.readUnit && hasMore
    return false
  }

  /// Returns the next request that was taken in; nil if no whole one is left.
  func next() -> Arrival? {
    switch stream.next() {
    case .needsMore, .end: return nil
    case .value(let value, let line, offset: _): return .value(value, line: line)
    case .malformed(let error):
      return .malformed(
        CreditError(
          malformed: error,
          advice: stream.isWord && !wordAdvice.isEmpty ? wordAdvice : stream.advice),
        count: stream.lostCount)
    case .word(let word, let line):
      do {
        return .word(try JSONDocument(Self.request(signed: word)), line: line)
      } catch {
        return .malformed(CreditError(malformed: error))
      }
    }
  }

  /// The request whose only member is a signed transaction.
  private static func request(signed word: Bytes) -> [UInt8] {
    var request = JSONWriter(capacity: word.count + 64)
    request.beginObject()
    request.key("signedTransactionInfo")
    request.string(utf8: word)
    request.endObject()
    return request.withBytes { [UInt8]($0) }
  }

  /// Reads all of standard input as one provider's response. If it is too long, the result has more
  /// than `ResponseReader.byteLimit` bytes.
  static func readResponse(_ streams: any Streams) throws(CreditError) -> [UInt8] {
    var input = JSONBuffer()
    while input.unread.count <= ResponseReader.byteLimit {
      let count = try input.withFreeSpace(minimum: JSONStream.readUnit) {
        space throws(CreditError) in try streams.readInput(into: space)
      }
      if count == 0 { break }
    }
    return [UInt8](input.unread)
  }
}

extension RequestOrigin {
  /// Nil for malformed text.
  init?(_ arrival: borrowing RequestInput.Arrival, _ flags: ParsedArguments) {
    switch arrival {
    case .value(let value, let line): self.init(line: line, value, flags)
    case .word(_, let line): self.init(line: line)
    case .malformed: return nil
    }
  }

  /// The names in an unreadable request and in the flags. Invalid names are left out.
  init(line: Int, _ request: JSONValue, _ flags: ParsedArguments) {
    self.init(line: line)
    let authorization = request.member("authorization")
    let id = authorization?.string ?? authorization?.member("id")?.string
    if let id = Name(valid: id) ?? flags[.authorization]?.id {
      subject = .authorization(id)
    } else if let id = Name(valid: request.member("transaction")?.string ?? flags[.transaction]) {
      subject = .transaction(id)
    } else if let key = Name(valid: request.member("key")?.string ?? flags[.key]) {
      subject = .key(key)
    }
    // A transfer is of the account that gives.
    let whose = request.member("account") ?? request.member("from")
    let account = whose?.string ?? flags[.account] ?? flags[.from]
    set(account: Name(valid: account, limit: Name.accountLimit))
  }
}
