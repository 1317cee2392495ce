# Completions for bash: source this file from ~/.bashrc.
# @notice@

# Reads the line up to the cursor as the shell would, but expands and runs nothing. words are
# those before the one that is begun, and word is that one; readline replaces what it has from
# begun on, which is in quote. A file behind < or > is none of the words; redirected is set if the
# word that is begun is one.
_credit_tools_read() {
  local line=${COMP_LINE:0:COMP_POINT} character i
  words=() word= quote= begun=0 redirected=
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
    elif [[ $character == [\<\>] ]]; then
      word= begun=0 redirected=1
    elif [[ $character == [[:space:]] ]]; then
      if [[ $word && $redirected ]]; then
        redirected=
      elif [[ $word ]]; then
        words+=("$word")
      fi
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

_credit_tools_words() {
  COMPREPLY=($(compgen -W "$1" -- "$current"))
}

_credit_tools_zones() {
  _credit_tools_words "$(cd /usr/share/zoneinfo 2>/dev/null && printf '%s\n' [A-Z]*/* [A-Z]*/*/*)"
}

_credit_tools_files() {
  local IFS=$'\n'
  compopt -o filenames
  COMPREPLY=($(compgen "$1" -- "$current"))
}

_credit_tools() {
  local words word quote begun redirected
  _credit_tools_read
  _credit_tools_complete
}

_credit_tools_complete() {
  local tool=${words[0]##*/} flags= commands= command= files= runs= i
  local current=${word:begun} previous=${words[${#words[@]} - 1]}
  if [[ $word == --*=* ]]; then previous=${word%%=*}; fi
  COMPREPLY=()
  if [[ $redirected ]]; then
    _credit_tools_files -f
    return
  fi

  case $tool in
@flags@
  esac
  if [[ $runs && " ${words[*]} " == *' -- '* ]]; then
    COMPREPLY=($(compgen -c -f -- "$current"))
    return
  fi
  for ((i = 1; i < ${#words[@]}; i++)); do
    if [[ " $commands " == *" ${words[i]} "* ]]; then
      command=${words[i]}
      break
    fi
  done
  case $tool:$command in
@subcommand-flags@
  esac

  case $tool:$previous in
@values@
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
@repeatable-flags@
      --*) flags=" $flags " flags=${flags/" $i "/ } ;;
    esac
  done
  _credit_tools_words "$flags"
}

# credit TOOL completes like credit-TOOL
_credit() {
  local words word quote begun redirected current
  _credit_tools_read
  current=${word:begun}
  COMPREPLY=()
  if [[ $redirected ]]; then
    _credit_tools_files -f
  elif ((${#words[@]} == 1)); then
    _credit_tools_words 'help schema @tool-words@ --help --version'
  elif [[ ${words[1]} == help ]]; then
    ((${#words[@]} > 2)) || _credit_tools_words '@tool-words@'
  elif [[ ${words[1]} == schema ]]; then
    case ${#words[@]}-${words[2]-} in
      2-) _credit_tools_words '@schemas@' ;;
      3-request) _credit_tools_words '@request-tools@' ;;
      3-result) _credit_tools_words '@result-tools@' ;;
    esac
  else
    words=("credit-${words[1]}" "${words[@]:2}")
    _credit_tools_complete
  fi
}

complete -F _credit_tools @tool-names@
complete -F _credit credit
