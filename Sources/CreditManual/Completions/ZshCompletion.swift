internal import CreditCommand

/// The tools and their flags for zsh: the arguments of its script's functions.
enum ZshCompletion {
  static func text(_ place: String) -> String? {
    switch place {
    case "common-flags": lines(Flag.common.filter(\.isShared), indent: 2)
    case "tools":
      ToolName.allCases.map { "    " + quoted("\($0.rawValue):\($0.tool.summary)") }
        .joined(separator: "\n")
    case "arguments": ToolSuite.all.map(toolCase).joined(separator: "\n")
    default: nil
    }
  }

  private static func toolCase(_ tool: Tool) -> String {
    if !tool.subcommands.isEmpty { return subcommandCase(tool) }
    let flags = tool.flags.filter { !$0.isShared }
    let command = tool.takesCommand ? " '*:: :_normal'" : ""
    return """
        \(tool.name))
      \(common(tool))    _arguments\(arguments(flags, of: tool, indent: 6))$common\(command)
          ;;
      """
  }

  private static func subcommandCase(_ tool: Tool) -> String {
    let words = tool.subcommands.map {
      "      \(quoted("\($0.name):\($0.summary)"))"
    }
    let cases = tool.subcommands.map { subcommand in
      """
                \(subcommand.name))
                  _arguments\(arguments(subcommand, of: tool, indent: 14))$common && ret=0
                  ;;
      """
    }
    return """
        \(tool.name))
          local -a commands
          commands=(
      \(words.joined(separator: "\n"))
          )
      \(common(tool))    _arguments -C $common '1: :->command' '*:: :->rest' && ret=0
          case $state in
            command) _describe -t commands subcommand commands && ret=0 ;;
            rest)
              case $words[1] in
      \(cases.joined(separator: "\n"))
              esac
              ;;
          esac
          return ret
          ;;
      """
  }

  /// The common flags of a tool that does not take all of them.
  private static func common(_ tool: Tool) -> String {
    let flags = tool.flags.filter(\.isShared)
    if flags.count == Flag.common.count(where: \.isShared) { return "" }
    return "    common=(\n\(lines(flags, indent: 6))\n    )\n"
  }

  private static func lines(_ flags: [Flag], indent: Int) -> String {
    flags.map { String(repeating: " ", count: indent) + spec($0, nil) }.joined(separator: "\n")
  }

  /// Flags as arguments that follow on lines of their own.
  private static func arguments(_ flags: [Flag], of tool: Tool, indent: Int) -> String {
    let start = " \\\n" + String(repeating: " ", count: indent)
    return flags.map { start + spec($0, tool) }.joined() + start
  }

  private static func arguments(_ subcommand: Subcommand, of tool: Tool, indent: Int) -> String {
    arguments(subcommand.flags + tool.flags.filter { !$0.isShared }, of: tool, indent: indent)
      + (subcommand.takesFiles ? "'*:FILE:_files' " : "")
  }

  /// A flag as `_arguments` wants it.
  private static func spec(_ flag: Flag, _ tool: Tool?) -> String {
    let summary = flag.summary.replacing(":", with: "\\:")
      .replacing("[", with: "\\[").replacing("]", with: "\\]")
    let label = flag.placeholder
    let action =
      switch flag.offered(by: tool) {
      case .noValue: ""
      case .files: ":\(label):_files"
      case .folders: ":\(label):_directories"
      case .zones: ":\(label):_time_zone"
      case .words(let words): ":\(label):(\(words))"
      case .names(let kind): ":\(label):_credit_tools_names \(kind)"
      case .nothing: ":\(label): "
      }
    if flag.name == "help" { return "'(-h --help)'{-h,--help}\(quoted("[\(summary)]"))" }
    let name = (flag.isRepeatable ? "*" : "") + "--\(flag.name)"
    return quoted("\(name)\(flag.kind.takesValue ? "=" : "")[\(summary)]\(action)")
  }

  private static func quoted(_ text: String) -> String {
    "'" + text.replacing("'", with: "'\\''") + "'"
  }
}
