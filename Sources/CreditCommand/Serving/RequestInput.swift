internal import CreditJSON
internal import CreditModel
internal import CreditSystem

/// The requests on standard input, taken in as they arrive.
final class RequestInput {
  private let streams: any Streams
  private let words: RequestWord?
  // Exclusivity is unchecked: one thread at a time, and no callee reaches back.
  @exclusivity(unchecked) private var stream: JSONStream

  /// A request on standard input. It is valid until the input is used again.
  enum Arrival: ~Copyable {
    case value(JSONValue, line: Int)
    /// The request that a word is short for.
    case word(JSONDocument, line: Int)
    /// Text that is not a request.
    case malformed(CreditError)
  }

  /// - Parameter words: the words for requests, if any.
  init(_ streams: any Streams, words: RequestWord?) {
    self.streams = streams
    self.words = words
    stream = JSONStream(words: words?.prefix)
  }

  /// Whether more has arrived than was taken in.
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
    case .malformed(let error): return .malformed(CreditError(malformed: error))
    case .word(let word, let line):
      guard let words else { return nil }
      do {
        return .word(try JSONDocument(words.request(word)), line: line)
      } catch {
        return .malformed(CreditError(malformed: error))
      }
    }
  }

  /// The first member name that appears twice in one object of the last value.
  var duplicateName: String? { stream.duplicateName }

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

/// Finds a member of requests that is likely a known one misspelt: it would be ignored in silence.
struct MisspeltMembers {
  private let tool: Tool
  /// The known names, and the unknown ones that have been looked at.
  private var names: MemberNames?
  private var unknownCount = 0
  /// The names of the request that was looked at last.
  private var lastHash: UInt64 = 0
  private var isDone = false

  /// The most unknown names that are compared. Log lines may have any number.
  private static let limit = 256

  init(of tool: Tool) {
    self.tool = tool
  }

  /// The first such member of a run, and the name that was likely meant.
  mutating func find(in request: JSONValue) -> (name: String, meant: String)? {
    if isDone { return nil }
    let hash = request.namesHash
    if hash == lastHash { return nil }
    lastHash = hash
    if names == nil { names = MemberNames(tool.requestNames) }
    while let name = names?.addFirst(of: request) {
      if let meant = tool.likelyName(for: name), !request.hasMember(meant) {
        isDone = true
        return (name, meant)
      }
      unknownCount += 1
      if unknownCount >= Self.limit {
        isDone = true
        return nil
      }
    }
    return findCount(in: request)
  }

  /// The first misspelt count of a usage in the tools' own form.
  private mutating func findCount(in request: JSONValue) -> (name: String, meant: String)? {
    guard unknownCount < Self.limit, tool.requestNames.contains("usage"),
      let usage = request.member("usage"), usage.member("inputTokens") != nil
    else { return nil }
    unknownCount += 1
    let counts = UsageCount.allCases.map { $0.row.member.description }
    for name in usage.members.compactMap({ $0.name.string }) where !counts.contains(name) {
      guard let meant = NearestNames.misspelt(name, among: counts), !usage.hasMember(meant) else {
        continue
      }
      isDone = true
      return (name, meant)
    }
    return nil
  }
}

extension Tool {
  /// The names of its requests' members; empty for a tool without requests.
  fileprivate var requestNames: [String] { (requestMembers ?? []).map(\.name) }

  /// Returns the member that was likely meant by an unknown one. Nil if no member is close, or if
  /// something else has a member with that name.
  fileprivate func likelyName(for name: String) -> String? {
    guard let meant = NearestNames.misspelt(name, among: requestNames),
      !Self.namesOfProviders.contains(name)
    else { return nil }
    // Requests of one tool are the results or requests of another that works on accounts.
    let isOwn = ToolName.allCases.contains { tool in
      if tool == .store || tool == .doctor { return false }
      return tool.tool.requestNames.contains(name)
        || (tool.results ?? []).contains { $0.members?.contains { $0.name == name } == true }
    }
    return isOwn ? nil : meant
  }

  /// Members of providers' responses whose names are like those of a request's own.
  private static let namesOfProviders = [
    "completed_at", "expires_at", "part", "service_tier", "updated_at", "user",
  ]
}
