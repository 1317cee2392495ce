# What the parts share. A part counts its cases in `cases` and reports through `fail`.

failures=0
cases=0
databases=0
charges=$((quick ? 150 : 3000))
printf '{"starterCredits":100000,"models":[{"id":"unit","creditsPerUnit":1}]}\n' >policy.json

# fail TEXT...: reports a broken promise.
fail() {
  ((failures += 1))
  printf 'FAIL: %s\n' "$*"
  ((failures < 20)) || { echo "too many failures" && exit 1; }
}

# skip TEXT...: notes a check that this machine does not allow.
skip() { printf 'skipped: %s\n' "$*"; }

# leave: takes away everything that the run made.
leave() {
  local folder
  jobs -rp | xargs -r kill 2>/dev/null
  for folder in "$scratch"/*/; do
    [[ -d $folder/data || -f $folder/pgbouncer.ini ]] && "$cluster" stop "$folder"
  done
  remove_network
  rm -rf "$scratch"
}

spaces=()

# remove_network: takes away the spaces of networks that a part has made.
remove_network() {
  local space
  for space in "${spaces[@]}"; do ip netns delete "$space" 2>/dev/null; done
  spaces=()
}

# server NAME [SETTING=VALUE...]: starts a server in a folder of this name, and sets `url`.
server() {
  url=$(${beside-} "$cluster" start "$scratch/$1" "${@:2}") || fail "no server $1"
}

# ask SQL [URL]: queries the server directly; by default the database of `server`.
ask() { psql "${2:-$url}" -qtAX -c "$1" 2>/dev/null; }

# new_store: makes a store in a new database of the server at `url`. `store` is then its URL for clients,
# and `books` that for the checks at the end: a part may change either.
new_store() {
  local name=store$((databases += 1))
  ask "CREATE DATABASE $name" || fail "no database $name"
  store=${url/@\/postgres\?/@/$name?}
  books=$store
  credit-store init --store "$store" --policy policy.json >/dev/null || fail "no store in $name"
}

# requests COUNT ACCOUNTS: charges with keys of their own, of one credit each.
requests() {
  awk -v count="$1" -v accounts="$2" 'BEGIN {
    for (i = 1; i <= count; i++)
      printf "{\"account\":\"a%d\",\"key\":\"k%d\",\"model\":\"unit\",\"usage\":{\"units\":1}}\n",
        i % accounts, i }'
}

# wait_seconds: how long a client looks for the server before it gives up.
wait_seconds=20

# charge: one client's call. It fails if it must be repeated.
charge() {
  local status
  ${within-} credit-charge --store "$store" --lock-timeout "$wait_seconds" 2>>messages
  status=$?
  # 69 is `unavailable`; 137, killed with -9.
  ((status == 0 || status == 69 || status == 137)) || echo "exit status $status" >>surprises
  return $status
}

# client NUMBER: sends all requests, in an order of its own, until each has an answer: the first call by
# call, the second in streams, which begin anew after a break, since finished requests are replayed,
# the others one by one to a tool that stays. An incomplete line of a killed one stays a line of its own.
client() {
  local request=
  # Its shell reports killed calls.
  exec 2>/dev/null
  shuf --random-source=<(yes "$1$seed") requests >"requests.$1"
  case $1 in
  1)
    while read -r request; do
      until charge <<<"$request"; do echo && sleep 0.05; done
    done <"requests.$1"
    ;;
  2) until charge <"requests.$1"; do echo && sleep 0.05; done ;;
  *) until one_by_one; do echo && sleep 0.05; done 3<"requests.$1" ;;
  esac >"results.$1"
}

# one_by_one: sends each request of file 3 once the one before is answered. It fails if the tool ends
# or can't continue, and then continues with the first unanswered request.
one_by_one() {
  local answer from to pid
  trap '' PIPE
  coproc charge
  from=${COPROC[0]-} to=${COPROC[1]-} pid=${COPROC_PID-}
  [[ $request ]] || read -r request <&3
  while [[ $request ]] && printf '%s\n' "$request" >&"$to" && read -r answer <&"$from"; do
    printf '%s\n' "$answer"
    [[ $answer != '{"error"'* ]] || break
    read -r request <&3 || request=
  done
  # Without more requests the tool ends.
  eval "exec $to>&-"
  wait "$pid"
  [[ ! $request ]]
}

# storm WHAT COUNT ACCOUNTS DISTURBANCE...: four clients at once send the same COUNT charges, while a
# command disturbs them. It may ask `is_stormy` whether any is still at work.
storm() {
  local what=$1 count=$2 accounts=$3 number told clients=()
  rm -f results.* requests.* messages surprises
  requests "$count" "$accounts" >requests
  for number in 1 2 3 4; do
    client "$number" &
    clients+=($!)
  done
  stormy=("${clients[@]}")
  "${@:4}"
  wait "${clients[@]}"
  [[ ! -s surprises ]] || fail "$what: $(sort surprises | uniq -c | head -3), $(tail -1 messages)"
  for number in 1 2 3 4; do
    told=$(jq -rR 'fromjson? | .authorization.id // empty' "results.$number" | sort -u | wc -l)
    ((told == count)) || fail "$what: client $number was told of $told"
  done
  settled "$what" "$count" "$accounts"
}

is_stormy() { kill -0 "${stormy[@]}" 2>/dev/null; }

# receipts CONDITION: the whole results without errors that meet a condition of jq's.
receipts() { jq -cR "fromjson? | select((.error | not) and $1)" results.*; }

# settled WHAT COUNT ACCOUNTS: each charge has one record, all its answers were the same, and
# no other credits have moved.
settled() {
  local what=$1 count=$2 accounts=$3 records credits
  records=$(credit-store verify --store "$books" --get records 2>&1) ||
    fail "$what: verify says $records"
  credits=$(credit-store verify --store "$books" --get credits 2>&1)
  [[ $credits == $((accounts * 100000 - count)) ]] || fail "$what: credits $credits"
  credit-history --store "$books" --all --limit 0 | jq -r 'select(.key) | "\(.key) \(.id)"' |
    sort >recorded
  awk -v count="$count" 'BEGIN { for (i = 1; i <= count; i++) print "k" i }' | sort |
    diff - <(cut -d ' ' -f 1 recorded) >different || fail "$what: keys: $(head -5 different)"
  receipts true | jq -c 'del(.replayed)' | sort -u | jq -r .authorization.id | sort >told
  cut -d ' ' -f 2 recorded | sort | diff - told >different ||
    fail "$what: recorded, and told: $(head -5 different)"
  receipts '(.replayed | not)' | sort | uniq -d >twice
  [[ ! -s twice ]] || fail "$what: done twice: $(head -2 twice)"
}

# pause: up to a tenth of a second.
pause() { sleep "0.0$((RANDOM % 9 + 1))"; }

# end_sessions COUNT: ends that many.
end_sessions() {
  local count=$1
  while ((count > 0)) && is_stormy; do
    pause
    [[ $(ask "SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE application_name = 'credit-tools' ORDER BY random() LIMIT 1") == t ]] || continue
    ((count -= 1, cases += 1))
  done
}

# at_commit: waits until a session stands at its COMMIT; its process.
at_commit() {
  local tries pid
  for ((tries = 0; tries < 200; tries++)); do
    pid=$(ask "SELECT pid FROM pg_stat_activity WHERE wait_event = 'SyncRep' LIMIT 1")
    [[ ! $pid ]] || { echo "$pid" && return; }
    sleep 0.02
  done
  return 1
}

# standby_wanted yes|no
standby_wanted() {
  local value="''"
  [[ $1 == no ]] || value="'*'"
  PGOPTIONS='-c synchronous_commit=local' ask "ALTER SYSTEM SET synchronous_standby_names = $value"
  ask 'SELECT pg_reload_conf()' >/dev/null
}
