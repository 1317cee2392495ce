internal import CreditCommand

/// The completions for bash: one file to source.
enum BashCompletion {
  /// The script for some tools.
  static func script(for tools: [Tool]) -> String {
    let repeatable = tools.flatMap(\.flags).filter(\.isRepeatable).map {
      "      --\($0.name)) ;;\n"
    }
    let names = tools.map(\.name).joined(separator: " ")
    let words = ToolName.allCases.map(\.rawValue).joined(separator: " ")
    return """
      # Completions for bash: source this file from ~/.bashrc.
      # Made by `swift run credit-manual` from the tools' table: do not edit.

      \(BashNames.script)
      _credit_tools_words() {
        COMPREPLY=($(compgen -W "$1" -- "$current"))
      }

      _credit_tools_files() {
        local IFS=$'\\n'
        compopt -o filenames
        COMPREPLY=($(compgen "$1" -- "$current"))
      }

      _credit_tools() {
        local words word quote begun
        _credit_tools_read
        _credit_tools_complete
      }

      _credit_tools_complete() {
        local tool=${words[0]##*/} flags= commands= command= files= runs= i
        local current=${word:begun} previous=${words[${#words[@]} - 1]}
        if [[ $word == --*=* ]]; then previous=${word%%=*}; fi
        COMPREPLY=()

        case $tool in
      \(tools.map(toolCase).joined(separator: "\n"))
        esac
        for ((i = 1; i < ${#words[@]}; i++)); do
          if [[ " $commands " == *" ${words[i]} "* ]]; then
            command=${words[i]}
            break
          fi
        done
        case $tool:$command in
      \(tools.flatMap(commandCases).joined(separator: "\n"))
        esac

        case $tool:$previous in
      \(tools.flatMap(valueCases).joined(separator: "\n"))
      \(valueCases(Flag.common, of: "*").joined(separator: "\n"))
        esac

        if [[ $current != -* && -n $commands && -z $command ]]; then
          _credit_tools_words "$commands"
          return
        fi
        if [[ $current != -* && -n $runs ]]; then
          COMPREPLY=($(compgen -c -f -- "$current"))
          return
        fi
        if [[ $current != -* && -n $files ]]; then
          _credit_tools_files -f
          return
        fi
        # a flag is given once
        for i in "${words[@]:1}"; do
          case $i in
      \(repeatable.joined())      --*) flags=" $flags " flags=${flags/" $i "/ } ;;
          esac
        done
        _credit_tools_words "$flags"
      }

      # credit TOOL completes like credit-TOOL
      _credit() {
        local words word quote begun current
        _credit_tools_read
        current=${word:begun}
        COMPREPLY=()
        if ((${#words[@]} == 1)); then
          _credit_tools_words 'help schema \(words) --help --version'
        elif [[ ${words[1]} == help ]]; then
          ((${#words[@]} > 2)) || _credit_tools_words '\(words)'
        elif [[ ${words[1]} == schema ]]; then
          case ${#words[@]}-${words[2]-} in
            2-) _credit_tools_words '\(SchemaWords.nouns)' ;;
            3-request) _credit_tools_words '\(SchemaWords.tools(with: .request))' ;;
            3-result) _credit_tools_words '\(SchemaWords.tools(with: .result))' ;;
          esac
        else
          words=("credit-${words[1]}" "${words[@]:2}")
          _credit_tools_complete
        fi
      }

      complete -F _credit_tools \(names)
      complete -F _credit credit

      """
  }

  private static func words(_ flags: [Flag]) -> String {
    flags.map { "--" + $0.name }.joined(separator: " ")
  }

  private static func toolCase(_ tool: Tool) -> String {
    let commands = tool.subcommands.map(\.name).joined(separator: " ")
    var assignment = "flags='\(words(tool.flags))'"
    if !tool.subcommands.isEmpty { assignment += " commands='\(commands)'" }
    if tool.takesCommand { assignment += " runs=1" }
    return "    \(tool.name)) \(assignment) ;;"
  }

  private static func commandCases(_ tool: Tool) -> [String] {
    tool.subcommands.filter { !$0.flags.isEmpty || $0.takesFiles }.map {
      let flags = $0.flags.isEmpty ? "" : " flags+=' \(words($0.flags))'"
      return "    \(tool.name):\($0.name))\(flags)\($0.takesFiles ? " files=1" : "") ;;"
    }
  }

  /// Returns the cases that complete the values of a tool's own flags.
  private static func valueCases(_ tool: Tool) -> [String] {
    valueCases(tool.allFlags.filter { $0.group != .common }, of: tool.name)
  }

