internal import CreditModel

/// The meaning of a call of `credit`, the one executable for every tool.
package enum SuiteCall {
  /// A run of a tool on the arguments from a place on.
  case tool(Tool, firstArgument: Int)
  /// The help of a tool.
  case help(Tool)
  /// Where to read a page of the manual that is no tool's.
  case page(ManualTopic)
  /// The list of the tools.
  case list
  case version
  /// The names that one which is begun may become.
  case complete(NameCompletion)
  case schema(SchemaCommand)

  /// Reads how the executable was called.
  /// - Parameter path: what it was called by: a link has the name of a tool.
  /// - Throws: where that names no tool.
  package init(path: String, arguments: [String]) throws(UsageError) {
    if let tool = Self.tool(calledBy: path) {
      self = .tool(tool, firstArgument: 0)
      return
    }
    switch arguments.first {
    case nil, "-h", "--help": self = .list
    case "--version": self = .version
    case "help": self = try Self.help(Array(arguments.dropFirst()))
    case "complete": self = .complete(try NameCompletion(Array(arguments.dropFirst())))
    case "schema": self = .schema(try SchemaCommand(Array(arguments.dropFirst())))
    case let word?: self = .tool(try Self.tool(word), firstArgument: 1)
    }
  }

  /// Returns the tool that the executable was called as; nil if the name is no tool's.
  static func tool(calledBy path: String) -> Tool? {
    let name = path.split(separator: "/").last.map(String.init) ?? ""
    return ToolName.allCases.first { $0.command == name }?.tool
  }

  private static func help(_ words: [String]) throws(UsageError) -> SuiteCall {
    guard let word = words.first else { return .list }
    if words.count > 1 { throw UsageError("help takes one tool, not also \(quoted(words[1]))") }
    if let topic = ManualTopic(rawValue: word) { return .page(topic) }
    return .help(try tool(word))
  }

  private static func tool(_ word: String) throws(UsageError) -> Tool {
    if let name = ToolName.allCases.first(where: { word == $0.rawValue || word == $0.command }) {
      return name.tool
    }
    if word.hasPrefix("-") {
      throw UsageError("the tool comes first, then its flags; \(quoted(word)) is none")
    }
    let names = ToolName.allCases.map { Name(trusted: $0.rawValue) }
    let hint = NearestNames.hint(NearestNames.find(Name(trusted: word), among: names))
    throw UsageError("there is no tool \(quoted(word))\(hint)")
  }
}
