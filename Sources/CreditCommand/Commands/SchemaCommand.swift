internal import CreditBytes
internal import CreditJSON
internal import CreditModel

/// `credit schema NAME [TOOL]`: prints the JSON Schema of requests, results, policies and journals.
/// It is made from the tables that the tools use themselves.
public struct SchemaCommand {
  /// The subjects of schemas.
  public enum Noun: String, CaseIterable, Sendable {
    case policy, request, result, history, record

    /// Whether each tool has its own.
    public var isOfTools: Bool { self == .request || self == .result }
  }

  private let noun: Noun
  /// Nil for all of them.
  private let tool: ToolName?

  /// - Parameter words: the words after `schema`.
  init(_ words: [String]) throws(UsageError) {
    let names = Noun.allCases.map(\.rawValue).joined(separator: ", ")
    guard let word = words.first, let noun = Noun(rawValue: word) else {
      throw UsageError("schema takes one of \(names)")
    }
    self.noun = noun
    guard words.count > 1 else {
      tool = nil
      if noun == .request {
        throw UsageError("schema request takes a tool: \(Self.names(of: .request))")
      }
      return
    }
    guard noun.isOfTools, words.count == 2 else {
      throw UsageError("schema \(word) takes no argument \(quoted(words[noun.isOfTools ? 2 : 1]))")
    }
    tool = try Self.tool(words[1], noun)
  }

  private static func tool(_ word: String, _ noun: Noun) throws(UsageError) -> ToolName {
    let name = ToolName.allCases.first { word == $0.rawValue || word == $0.command }
    guard let name, tools(with: noun).contains(name) else {
      throw UsageError(
        "schema \(noun.rawValue) takes one of \(names(of: noun)), not \(quoted(word))")
    }
    return name
  }

  /// The tools that have such a schema.
  public static func tools(with noun: Noun) -> [ToolName] {
    ToolName.allCases.filter {
      noun == .request ? $0.tool.requestMembers != nil : noun == .result && $0.results != nil
    }
  }

  private static func names(of noun: Noun) -> String {
    tools(with: noun).map(\.rawValue).joined(separator: ", ")
  }

  /// The schema, with its newline.
  var text: String {
    switch noun {
    case .policy:
      JSONSchema.text(of: PolicyShape.policy, title: "The policy of a store", isClosed: true)
    case .request:
      JSONSchema.text(
        of: tool?.tool.requestMembers.map(JSONShape.open) ?? .any,
        title: "A request of \(tool?.command ?? "")")
    case .result:
      JSONSchema.text(
        of: .anyOf(results + [.error]), title: "A result of \(tool?.command ?? "the credit tools")")
    case .history: JSONSchema.text(of: .historyLine, title: "A line of the history")
    case .record:
      JSONSchema.text(of: .record, title: "A line of a store's journal or export")
    }
  }

  private var results: [JSONShape] {
    (tool.map { [$0] } ?? ToolName.allCases).flatMap { $0.results ?? [] }
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
      if unknownCount == Self.limit {
        isDone = true
        return nil
      }
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
    // Requests of one tool are the results or requests of another.
    let isOwn = ToolName.allCases.contains { tool in
      tool.tool.requestNames.contains(name)
        || (tool.results ?? []).contains { $0.members?.contains { $0.name == name } == true }
    }
    return isOwn ? nil : meant
  }

  /// Members of providers' responses whose names are like those of a request's own.
  private static let namesOfProviders = [
    "completed_at", "expires_at", "part", "service_tier", "updated_at", "user",
  ]
}