  /// Returns the cases that complete flags' values: files, directories, words, or none.
  private static func valueCases(_ flags: [Flag], of tool: String) -> [String] {
    var patterns: [(reply: String, flags: [String])] = []
    for flag in flags {
      guard let reply = reply(flag.kind) else { continue }
      let pattern = "\(tool):--\(flag.name)"
      if let index = patterns.firstIndex(where: { $0.reply == reply }) {
        patterns[index].flags.append(pattern)
      } else {
        patterns.append((reply, [pattern]))
      }
    }
    return patterns.map { "    \($0.flags.joined(separator: "|"))) \($0.reply) ;;" }
  }

  private static func reply(_ kind: FlagKind) -> String? {
    switch kind {
    case .alone: nil
    case .text(.path): "_credit_tools_files -f; return"
    case .text(.store): "_credit_tools_files -d; return"
    case .text(.choice(let words)): "_credit_tools_words '\(words.joined(separator: " "))'; return"
    case .truth: "_credit_tools_words 'true false'; return"
    case .text(.name(let names)), .authorization(let names):
      "_credit_tools_names \(names.rawValue); return"
    case .text(.limit): "_credit_tools_names \(NameKind.limit.rawValue); return"
    case .text(.any), .text(.server), .text(.tag), .text(.list), .text(.members), .number, .span,
      .time:
      "return"
    }
  }
}

/// The words after `credit schema`.
enum SchemaWords {
  static let nouns = SchemaCommand.Noun.allCases.map(\.rawValue).joined(separator: " ")

  static func tools(with noun: SchemaCommand.Noun) -> String {
    SchemaCommand.tools(with: noun).map(\.rawValue).joined(separator: " ")
  }
}

/// Functions of bash's completions for names in the line and the store.
enum BashNames {
  static let script = #"""
    # Reads the line up to the cursor as the shell would, but expands and runs nothing. words are
    # those before the one that is begun, and word is that one; readline replaces what it has from
    # begun on, which is in quote.
    _credit_tools_read() {
      local line=${COMP_LINE:0:COMP_POINT} character i
      words=() word= quote= begun=0
      for ((i = 0; i < ${#line}; i++)); do
        character=${line:i:1}
        if [[ $character == '\' && $quote != "'" ]]; then
          i=$((i + 1)) character=${line:i:1}
          if [[ $quote && $character != [\\\"\$\`] ]]; then word+='\'; fi
          word+=$character
        elif [[ $quote ]]; then
          if [[ $character == "$quote" ]]; then quote=; else word+=$character; fi
        elif [[ $character == [\'\"] ]]; then
          quote=$character begun=${#word}
        elif [[ $character == [[:space:]] ]]; then
          if [[ $word ]]; then words+=("$word"); fi
          word= begun=0
        else
          word+=$character
          if [[ $COMP_WORDBREAKS == *"$character"* ]]; then
            begun=${#word}
            # this one is replaced, too: it may begin the name of a host
            if [[ $character == @ ]]; then begun=$((begun - 1)); fi
          fi
        fi
      done
    }

    # The store that the line names. A variable that it begins with has its value; nothing is run.
    _credit_tools_store() {
      local i name
      for i in "${!words[@]}"; do
        case ${words[i]} in
          --store) store=${words[i + 1]-} ;;
          --store=*) store=${words[i]#*=} ;;
        esac
      done
      if [[ $store == '~' || $store == '~'/* ]]; then
        store=$HOME${store#?}
      elif [[ $store =~ ^'$'\{?([A-Za-z_][A-Za-z0-9_]*)\}?(/.*)?$ ]]; then
        name=${BASH_REMATCH[1]} store=${BASH_REMATCH[2]} store=${!name-}$store
      fi
    }

    # Names that the store knows, in the quotes that the word is begun in.
    _credit_tools_names() {
      local store= flag= name
      _credit_tools_store
      if [[ $word == --*=* ]]; then flag=${word%%=*}=; fi
      while IFS= read -r name; do
        name=$flag$name
        name=${name:begun}
        case $quote in
          \') name=${name//"'"/"'\''"} ;;
          \")
            name=${name//'\'/'\\'} name=${name//'"'/'\"'}
            name=${name//'$'/'\$'} name=${name//'`'/'\`'}
            ;;
          *) if [[ $name ]]; then printf -v name %q "$name"; fi ;;
        esac
        COMPREPLY+=("$name")
      done < <(command credit complete "$1" "${word#"$flag"}" "$store" 2>/dev/null)
    }

    """#
}

extension String {
  /// The text with another in the place of a character. (The standard way is a part of the regular
  /// expressions, which are left out of `Sources`.)
  func replacing(_ character: Character, with text: String) -> String {
    reduce(into: "") { $0 += $1 == character ? text : String($1) }
  }
}
