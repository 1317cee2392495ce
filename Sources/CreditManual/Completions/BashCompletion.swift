internal import CreditCommand

/// The tools' flags for bash: the cases of its script.
enum BashCompletion {
  static func text(_ place: String) -> String? {
    let tools = ToolSuite.all
    let lines: [String]
    switch place {
    case "flags": lines = tools.map(toolCase)
    case "subcommand-flags": lines = tools.flatMap(subcommandCases)
    case "values":
      lines =
        tools.flatMap { valueCases($0.allFlags.filter { !$0.isShared }, of: $0) }
        + valueCases(Flag.common.filter(\.isShared), of: nil)
    case "repeatable-flags":
      lines = tools.flatMap(\.flags).filter(\.isRepeatable).map { "      --\($0.name)) ;;" }
    default: return nil
    }
    return lines.joined(separator: "\n")
  }

  private static func toolCase(_ tool: Tool) -> String {
    let commands = tool.subcommands.map(\.name).joined(separator: " ")
    var assignment = "flags='\(words(tool.flags))'"
    if !tool.subcommands.isEmpty { assignment += " commands='\(commands)'" }
    if tool.takesCommand { assignment += " runs=1" }
    return "    \(tool.name)) \(assignment) ;;"
  }

  private static func subcommandCases(_ tool: Tool) -> [String] {
    tool.subcommands.filter { !$0.flags.isEmpty || $0.takesFiles }.map {
      let flags = $0.flags.isEmpty ? "" : " flags+=' \(words($0.flags))'"
      return "    \(tool.name):\($0.name))\(flags)\($0.takesFiles ? " files=1" : "") ;;"
    }
  }

  private static func words(_ flags: [Flag]) -> String {
    flags.map { "--" + $0.name }.joined(separator: " ")
  }

  /// Returns the cases that complete flags' values: files, folders, words, or none.
  private static func valueCases(_ flags: [Flag], of tool: Tool?) -> [String] {
    var cases: [(reply: String, patterns: [String])] = []
    for flag in flags {
      guard let reply = reply(flag.offered(by: tool)) else { continue }
      let pattern = "\(tool?.name ?? "*"):--\(flag.name)"
      if let index = cases.firstIndex(where: { $0.reply == reply }) {
        cases[index].patterns.append(pattern)
      } else {
        cases.append((reply, [pattern]))
      }
    }
    return cases.map { "    \($0.patterns.joined(separator: "|"))) \($0.reply) ;;" }
  }

  private static func reply(_ offered: OfferedValues) -> String? {
    switch offered {
    case .noValue: nil
    case .files: "_credit_tools_files -f; return"
    case .folders: "_credit_tools_files -d; return"
    case .zones: "_credit_tools_zones; return"
    case .words(let words): "_credit_tools_words '\(words)'; return"
    case .names(let kind): "_credit_tools_names \(kind); return"
    case .nothing: "return"
    }
  }
}
