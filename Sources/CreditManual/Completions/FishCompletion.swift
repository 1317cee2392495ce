internal import CreditCommand

/// The tools and their flags for fish: a line each.
enum FishCompletion {
  static func text(_ place: String) -> String? {
    switch place {
    case "flags":
      ToolSuite.all.map { lines(of: $0).joined(separator: "\n") }.joined(separator: "\n\n")
    case "tools":
      ToolName.allCases.map { name in
        "complete -c credit -f -n 'test (count (commandline -opc)) -eq 1' -a \(name.rawValue)"
          + " -d \(quoted(name.tool.summary))"
      }.joined(separator: "\n")
    default: nil
    }
  }

  private static func lines(of tool: Tool) -> [String] {
    var lines = ["complete -c \(tool.name) -f"]
    let names = tool.subcommands.map(\.name).joined(separator: " ")
    for subcommand in tool.subcommands {
      let isNew = "not __fish_seen_subcommand_from \(names)"
      lines.append(
        "complete -c \(tool.name) -n '\(isNew)' -a \(subcommand.name)"
          + " -d \(quoted(subcommand.summary))")
      let isThis = " -n '__fish_seen_subcommand_from \(subcommand.name)'"
      lines += subcommand.flags.map { line($0, tool, condition: isThis) }
      if subcommand.takesFiles { lines.append("complete -c \(tool.name)\(isThis) -F") }
    }
    lines += tool.flags.map { line($0, tool, condition: "") }
    if tool.takesCommand {
      lines.append("complete -c \(tool.name) -a '(__fish_complete_subcommand)'")
    }
    return lines
  }

  private static func line(_ flag: Flag, _ tool: Tool, condition: String) -> String {
    let value =
      switch flag.offered(by: tool) {
      case .noValue: ""
      case .files: " -r -F"
      case .folders: " -x -a '(__fish_complete_directories)'"
      case .zones: " -x -a '(__credit_zones)'"
      case .words(let words): " -x -a '\(words)'"
      case .names(let kind): " -x -a '(__credit_names \(kind))'"
      case .nothing: " -x"
      }
    let short = flag.name == "help" ? " -s h" : ""
    return "complete -c \(tool.name)\(condition)\(short) -l \(flag.name)\(value)"
      + " -d \(quoted(flag.summary))"
  }

  private static func quoted(_ text: String) -> String {
    "'" + text.replacing("\\", with: "\\\\").replacing("'", with: "\\'") + "'"
  }
}
