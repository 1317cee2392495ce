# Completions for bash: source this file from ~/.bashrc.
# Made by `swift run credit-manual` from the tools' table: do not edit.

_credit_tools_words() {
  COMPREPLY=($(compgen -W "$1" -- "$current"))
}

_credit_tools_files() {
  local IFS=$'\n'
  compopt -o filenames
  COMPREPLY=($(compgen "$1" -- "$current"))
}

_credit_tools() {
  local tool=${COMP_WORDS[0]##*/} flags= commands= command= files= runs= word i
  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}
  # bash splits --flag=value at the equals sign
  if [[ $current == "=" ]]; then
    current=
  elif [[ $previous == "=" ]]; then
    previous=${COMP_WORDS[COMP_CWORD-2]}
  fi
  COMPREPLY=()

  case $tool in
    credit-price) flags='--model --used-at --input-tokens --output-tokens --cache-read-tokens --cache-write-tokens --cache-write-1h-tokens --image-input-tokens --audio-input-tokens --audio-output-tokens --image-output-tokens --cache-read-audio-tokens --cache-read-image-tokens --citation-tokens --web-searches --x-searches --code-executions --file-searches --document-searches --search-sources --search-units --units --flat --service-tier --speed --inference-geo --response --partial --catalog --models --search --at --products --import --product-credits --store --now --pass --get --pretty --json --quiet --help --version' ;;
    credit-authorize) flags='--account --authorization --hold --expires-in --tag --void --store --now --pass --get --pretty --json --quiet --lock-timeout --no-sync --help --version' ;;
    credit-charge) flags='--authorization --account --key --model --used-at --tag --input-tokens --output-tokens --cache-read-tokens --cache-write-tokens --cache-write-1h-tokens --image-input-tokens --audio-input-tokens --audio-output-tokens --image-output-tokens --cache-read-audio-tokens --cache-read-image-tokens --citation-tokens --web-searches --x-searches --code-executions --file-searches --document-searches --search-sources --search-units --units --flat --service-tier --speed --inference-geo --response --partial --arrears --amend --store --now --pass --get --pretty --json --quiet --lock-timeout --no-sync --help --version' ;;
    credit-topup) flags='--account --transaction --key --product --quantity --credits --type --status --reason --price --currency --expires-at --expires-in --below --app-account-token --tag --strict --storekit --store --now --pass --get --pretty --json --quiet --lock-timeout --no-sync --help --version' ;;
    credit-balance) flags='--account --all --below --total --at --store --now --pass --get --pretty --json --quiet --lock-timeout --no-sync --help --version' ;;
    credit-account) flags='--account --plan --exempt --closed --all --store --now --pass --get --pretty --json --quiet --lock-timeout --no-sync --help --version' ;;
    credit-history) flags='--account --all --type --status --since --until --month --tag --search --limit --offset --page --follow --open --receipt --transaction --store --now --pass --get --pretty --json --quiet --lock-timeout --no-sync --help --version' ;;
    credit-refund) flags='--transaction --authorization --account --key --credits --reason --store --now --pass --get --pretty --json --quiet --lock-timeout --no-sync --help --version' ;;
    credit-transfer) flags='--from --to --credits --key --reason --store --now --pass --get --pretty --json --quiet --lock-timeout --no-sync --help --version' ;;
    credit-run) flags='--account --model --hold --expires-in --tag --response-from --receipt --store --now --quiet --lock-timeout --no-sync --help --version' runs=1 ;;
    credit-store) flags='--store --now --quiet --lock-timeout --no-sync --help --version' commands='init info policy verify rebuild export import' ;;
    credit-usage) flags='--account --account-from --model --since --until --partial --strict --get --pretty --quiet --help --version' commands='claude codex gemini litellm openai anthropic otel' ;;
    credit-report) flags='--format --by --since --until --month --utc-offset --quiet --help --version' ;;
  esac
  for ((i = 1; i < COMP_CWORD; i++)); do
    if [[ " $commands " == *" ${COMP_WORDS[i]} "* ]]; then
      command=${COMP_WORDS[i]}
      break
    fi
  done
  case $tool:$command in
    credit-store:init) flags+=' --policy --get --pretty --json' ;;
    credit-store:info) flags+=' --get --pretty --json' ;;
    credit-store:policy) flags+=' --check --set --get --pretty --json' ;;
    credit-store:verify) flags+=' --get --pretty --json' ;;
    credit-store:rebuild) flags+=' --get --pretty --json' ;;
    credit-store:export) flags+=' --rename --without' ;;
    credit-store:import) flags+=' --get --pretty --json' ;;
    credit-usage:claude) files=1 ;;
    credit-usage:codex) files=1 ;;
    credit-usage:gemini) files=1 ;;
    credit-usage:litellm) files=1 ;;
    credit-usage:openai) files=1 ;;
    credit-usage:anthropic) files=1 ;;
    credit-usage:otel) files=1 ;;
  esac

  case $tool:$previous in
    credit-price:--model|credit-price:--used-at|credit-price:--input-tokens|credit-price:--output-tokens|credit-price:--cache-read-tokens|credit-price:--cache-write-tokens|credit-price:--cache-write-1h-tokens|credit-price:--image-input-tokens|credit-price:--audio-input-tokens|credit-price:--audio-output-tokens|credit-price:--image-output-tokens|credit-price:--cache-read-audio-tokens|credit-price:--cache-read-image-tokens|credit-price:--citation-tokens|credit-price:--web-searches|credit-price:--x-searches|credit-price:--code-executions|credit-price:--file-searches|credit-price:--document-searches|credit-price:--search-sources|credit-price:--search-units|credit-price:--units|credit-price:--service-tier|credit-price:--speed|credit-price:--inference-geo|credit-price:--search|credit-price:--at|credit-price:--product-credits) return ;;
    credit-price:--catalog|credit-price:--import) _credit_tools_files -f; return ;;
    credit-authorize:--account|credit-authorize:--authorization|credit-authorize:--hold|credit-authorize:--expires-in|credit-authorize:--tag|credit-authorize:--void) return ;;
    credit-charge:--authorization|credit-charge:--account|credit-charge:--key|credit-charge:--model|credit-charge:--used-at|credit-charge:--tag|credit-charge:--input-tokens|credit-charge:--output-tokens|credit-charge:--cache-read-tokens|credit-charge:--cache-write-tokens|credit-charge:--cache-write-1h-tokens|credit-charge:--image-input-tokens|credit-charge:--audio-input-tokens|credit-charge:--audio-output-tokens|credit-charge:--image-output-tokens|credit-charge:--cache-read-audio-tokens|credit-charge:--cache-read-image-tokens|credit-charge:--citation-tokens|credit-charge:--web-searches|credit-charge:--x-searches|credit-charge:--code-executions|credit-charge:--file-searches|credit-charge:--document-searches|credit-charge:--search-sources|credit-charge:--search-units|credit-charge:--units|credit-charge:--service-tier|credit-charge:--speed|credit-charge:--inference-geo) return ;;
    credit-topup:--account|credit-topup:--transaction|credit-topup:--key|credit-topup:--product|credit-topup:--quantity|credit-topup:--credits|credit-topup:--reason|credit-topup:--price|credit-topup:--currency|credit-topup:--expires-at|credit-topup:--expires-in|credit-topup:--below|credit-topup:--app-account-token|credit-topup:--tag) return ;;
    credit-topup:--type) _credit_tools_words 'purchase bonus adjustment'; return ;;
    credit-topup:--status) _credit_tools_words 'completed pending failed'; return ;;
    credit-balance:--account|credit-balance:--below|credit-balance:--at) return ;;
    credit-account:--account|credit-account:--plan) return ;;
    credit-account:--exempt|credit-account:--closed) _credit_tools_words 'true false'; return ;;
    credit-history:--account|credit-history:--since|credit-history:--until|credit-history:--month|credit-history:--tag|credit-history:--search|credit-history:--limit|credit-history:--offset|credit-history:--receipt|credit-history:--transaction) return ;;
    credit-history:--type) _credit_tools_words 'purchase usage bonus adjustment transfer starter quota refund expiry'; return ;;
    credit-history:--status) _credit_tools_words 'completed pending failed refunded'; return ;;
    credit-refund:--transaction|credit-refund:--authorization|credit-refund:--account|credit-refund:--key|credit-refund:--credits|credit-refund:--reason) return ;;
    credit-transfer:--from|credit-transfer:--to|credit-transfer:--credits|credit-transfer:--key|credit-transfer:--reason) return ;;
    credit-run:--account|credit-run:--model|credit-run:--hold|credit-run:--expires-in|credit-run:--tag) return ;;
    credit-run:--response-from|credit-run:--receipt) _credit_tools_files -f; return ;;
    credit-store:--policy|credit-store:--check|credit-store:--set) _credit_tools_files -f; return ;;
    credit-store:--rename|credit-store:--without) return ;;
    credit-usage:--account|credit-usage:--account-from|credit-usage:--model|credit-usage:--since|credit-usage:--until) return ;;
    credit-report:--format) _credit_tools_words 'html text csv json hledger ledger beancount'; return ;;
    credit-report:--by|credit-report:--since|credit-report:--until|credit-report:--month|credit-report:--utc-offset) return ;;
    *:--store) _credit_tools_files -d; return ;;
    *:--now|*:--get|*:--lock-timeout) return ;;
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
  for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case $word in
      --product-credits) ;;
      --tag) ;;
      --tag) ;;
      --tag) ;;
      --tag) ;;
      --tag) ;;
      --*) flags=" $flags " flags=${flags/" $word "/ } ;;
    esac
  done
  _credit_tools_words "$flags"
}

# credit TOOL completes like credit-TOOL
_credit() {
  local current=${COMP_WORDS[COMP_CWORD]}
  COMPREPLY=()
  if ((COMP_CWORD == 1)); then
    _credit_tools_words 'help price authorize charge topup balance account history refund transfer run store usage report --help --version'
  elif [[ ${COMP_WORDS[1]} == help ]]; then
    ((COMP_CWORD > 2)) || _credit_tools_words 'price authorize charge topup balance account history refund transfer run store usage report'
  else
    COMP_WORDS=("credit-${COMP_WORDS[1]}" "${COMP_WORDS[@]:2}")
    ((COMP_CWORD -= 1))
    _credit_tools
  fi
}

complete -F _credit_tools credit-price credit-authorize credit-charge credit-topup credit-balance credit-account credit-history credit-refund credit-transfer credit-run credit-store credit-usage credit-report
complete -F _credit credit
