import CreditModel

/// What Gemini looked up for an answer. A response says so beside its usage, and a stream may say
/// it in another chunk than the one with the last counts.
///
/// From Gemini 3 on each search is billed, of equal ones and empty ones none; before that the
/// prompt, however many searches it took:
/// https://ai.google.dev/gemini-api/docs/google-search#pricing
struct Grounding {
  private var searches: [String] = []
  private var others: [String] = []

  /// The most searches that are told apart. A response has a few.
  private static let limit = 1_000

  /// Takes what a response, or a chunk of one, says.
  mutating func add(_ response: SearchedObject) {
    let candidates = response.member("candidates").map { Array($0.elements) } ?? []
    for holder in candidates + [response.member("serverContent")].compactMap({ $0 }) {
      guard let metadata = holder.member("groundingMetadata") else { continue }
      for search in metadata.member("webSearchQueries")?.elements.map(\.string) ?? [] {
        guard let search, !search.isEmpty, searches.count < Self.limit,
          !searches.contains(search)
        else { continue }
        searches.append(search)
      }
      note(metadata.member("imageSearchQueries"), "imageSearchQueries")
      note(metadata.member("retrievalQueries"), "retrievalQueries")
      if metadata.member("groundingChunks")?.elements.contains(where: { $0.member("maps") != nil })
        == true
      {
        note("groundingChunks.maps")
      }
    }
  }

  /// A usage with what was looked up for it, and the paths of what cannot be counted.
  /// - Parameter model: the model that answered.
  func added(to usage: ReportedUsage, of model: String?) -> (ReportedUsage, unread: [String]) {
    guard !searches.isEmpty, case .counts(.tokens(var tokens)) = usage,
      tokens[.webSearches] == 0
    else { return (usage, others) }
    switch Self.generation(of: model) {
    case .some(3...): tokens[.webSearches] = Int64(searches.count)
    case .some: tokens[.webSearches] = 1
    case nil: return (usage, others + ["groundingMetadata.webSearchQueries"])
    }
    return (.counts(.tokens(tokens)), others)
  }

  private mutating func note(_ list: JSONValue?, _ name: String) {
    if list?.elements.contains(where: { $0.string?.isEmpty == false }) == true { note(name) }
  }

  private mutating func note(_ name: String) {
    let path = "groundingMetadata.\(name)"
    if !others.contains(path) { others.append(path) }
  }

  /// Returns the number in a name such as `gemini-2.5-flash`; nil without one.
  private static func generation(of model: String?) -> Int? {
    let mark = "gemini-"
    guard let name = model?.split(separator: "/").last, name.hasPrefix(mark) else { return nil }
    return Int(name.dropFirst(mark.count).prefix { $0.isASCII && $0.isNumber })
  }
}
