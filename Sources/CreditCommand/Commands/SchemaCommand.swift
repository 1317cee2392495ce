internal import CreditJSON
internal import CreditModel

/// `credit schema NAME [TOOL]`: prints the JSON Schema of requests, results, policies and journals.
/// It is made from the tables that the tools use themselves.
public struct SchemaCommand {
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
    let names = Noun.allCases.map(\.rawValue)
    guard let word = words.first, let noun = Noun(rawValue: word) else {
      let given = words.first.map {
        ", not \(quoted($0))" + NearestNames.question($0, among: names)
      }
      throw UsageError("schema takes one of \(names.joined(separator: ", "))\(given ?? "")")
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
    let given = words[1]
    tool = Self.tools(with: noun).first { given == $0.rawValue || given == $0.command }
    if tool == nil {
      throw UsageError("schema \(word) takes one of \(Self.names(of: noun)), not \(quoted(given))")
    }
  }

  public static func tools(with noun: Noun) -> [ToolName] {
    ToolName.allCases.filter {
      noun == .request ? $0.tool.requestMembers != nil : noun == .result && $0.results != nil
    }
  }

  private static func names(of noun: Noun) -> String {
    tools(with: noun).map(\.rawValue).joined(separator: ", ")
  }

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
        of: .anyOf(
          (tool.map { [$0] } ?? ToolName.allCases).flatMap { $0.results ?? [] } + [.error]),
        title: "A result of \(tool?.command ?? "the credit tools")")
    case .history: JSONSchema.text(of: .historyLine, title: "A line of the history")
    case .record:
      JSONSchema.text(of: .record, title: "A line of a store's journal or export")
    }
  }
}
