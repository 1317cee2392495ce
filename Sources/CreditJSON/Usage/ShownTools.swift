import CreditModel

/// The provider's own tools that a response shows in its content without counting them. Their cost
/// depends on more than that, so that they are named and not priced.
struct ShownTools {
  private var found: [String] = []
  private var citesPages = false

  /// Takes the tools shown in a response or a chunk.
  mutating func add(_ response: SearchedObject) {
    addCode(of: response.member("content"))
    if let block = response.member("content_block") { addCode(ofBlock: block) }
    if let choices = response.member("choices") {
      for choice in choices.elements {
        for name in ["message", "delta"] as [StaticString] {
          if let message = choice.member(name) { add(message: message) }
        }
      }
      // Z.ai: https://docs.z.ai/guides/tools/web-search
      if Self.hasElements(response.member("web_search")) { note("web_search") }
    }
  }

  /// The paths of the tools shown.
  /// - Parameter usage: the counts: cited pages belong to a counted search.
  func unread(beside usage: ReportedUsage) -> [String] {
    guard citesPages else { return found }
    if case .counts(.tokens(let tokens)) = usage,
      tokens[.webSearches] > 0 || tokens[.searchSources] > 0 || tokens[.citationTokens] > 0
    {
      return found
    }
    return found + ["choices.message.annotations"]
  }

  /// Code that Anthropic runs is billed by the hour of its container:
  /// https://docs.claude.com/en/docs/agents-and-tools/tool-use/code-execution-tool
  private mutating func addCode(of content: JSONValue?) {
    guard let content, content.kind == .array else { return }
    for block in content.elements { addCode(ofBlock: block) }
  }

  private mutating func addCode(ofBlock block: JSONValue) {
    guard block.member("type")?.utf8Equals("server_tool_use") == true,
      let name = block.member("name")
    else { return }
    let names: [StaticString] = [
      "code_execution", "bash_code_execution", "text_editor_code_execution",
    ]
    if names.contains(where: { name.utf8Equals($0) }) { note("content.code_execution") }
  }

  /// A search of OpenAI's search models only shows in its citations; Groq's compound models list
  /// the tools they executed: https://console.groq.com/docs/compound
  private mutating func add(message: JSONValue) {
    if let annotations = message.member("annotations"), annotations.kind == .array {
      citesPages =
        citesPages
        || annotations.elements.contains {
          $0.member("type")?.utf8Equals("url_citation") == true
        }
    }
    if Self.hasElements(message.member("executed_tools")) { note("choices.message.executed_tools") }
  }

  private static func hasElements(_ list: JSONValue?) -> Bool {
    list.map { $0.kind == .array && $0.nodeCount > 1 } ?? false
  }

  private mutating func note(_ path: String) {
    if !found.contains(path) { found.append(path) }
  }
}
