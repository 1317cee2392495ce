# Nonsense on standard input, as arguments and as files of the store: an answer and an exit status of
# the manual, never a trap, a hang or a memory without bounds.

corpus=(
  '{"account":"alice","key":"k1","model":"unit","usage":{"units":1}}'
  '{"account":"alice","transaction":"t1","credits":5,"type":"bonus","expiresIn":"30d"}'
  '{"authorization":{"id":"a1","account":"alice"},"model":"unit","usage":{"inputTokens":12,"outputTokens":5}}'
  '{"model":"claude-sonnet-4.5","usage":{"prompt_tokens":10,"completion_tokens":3,"total_tokens":13}}'
  '{"transaction":"t1"} {"authorization":"a1"} {"account":"é\ud83d\ude00\u0000"}'
  '{"signedTransactionInfo":"eyJhbGciOiJFUzI1NiJ9.e30.AAAA","signedPayload":"eyJ.eyJ.x"}'
  '{"usageMetadata":{"promptTokenCount":9223372036854775807,"candidatesTokenCount":1e400}}'
  'data: {"usage":{"input_tokens":1}}'
)

# mutate SEED: a corpus text with some bytes changed, cut, doubled or nested.
mutate() {
  perl -e '
    my ($seed, @texts) = @ARGV; srand $seed;
    my $text = join "\n", map { $texts[rand @texts] } 1 .. 1 + rand 4;
    for (1 .. 1 + rand 12) {
      my $at = int rand(1 + length $text);
      my $kind = int rand 8;
      if    ($kind == 0) { substr($text, $at, 1) = chr rand 256 }
      elsif ($kind == 1) { substr($text, $at, 1 + rand 6) = "" }
      elsif ($kind == 2) { substr($text, $at, 0) = substr($text, rand length $text, rand 40) }
      elsif ($kind == 3) { substr($text, $at, 0) = ("[", "{", "\"", "\\", "}", "]", ":", ",")[rand 8] x (1 + rand 300) }
      elsif ($kind == 4) { substr($text, $at, 0) = ("-", "", "0", "9")[rand 4] . ("9" x rand 40) }
      elsif ($kind == 5) { substr($text, $at, 0) = ("null", "true", "\xff\xfe", "\xed\xa0\x80", "\0", "1e999")[rand 6] }
      elsif ($kind == 6) { $text = substr $text, 0, $at }
      else               { $text .= "\n" . $text if length $text < 20000 }
    }
    print $text' "$1" "${corpus[@]}"
}

# answered WHAT COMMAND...: runs a tool with bounds on time and memory.
answered() {
  local what=$1 status
  shift
  ((cases += 1))
  (ulimit -v 400000 && exec timeout -s KILL 20 "$@") >output 2>errors
  status=$?
  case $status in
  0 | 1[0-4] | 64 | 65 | 66 | 69 | 70 | 73 | 74 | 75 | 77 | 78) ;;
  *) fail "$what: exit $status: $* (seed $seed): $(head -c 200 errors)" ;;
  esac
}

new_store fuzzed
tools=("charge" "topup" "authorize" "price" "price --response --model unit" "refund" "account"
  "balance" "charge --response --account alice --key z --model unit" "topup --storekit" "store import"
  "report" "charge --pass" "charge --get a.b.0" "price --pretty")
rounds=$((${quick:+6}+0))
((rounds)) || rounds=2300
for ((round = 1; round <= rounds; round++)); do
  mutate $((seed * 1000 + round)) >input
  for tool in "${tools[@]}"; do
    answered "input $round to $tool" credit-$tool --store fuzzed --now "$CREDIT_NOW" <input
  done
done
verified fuzzed "mutated requests"

# Events from a sender with the secret, which is in the headers, with any body.
cat >events.json <<'END'
{"events": [{"format": "revenuecat", "secretFile": "secret"}, {"format": "stripe", "secretFile": "secret"}],
 "products": [{"id": "pack", "credits": 5}]}
