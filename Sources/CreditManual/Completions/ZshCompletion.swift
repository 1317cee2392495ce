internal import CreditCommand

/// The completions for zsh: one file for a directory of `fpath`.
enum ZshCompletion {
  /// The script for some tools.
  static func script(for tools: [Tool]) -> String {
    """
    #compdef credit \(tools.map(\.name).joined(separator: " "))
    # Completions for zsh: put this file into a directory of fpath.
    # Made by `swift run credit-manual` from the tools' table: do not edit.

    \(names)

    local curcontext="$curcontext" state line ret=1
    local -a common typed=("${words[@]:0:$CURRENT}")
    common=(
    \(lines(Flag.common, indent: 2))
    )

    # credit TOOL completes like credit-TOOL
    if [[ $service == credit ]]; then
      local -a tools
      tools=(
    \(toolWords)
      )
      if (( CURRENT == 2 )); then
        tools+=('help:Print the help of a tool' 'schema:Print a JSON Schema')
        _describe -t commands tool tools
        return
      elif [[ $words[2] == help ]]; then
        (( CURRENT == 3 )) && _describe -t commands tool tools
        return
      elif [[ $words[2] == schema ]]; then
        case $CURRENT-$words[3] in
          3-*) _values schema \(SchemaWords.nouns) ;;
          4-request) _values tool \(SchemaWords.tools(with: .request)) ;;
          4-result) _values tool \(SchemaWords.tools(with: .result)) ;;
        esac
        return
      fi
      service=credit-$words[2]
      shift words
      (( CURRENT -= 1 ))
      words[1]=$service
    fi

    case $service in
    \(tools.map(toolCase).joined(separator: "\n"))
    esac

    """
  }

  /// Completes names in the store: zsh quotes them.
  private static let names = #"""
    # names that the store knows: that of the line, or else the usual one. A variable that the store
    # begins with has its value; nothing is run.
    (( $+functions[_credit_tools_names] )) || _credit_tools_names() {
      local store kind=$argv[-1] i
      local -a names
      for ((i = 1; i <= $#typed; i++)); do
        case $typed[i] in
          --store) store=${(Q)typed[i+1]} ;;
          --store=*) store=${(Q)typed[i]#*=} ;;
        esac
      done
      if [[ $store == '~'(|/*) ]]; then
        store=$HOME${store#?}
      elif [[ $store =~ '^\$\{?([A-Za-z_][A-Za-z0-9_]*)\}?(/.*)?$' ]]; then
        store=${(P)match[1]}$match[2]
      fi
      names=("${(@f)$(command credit complete $kind "${(Q)PREFIX}" "$store" 2>/dev/null)}")
      [[ -n $names ]] && compadd "${(@)argv[1,-2]}" -a names
    }
    """#

  private static var toolWords: String {
    ToolName.allCases.map { "    " + quoted("\($0.rawValue):\($0.tool.summary)") }
      .joined(separator: "\n")
  }

  private static func toolCase(_ tool: Tool) -> String {
    if !tool.subcommands.isEmpty { return subcommandCase(tool) }
    let flags = tool.flags.filter { $0.group != .common }
    let command = tool.takesCommand ? " '*:: :_normal'" : ""
    return """
        \(tool.name))
      \(common(tool))    _arguments\(arguments(flags, indent: 6))$common\(command)
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
                  _arguments\(arguments(subcommand, indent: 14))$common && ret=0
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
    let flags = tool.flags.filter { $0.group == .common }
    if flags.count == Flag.common.count { return "" }
    return "    common=(\n\(lines(flags, indent: 6))\n    )\n"
  }

  private static func lines(_ flags: [Flag], indent: Int) -> String {
    flags.map { String(repeating: " ", count: indent) + spec($0) }.joined(separator: "\n")
  }

  /// Flags as arguments that follow on lines of their own.
  private static func arguments(_ flags: [Flag], indent: Int) -> String {
    let start = " \\\n" + String(repeating: " ", count: indent)
    return flags.map { start + spec($0) }.joined() + start
  }

  private static func arguments(_ subcommand: Subcommand, indent: Int) -> String {
    arguments(subcommand.flags, indent: indent) + (subcommand.takesFiles ? "'*:FILE:_files' " : "")
  }

  /// A flag as `_arguments` wants it.
  private static func spec(_ flag: Flag) -> String {
    let summary = flag.summary.replacing(":", with: "\\:")
      .replacing("[", with: "\\[").replacing("]", with: "\\]")
    let label = flag.placeholder
    let action =
      switch flag.kind {
      case .alone: ""
      case .text(.path): ":\(label):_files"
      case .text(.store): ":\(label):_directories"
      case .text(.choice(let words)): ":\(label):(\(words.joined(separator: " ")))"
      case .truth: ":\(label):(true false)"
      case .text(.name(let names)), .authorization(let names):
        ":\(label):_credit_tools_names \(names.rawValue)"
      case .text(.limit): ":\(label):_credit_tools_names \(NameKind.limit.rawValue)"
      case .text(.any), .text(.server), .text(.tag), .text(.list), .text(.members), .number, .span,
        .time:
        ":\(label): "
      }
    if flag.name == "help" { return "'(-h --help)'{-h,--help}\(quoted("[\(summary)]"))" }
    let name = (flag.isRepeatable ? "*" : "") + "--\(flag.name)"
    return quoted("\(name)\(flag.kind.takesValue ? "=" : "")[\(summary)]\(action)")
  }

  private static func quoted(_ text: String) -> String {
    "'" + text.replacing("'", with: "'\\''") + "'"
  }
}
