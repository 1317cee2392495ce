internal import CreditCommand

/// The completions for fish: one file for `~/.config/fish/conf.d`.
enum FishCompletion {
  /// The script for some tools.
  static func script(for tools: [Tool]) -> String {
    var lines = [
      "# Completions for fish: put this file into ~/.config/fish/conf.d.",
      "# Made by `swift run credit-manual` from the tools' table: do not edit.",
      "", names,
    ]
    for tool in tools {
      lines += ["", "complete -c \(tool.name) -f"]
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
    }
    return (lines + suite).joined(separator: "\n") + "\n"
  }

  /// Completes names in the store: fish quotes them.
  private static let names = #"""
    # names that the store knows: that of the line, or else the usual one. A variable that the store
    # begins with has its value; nothing is run.
    function __credit_names
      set -l words (commandline -opc)
      set -l store
      for i in (seq (count $words))
        switch $words[$i]
          case --store
            set store $words[(math $i + 1)]
          case '--store=*'
            set store (string replace -- --store= '' $words[$i])
        end
      end
      set -l parts (string match -r -- '^\$\{?([A-Za-z_][A-Za-z0-9_]*)\}?(/.*)?$' "$store")
      if set -q parts[2]
        set -l name $parts[2]
        set store "$$name$parts[3]"
      else if string match -qr -- '^~(/|$)' "$store"
        set store (string replace -- '~' $HOME "$store")
      end
      # the current token has its quotes and backslashes still
      set -l begun (commandline -ct | string unescape | string replace -r -- '^--[a-z-]+=' '' \
        | string collect)
      command credit complete $argv[1] "$begun" "$store" 2>/dev/null
    end
    """#

  /// Completes `credit TOOL` like `credit-TOOL`.
  private static var suite: [String] {
    let isFirst = "-n 'test (count (commandline -opc)) -eq 1'"
    var lines = [
      "", "# credit TOOL completes like credit-TOOL",
      "function __credit_rest",
      "  set -l words (commandline -opc)",
      "  set -l rest (string escape -- $words[3..-1]) (commandline -ct)",
      "  complete -C \"credit-$words[2] $rest\"",
      "end",
      "complete -c credit -f -n 'test (count (commandline -opc)) -gt 1' -a '(__credit_rest)'",
      "complete -c credit -f \(isFirst) -a help -d 'Print the help of a tool'",
      "complete -c credit -f \(isFirst) -a schema -d 'Print a JSON Schema'",
      "complete -c credit -f \(isSchema(["schema"])) -a '\(SchemaWords.nouns)'",
    ]
    for noun in SchemaCommand.Noun.allCases where noun.isOfTools {
      let words = SchemaWords.tools(with: noun)
      lines.append("complete -c credit -f \(isSchema(["schema", noun.rawValue])) -a '\(words)'")
    }
    for tool in ToolName.allCases {
      let summary = quoted(tool.tool.summary)
      lines.append("complete -c credit -f \(isFirst) -a \(tool.rawValue) -d \(summary)")
    }
    return lines
  }

  /// The condition that these words, and no others, follow `credit`.
  private static func isSchema(_ words: [String]) -> String {
    "-n 'test \"$(commandline -opc)\" = \"credit \(words.joined(separator: " "))\"'"
  }

  private static func line(_ flag: Flag, _ tool: Tool, condition: String) -> String {
    let value =
      switch flag.kind {
      case .alone: ""
      case .text(.path): " -r -F"
      case .text(.store): " -x -a '(__fish_complete_directories)'"
      case .text(.choice(let words)): " -x -a '\(words.joined(separator: " "))'"
      case .truth: " -x -a 'true false'"
      case .text(.name(let names)), .authorization(let names):
        " -x -a '(__credit_names \(names.rawValue))'"
      case .text(.limit): " -x -a '(__credit_names \(NameKind.limit.rawValue))'"
      case .text(.any), .text(.server), .text(.tag), .text(.list), .text(.members), .number, .span,
        .time:
        " -x"
      }
    let short = flag.name == "help" ? " -s h" : ""
    return "complete -c \(tool.name)\(condition)\(short) -l \(flag.name)\(value)"
      + " -d \(quoted(flag.summary))"
  }

  private static func quoted(_ text: String) -> String {
    "'" + text.replacing("\\", with: "\\\\").replacing("'", with: "\\'") + "'"
  }
}
