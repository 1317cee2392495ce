/// What the completions for bash know of the line and of the store.
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
