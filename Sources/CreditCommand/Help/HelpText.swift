internal import CreditModel

/// The text that `--help` prints: forms, flags by group, examples and exit statuses. Its lines
/// have at most 80 columns.
package enum HelpText {
  private static let indent = 28

  /// The help of a tool, ending in a line break.
  package static func text(for tool: Tool) -> String {
    let manual = tool.manual()
    var lines = synopsis(tool, manual) + [""]
    if case .text(let text) = manual.description.first { lines += PlainText.fill(text) }
    lines += subcommands(tool)
    for group in FlagGroup.allCases where group != .common {
      lines += table(group.title, tool.flags.filter { $0.group == group })
    }
    lines += table(FlagGroup.common.title, tool.commonFlags)
    lines += examples(manual) + exitStatuses(tool)
    lines += ["", "The manual has more: man \(tool.name), man credit-tools"]
    return lines.joined(separator: "\n") + "\n"
  }

  /// What `credit` prints: the tools.
  package static var ofSuite: String {
    var lines = [
      "usage: credit TOOL [ARGUMENT]...", "       credit help TOOL",
      "       credit schema NAME [TOOL]",
      "", "Tools:",
    ]
    for tool in ToolName.allCases {
      lines += PlainText.columns(tool.rawValue, tool.tool.summary, indent: 14)
    }
    lines += ["", "Each is a command of its own, too: 'credit charge' is 'credit-charge'."]
    lines += ["The manual has more: man credit, man credit-tools"]
    return lines.joined(separator: "\n") + "\n"
  }

  private static func synopsis(_ tool: Tool, _ manual: Manual) -> [String] {
    manual.synopsis.enumerated().flatMap { index, form in
      let start = (index == 0 ? "usage: " : "       ") + tool.name
      let indent = start.utf8.count + 1
      let lines = PlainText.fill(
        words: Synopsis.parts(form), width: PlainText.width - indent)
      return lines.enumerated().map { index, line in
        (index == 0 ? start + " " : String(repeating: " ", count: indent)) + line
      }
    }
  }

  private static func subcommands(_ tool: Tool) -> [String] {
    var lines: [String] = []
    for subcommand in tool.subcommands {
      lines += PlainText.columns(subcommand.name, subcommand.summary, indent: indent)
      for flag in subcommand.ownFlags {
        lines += PlainText.columns("  " + label(flag), summary(flag), indent: indent)
      }
    }
    return lines.isEmpty ? [] : ["", "Subcommands:"] + lines
  }

  private static func table(_ title: String, _ flags: [Flag]) -> [String] {
    guard !flags.isEmpty else { return [] }
    return ["", title + ":"]
      + flags.flatMap { PlainText.columns(label($0), summary($0), indent: indent) }
  }

  private static func label(_ flag: Flag) -> String {
    (flag.name == "help" ? "-h, --" : "--") + flag.name
      + (flag.kind.takesValue ? " " + flag.placeholder : "")
  }

  private static func summary(_ flag: Flag) -> String {
    guard flag.choices.count > 2 else { return flag.summary }
    return flag.summary + " (" + flag.choices.joined(separator: ", ") + ")"
  }

  private static func examples(_ manual: Manual) -> [String] {
    var lines = ["", "Examples:"]
    for (index, example) in manual.examples.enumerated() {
      if index > 0 { lines.append("") }
      let width = PlainText.width - 4
      lines += PlainText.fill(example.text, width: width).map { "  # " + $0 }
      lines += example.command.split(separator: "\n").map { "  " + $0 }
    }
    return lines
  }

  private static func exitStatuses(_ tool: Tool) -> [String] {
    var lines = ["", "Exit status: 0 if every request succeeded, else that of the first failure:"]
    for row in CreditError.Code.byExitStatus {
      if row.exitStatus > UsageError.exitStatus, !lines.contains(usageRow) {
        lines.append(usageRow)
      }
      let codes = row.codes.filter(tool.lists)
      if codes.isEmpty { continue }
      let names = codes.map(\.rawValue).joined(separator: ", ")
      lines += PlainText.columns("\(row.exitStatus)", names, indent: 6)
    }
    return lines
  }

  private static let usageRow = "  \(UsageError.exitStatus)  the command line"
}
