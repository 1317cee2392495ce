internal import CreditJSON
internal import CreditModel

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
