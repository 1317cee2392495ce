internal import CreditCommand

/// The completions for zsh: one file for a directory of `fpath`.
enum ZshCompletion {
  /// The script for some tools.
  static func script(for tools: [Tool]) -> String {
    """
    #compdef \(tools.map(\.name).joined(separator: " "))
    # Completions for zsh: put this file into a directory of fpath.
    # Made by `swift run credit-manual` from the tools' table: do not edit.

    local curcontext="$curcontext" state line ret=1
    local -a common
    common=(
    \(CommonOptions.all.map { "  " + spec($0) }.joined(separator: "\n"))
    )

    case $service in
    \(tools.map(toolCase).joined(separator: "\n"))
    esac

    """
  }

  private static func toolCase(_ tool: Tool) -> String {
    if !tool.subcommands.isEmpty { return subcommandCase(tool) }
    let specs = tool.options.map { "      " + spec($0) + " \\\n" }.joined()
    return """
        \(tool.name))
          _arguments \\
      \(specs)      $common
          ;;
      """
  }

  private static func subcommandCase(_ tool: Tool) -> String {
    let words = tool.subcommands.map {
      "      \(quoted("\($0.name):\($0.summary)"))"
    }
    let cases = tool.subcommands.filter { !$0.options.isEmpty }.map { subcommand in
      let indent = "              "
      let specs = subcommand.options.map { indent + spec($0) + " \\\n" }.joined()
      return """
                  \(subcommand.name))
                    _arguments \\
        \(specs)              $common && ret=0
                    ;;
        """
    }
    return """
        \(tool.name))
          local -a commands
          commands=(
      \(words.joined(separator: "\n"))
          )
          _arguments -C $common '1: :->command' '*:: :->rest' && ret=0
          case $state in
            command) _describe -t commands subcommand commands && ret=0 ;;
            rest)
              case $words[1] in
      \(cases.joined(separator: "\n"))
                *) _arguments $common && ret=0 ;;
              esac
              ;;
          esac
          return ret
          ;;
      """
  }

  /// A flag as `_arguments` wants it.
  private static func spec(_ option: Option) -> String {
    let summary = option.summary.replacing(":", with: "\\:")
      .replacing("[", with: "\\[").replacing("]", with: "\\]")
    let label = option.placeholder
    let action =
      switch option.kind {
      case .flag: ""
      case .path: ":\(label):_files"
      case .store: ":\(label):_directories"
      case .choice(let words): ":\(label):(\(words.joined(separator: " ")))"
      case .text, .integer, .count, .duration, .time, .authorization: ":\(label): "
      }
    if option.name == "help" { return "'(-h --help)'{-h,--help}\(quoted("[\(summary)]"))" }
    let name = (option.isRepeatable ? "*" : "") + "--\(option.name)"
    return quoted("\(name)\(option.kind.takesValue ? "=" : "")[\(summary)]\(action)")
  }

  private static func quoted(_ text: String) -> String {
    "'" + text.replacing("'", with: "'\\''") + "'"
  }
}
