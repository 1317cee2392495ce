# Completions for bash: source this file from ~/.bashrc.
# Made by `swift run credit-manual` from the tools' table: do not edit.

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
    credit-price) flags='--model --used-at --input-tokens --output-tokens --cache-read-tokens --cache-write-tokens --cache-write-1h-tokens --cache-write-12h-tokens --image-input-tokens --audio-input-tokens --audio-output-tokens --image-output-tokens --cache-read-audio-tokens --cache-read-image-tokens --citation-tokens --web-searches --x-searches --code-executions --file-searches --document-searches --search-sources --search-units --images --pages --web-search-previews --units --flat --service-tier --speed --inference-geo --search-context --response --headers --partial --catalog --models --search --at --products --account --group --title --import --product-credits --store --now --pass --get --pretty --json --format --quiet --lock-timeout --no-sync --help --version' ;;
    credit-authorize) flags='--account --authorization --hold --expires-in --model --tag --void --dry-run --store --now --pass --get --pretty --json --format --quiet --lock-timeout --no-sync --help --version' ;;
    credit-charge) flags='--authorization --account --key --model --used-at --tag --input-tokens --output-tokens --cache-read-tokens --cache-write-tokens --cache-write-1h-tokens --cache-write-12h-tokens --image-input-tokens --audio-input-tokens --audio-output-tokens --image-output-tokens --cache-read-audio-tokens --cache-read-image-tokens --citation-tokens --web-searches --x-searches --code-executions --file-searches --document-searches --search-sources --search-units --images --pages --web-search-previews --units --flat --service-tier --speed --inference-geo --search-context --response --headers --partial --arrears --amend --dry-run --store --now --pass --get --pretty --json --format --quiet --lock-timeout --no-sync --help --version' ;;
    credit-topup) flags='--account --transaction --key --product --quantity --credits --type --status --reason --price --currency --priority --starts-at --starts-in --expires-at --expires-in --models --below --to --app-account-token --tag --strict --storekit --event --header --headers --verify --dry-run --store --now --pass --get --pretty --json --format --quiet --lock-timeout --no-sync --help --version' ;;
    credit-balance) flags='--account --model --all --children --below --total --at --store --now --pass --get --pretty --json --format --quiet --lock-timeout --no-sync --help --version' ;;
    credit-account) flags='--account --plan --exempt --closed --parent --group --limit --limit-until --all --dry-run --store --now --pass --get --pretty --json --format --quiet --lock-timeout --no-sync --help --version' ;;
    credit-history) flags='--account --all --type --status --since --until --month --time-zone --by-record --tag --grant --search --limit --offset --page --follow --after --cursor --open --receipt --transaction --store --now --pass --get --pretty --json --format --quiet --lock-timeout --no-sync --help --version' ;;
    credit-refund) flags='--transaction --authorization --account --key --credits --price --unused --reason --dry-run --store --now --pass --get --pretty --json --format --quiet --lock-timeout --no-sync --help --version' ;;
    credit-transfer) flags='--from --to --credits --key --reason --dry-run --store --now --pass --get --pretty --json --format --quiet --lock-timeout --no-sync --help --version' ;;
    credit-run) flags='--account --model --hold --expires-in --tag --response-from --resume --grace --receipt --store --now --quiet --lock-timeout --no-sync --help --version' runs=1 ;;
    credit-store) flags='--store --now --quiet --lock-timeout --no-sync --help --version' commands='init info policy verify seal rebuild export import push' ;;
    credit-doctor) flags='--below --check-age --verify --store --now --get --pretty --json --format --quiet --lock-timeout --help --version' ;;
    credit-usage) flags='--account --account-from --model --since --until --partial --strict --resume --now --get --pretty --json --quiet --lock-timeout --help --version' commands='claude codex gemini opencode amp copilot droid qwen kimi pi cline roo litellm openai anthropic otel' ;;
    credit-report) flags='--format --by --customer --cost --deferred --title --account --since --until --month --by-record --utc-offset --time-zone --as --each --by-use --logo --from-address --to-address --now --quiet --help --version' ;;
    credit-reconcile) flags='--format --by --tolerance --settled --grace --since --until --utc-offset --models --map --model-column --catalog --now --quiet --help --version' commands='anthropic openai openrouter litellm focus' ;;
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
    credit-store:init) flags+=' --policy --roles --get --pretty --json --format' ;;
    credit-store:info) flags+=' --get --pretty --json --format' ;;
    credit-store:policy) flags+=' --check --set --dry-run --get --pretty --json --format' ;;
    credit-store:verify) flags+=' --seal --get --pretty --json --format' ;;
    credit-store:seal) flags+=' --after --get --pretty --json --format' ;;
    credit-store:rebuild) flags+=' --drop-damaged --get --pretty --json --format' ;;
    credit-store:export) flags+=' --rename --without' ;;
    credit-store:import) flags+=' --dry-run --get --pretty --json --format' ;;
    credit-store:push) flags+=' --to --get --pretty --json --format' ;;
    credit-usage:claude) files=1 ;;
    credit-usage:codex) files=1 ;;
    credit-usage:gemini) files=1 ;;
    credit-usage:opencode) files=1 ;;
    credit-usage:amp) files=1 ;;
    credit-usage:copilot) files=1 ;;
    credit-usage:droid) files=1 ;;
    credit-usage:qwen) files=1 ;;
    credit-usage:kimi) files=1 ;;
    credit-usage:pi) files=1 ;;
    credit-usage:cline) files=1 ;;
    credit-usage:roo) files=1 ;;
    credit-usage:litellm) files=1 ;;
    credit-usage:openai) files=1 ;;
    credit-usage:anthropic) files=1 ;;
    credit-usage:otel) files=1 ;;
    credit-reconcile:anthropic) files=1 ;;
    credit-reconcile:openai) files=1 ;;
    credit-reconcile:openrouter) files=1 ;;
    credit-reconcile:litellm) files=1 ;;
    credit-reconcile:focus) files=1 ;;
  esac

  case $tool:$previous in
    credit-price:--model) _credit_tools_names model; return ;;
    credit-price:--used-at|credit-price:--input-tokens|credit-price:--output-tokens|credit-price:--cache-read-tokens|credit-price:--cache-write-tokens|credit-price:--cache-write-1h-tokens|credit-price:--cache-write-12h-tokens|credit-price:--image-input-tokens|credit-price:--audio-input-tokens|credit-price:--audio-output-tokens|credit-price:--image-output-tokens|credit-price:--cache-read-audio-tokens|credit-price:--cache-read-image-tokens|credit-price:--citation-tokens|credit-price:--web-searches|credit-price:--x-searches|credit-price:--code-executions|credit-price:--file-searches|credit-price:--document-searches|credit-price:--search-sources|credit-price:--search-units|credit-price:--images|credit-price:--pages|credit-price:--web-search-previews|credit-price:--units|credit-price:--service-tier|credit-price:--speed|credit-price:--inference-geo|credit-price:--search-context|credit-price:--search|credit-price:--at|credit-price:--group|credit-price:--title|credit-price:--product-credits) return ;;
    credit-price:--headers|credit-price:--catalog|credit-price:--import) _credit_tools_files -f; return ;;
    credit-price:--account) _credit_tools_names account; return ;;
    credit-price:--get) _credit_tools_words 'model usage usd costUSD credits usageFallback unpriced partial unread id aliases from markup source dollars usdPer1M tokens creditsPerToken creditsPerUnit creditsPerRequest free reportedCost name plan gracePeriod description price currency active displayOrder createdAt groups bonuses priority expiresIn models pricePerCredit error'; return ;;
    credit-authorize:--account) _credit_tools_names account; return ;;
    credit-authorize:--authorization|credit-authorize:--hold|credit-authorize:--expires-in|credit-authorize:--tag) return ;;
    credit-authorize:--model) _credit_tools_names model; return ;;
    credit-authorize:--void) _credit_tools_names authorization; return ;;
    credit-authorize:--get) _credit_tools_words 'authorization balance available payer crossed replayed voided error'; return ;;
    credit-charge:--authorization) _credit_tools_names authorization; return ;;
    credit-charge:--account) _credit_tools_names account; return ;;
    credit-charge:--key|credit-charge:--used-at|credit-charge:--tag|credit-charge:--input-tokens|credit-charge:--output-tokens|credit-charge:--cache-read-tokens|credit-charge:--cache-write-tokens|credit-charge:--cache-write-1h-tokens|credit-charge:--cache-write-12h-tokens|credit-charge:--image-input-tokens|credit-charge:--audio-input-tokens|credit-charge:--audio-output-tokens|credit-charge:--image-output-tokens|credit-charge:--cache-read-audio-tokens|credit-charge:--cache-read-image-tokens|credit-charge:--citation-tokens|credit-charge:--web-searches|credit-charge:--x-searches|credit-charge:--code-executions|credit-charge:--file-searches|credit-charge:--document-searches|credit-charge:--search-sources|credit-charge:--search-units|credit-charge:--images|credit-charge:--pages|credit-charge:--web-search-previews|credit-charge:--units|credit-charge:--service-tier|credit-charge:--speed|credit-charge:--inference-geo|credit-charge:--search-context) return ;;
    credit-charge:--model) _credit_tools_names model; return ;;
    credit-charge:--headers) _credit_tools_files -f; return ;;
    credit-charge:--get) _credit_tools_words 'authorization model usage creditsCharged newBalance paidBy timestamp usedAt tags reportedUSD usd costUSD amended previousCredits creditsForfeited limitsCrossed refundedTo usageFallback partial unread unpriced exempt creditsWaived key refunded crossed replayed error'; return ;;
    credit-topup:--account) _credit_tools_names account; return ;;
    credit-topup:--transaction|credit-topup:--key|credit-topup:--quantity|credit-topup:--credits|credit-topup:--reason|credit-topup:--price|credit-topup:--currency|credit-topup:--priority|credit-topup:--starts-at|credit-topup:--starts-in|credit-topup:--expires-at|credit-topup:--expires-in|credit-topup:--models|credit-topup:--below|credit-topup:--to|credit-topup:--app-account-token|credit-topup:--tag|credit-topup:--header) return ;;
    credit-topup:--product) _credit_tools_names product; return ;;
    credit-topup:--type) _credit_tools_words 'purchase subscription bonus adjustment'; return ;;
    credit-topup:--status) _credit_tools_words 'completed pending failed'; return ;;
    credit-topup:--event) _credit_tools_words 'stripe paddle standard revenuecat'; return ;;
    credit-topup:--headers) _credit_tools_files -f; return ;;
    credit-topup:--get) _credit_tools_words 'transaction creditsAdded newBalance bonuses plan until crossed replayed ended account skipped balance key notification changed event reason recorded results product verified creditsRefunded creditsForfeited refundedPrice authorization refundedTo error'; return ;;
    credit-balance:--account) _credit_tools_names account; return ;;
    credit-balance:--model) _credit_tools_names model; return ;;
    credit-balance:--below|credit-balance:--at) return ;;
    credit-balance:--get) _credit_tools_words 'account balance available held buckets scheduled exempt closed plan planUntil graceUntil planRemoved quota parent payer group limits limitsLifted updatedAt registered crossed replayed accounts owedToCustomers owedByCustomers error'; return ;;
    credit-account:--account|credit-account:--parent) _credit_tools_names account; return ;;
    credit-account:--plan) _credit_tools_names plan; return ;;
    credit-account:--exempt|credit-account:--closed) _credit_tools_words 'true false'; return ;;
    credit-account:--group|credit-account:--limit-until) return ;;
    credit-account:--limit) _credit_tools_names limit; return ;;
    credit-account:--get) _credit_tools_words 'account balance available held buckets scheduled exempt closed plan planUntil graceUntil planRemoved quota parent payer group limits limitsLifted updatedAt registered crossed replayed registeredAt error'; return ;;
    credit-history:--account) _credit_tools_names account; return ;;
    credit-history:--type) _credit_tools_words 'purchase subscription usage bonus adjustment transfer starter quota refund expiry'; return ;;
    credit-history:--status) _credit_tools_words 'completed pending failed refunded scheduled'; return ;;
    credit-history:--since|credit-history:--until|credit-history:--month|credit-history:--tag|credit-history:--grant|credit-history:--search|credit-history:--limit|credit-history:--offset|credit-history:--after|credit-history:--transaction) return ;;
    credit-history:--time-zone) _credit_tools_zones; return ;;
    credit-history:--receipt) _credit_tools_names charge; return ;;
    credit-history:--get) _credit_tools_words 'id account type status credits balance timestamp updatedAt completedAt model catalogModel usage productID productName quantity price currency key reason scheduledAt startsAt expiresAt plan until carriedOver endedAt extended priority models grant taken left used expired usedAt chargedAt tags usd costUSD creditsWaived usdWaived creditsRefunded creditsForfeited crossed limitsCrossed paidBy shares parent member counterparty originalTransactionID signedTransactionInfo event changed cursor hold held age transactions total limit offset authorization creditsCharged newBalance reportedUSD amended previousCredits refundedTo usageFallback partial unread unpriced exempt error'; return ;;
    credit-refund:--transaction|credit-refund:--key|credit-refund:--credits|credit-refund:--price|credit-refund:--reason) return ;;
    credit-refund:--authorization) _credit_tools_names charge; return ;;
    credit-refund:--account) _credit_tools_names account; return ;;
    credit-refund:--get) _credit_tools_words 'transaction creditsAdded creditsRefunded creditsForfeited newBalance reason refundedPrice ended plan until crossed replayed authorization refundedTo key error'; return ;;
    credit-transfer:--from|credit-transfer:--to) _credit_tools_names account; return ;;
    credit-transfer:--credits|credit-transfer:--key|credit-transfer:--reason) return ;;
    credit-transfer:--get) _credit_tools_words 'transfer fromBalance toBalance crossed replayed error'; return ;;
    credit-run:--account) _credit_tools_names account; return ;;
    credit-run:--model) _credit_tools_names model; return ;;
    credit-run:--hold|credit-run:--expires-in|credit-run:--tag|credit-run:--grace) return ;;
    credit-run:--response-from|credit-run:--resume|credit-run:--receipt) _credit_tools_files -f; return ;;
    credit-store:--policy|credit-store:--check|credit-store:--set|credit-store:--seal|credit-store:--after|credit-store:--drop-damaged) _credit_tools_files -f; return ;;
    credit-store:--get) _credit_tools_words 'store created version records accounts bytes lastTime lost torn ok set credits index seal holds rebuilt dropped error'; return ;;
    credit-store:--rename|credit-store:--to) return ;;
    credit-store:--without) _credit_tools_names account; return ;;
    credit-doctor:--below) return ;;
    credit-doctor:--get) _credit_tools_words 'check state message code holder store version records accounts bytes lastTime torn exposed freeBytes totalBytes additions behindSeconds warnings secrets below lowest models undated oldest newest days error'; return ;;
    credit-usage:--account) _credit_tools_names account; return ;;
    credit-usage:--account-from|credit-usage:--since|credit-usage:--until) return ;;
    credit-usage:--model) _credit_tools_names model; return ;;
    credit-usage:--resume) _credit_tools_files -f; return ;;
    credit-usage:--get) _credit_tools_words 'account key model usage reportedUSD unread partial usedAt tags error'; return ;;
    credit-report:--format) _credit_tools_words 'html statement text csv json focus hledger ledger beancount'; return ;;
    credit-report:--by) _credit_tools_words 'day week month account member parent payer model product currency type status grant'; return ;;
    credit-report:--title|credit-report:--account|credit-report:--since|credit-report:--until|credit-report:--month|credit-report:--utc-offset) return ;;
    credit-report:--time-zone) _credit_tools_zones; return ;;
    credit-report:--as) _credit_tools_words 'html text csv'; return ;;
    credit-report:--logo|credit-report:--from-address|credit-report:--to-address) _credit_tools_files -f; return ;;
    credit-reconcile:--format) _credit_tools_words 'text csv json html'; return ;;
    credit-reconcile:--by) _credit_tools_words 'day,model day model key'; return ;;
    credit-reconcile:--tolerance|credit-reconcile:--settled|credit-reconcile:--grace|credit-reconcile:--since|credit-reconcile:--until|credit-reconcile:--utc-offset|credit-reconcile:--models|credit-reconcile:--map|credit-reconcile:--model-column) return ;;
    credit-reconcile:--catalog) _credit_tools_files -f; return ;;
    *:--store) _credit_tools_files -d; return ;;
    *:--now|*:--lock-timeout) return ;;
    *:--format) _credit_tools_words 'json text'; return ;;
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
      --product-credits) ;;
      --tag) ;;
      --tag) ;;
      --tag) ;;
      --header) ;;
      --limit) ;;
      --tag) ;;
      --tag) ;;
      --map) ;;
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
    _credit_tools_words 'help schema price authorize charge topup balance account history refund transfer run store doctor usage report reconcile --help --version'
  elif [[ ${words[1]} == help ]]; then
    ((${#words[@]} > 2)) || _credit_tools_words 'price authorize charge topup balance account history refund transfer run store doctor usage report reconcile'
  elif [[ ${words[1]} == schema ]]; then
    case ${#words[@]}-${words[2]-} in
      2-) _credit_tools_words 'policy request result history record' ;;
      3-request) _credit_tools_words 'price authorize charge topup balance account history refund transfer' ;;
      3-result) _credit_tools_words 'price authorize charge topup balance account history refund transfer run store doctor usage' ;;
    esac
  else
    words=("credit-${words[1]}" "${words[@]:2}")
    _credit_tools_complete
  fi
}

complete -F _credit_tools credit-price credit-authorize credit-charge credit-topup credit-balance credit-account credit-history credit-refund credit-transfer credit-run credit-store credit-doctor credit-usage credit-report credit-reconcile
complete -F _credit credit