END
credit-store init --store paid --policy events.json >output
(umask 077 && echo secret >paid/secret)
echo 'Authorization: secret' >headers
corpus=(
  '{"event":{"id":"e1","type":"NON_RENEWING_PURCHASE","event_timestamp_ms":1700000000000,"app_user_id":"alice",
    "product_id":"pack","transaction_id":"t1","price_in_purchased_currency":4.5,"currency":"EUR"}}'
  '{"event":{"id":"e2","type":"CANCELLATION","event_timestamp_ms":1700000001000,"transaction_id":"t1",
    "cancel_reason":"CUSTOMER_SUPPORT"}}'
)
for ((round = 1; round <= rounds; round++)); do
  mutate $((seed * 1000 + round)) >input
  answered "event $round" credit-topup --store paid --event revenuecat --headers headers <input
  answered "event $round of another format" credit-topup --store paid --event stripe --headers input <input
done
verified paid "mutated events"

# Arguments.
words=(--account --key --model --units --now --store --get --lock-timeout '' -- -h --all --limit
  99999999999999999999 -1 1.5 é $'\xff' alice unit "$(head -c 70000 /dev/zero | tr '\0' x)" --bogus
  --expires-in 30d --price 1e9 --currency usd --since 2026-13-01 / . fuzzed '{}')
for ((round = 1; round <= rounds * 10; round++)); do
  tool=${tools[RANDOM % ${#tools[@]}]%% *}
  arguments=()
  for ((count = RANDOM % 6; count >= 0; count--)); do
    arguments+=("${words[RANDOM % ${#words[@]}]}")
  done
  XDG_DATA_HOME=$PWD/home answered "arguments $round" credit-"$tool" "${arguments[@]}" </dev/null
done

# Enormous ones.
perl -e 'print "[" x 2000000' >input && answered "deep nesting" credit-charge --store fuzzed <input
perl -e 'print "{\"account\":\"", "x" x 17000000, "\"}"' >input &&
  answered "a long text" credit-charge --store fuzzed <input
perl -e 'print "{\"usage\":{\"units\":", "9" x 3000000, "}}"' >input &&
  answered "a long number" credit-charge --store fuzzed <input
perl -e 'print "{", join(",", map { "\"k$_\":$_" } 1 .. 400000), "}"' >input &&
  answered "many members" credit-charge --store fuzzed <input
head -c 20000000 /dev/urandom >input && answered "noise" credit-charge --store fuzzed <input
head -c 20000000 /dev/zero >input && answered "NULs" credit-topup --store fuzzed <input
for text in '"["x 500000' '"\0"x 10000000' '"{\"event\":"x 100000' '"{\"event\":{" . "\"id\":\"x\","x 80000 . "\"a\":1}}"'; do
  perl -e "print $text" >input
  answered "an event, $text" credit-topup --store paid --event revenuecat --headers headers <input
  answered "headers, $text" credit-topup --store paid --event stripe --headers input <input
done

# Files of the store.
for ((round = 1; round <= rounds * 4; round++)); do
  rm -rf store && cp -a fuzzed store
  for name in journal.jsonl policy.json index lock; do
    ((RANDOM % 3)) && continue
    perl -e 'srand shift; local $/; my $t = <STDIN>; for (1 .. 1 + rand 5) {
      my $at = int rand(1 + length $t); my $k = int rand 4;
      if    ($k == 0) { substr($t, $at, 1) = chr rand 256 }
      elsif ($k == 1) { substr($t, $at, 1 + rand 600) = "" }
      elsif ($k == 2) { substr($t, $at, 0) = "\0" x rand 600 }
      else            { substr($t, $at, 0) = substr($t, rand length $t, rand 900) } } print $t' \
      $((seed * 1000 + round)) <"fuzzed/$name" >"store/$name"
  done
  answered "store $round, verify" credit-store verify --store store
  answered "store $round, history" credit-history --all --store store
  answered "store $round, balance" credit-balance --all --store store
  answered "store $round, charge" \
    credit-charge --store store --account alice --key "f$round" --model unit --units 1
  answered "store $round, rebuild" credit-store rebuild --store store
done
