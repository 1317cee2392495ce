#!/bin/bash
# Tries credits.cgi behind real web servers, with clients that mean well, clients that do not, and many at
# once. Reports in TAP.
#
# usage: test.sh [busybox|lighttpd ...]     needs curl, jq and the servers
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
if [[ ${CREDIT_TOOLS_BIN-} ]]; then
  CREDIT_TOOLS_BIN=$(cd "$CREDIT_TOOLS_BIN" && pwd)
elif command -v credit-charge >/dev/null; then
  CREDIT_TOOLS_BIN=$(dirname "$(command -v credit-charge)")
else
  CREDIT_TOOLS_BIN=$here/../../.build/release
fi
export CREDIT_TOOLS_BIN
# Debian has lighttpd in a folder that is on the path of root alone.
PATH=$CREDIT_TOOLS_BIN:$PATH:/usr/sbin
folder=$(mktemp -d)
server=
trap '[[ $server ]] && kill -KILL "$server" 2>/dev/null; rm -rf "$folder"' EXIT
tests=0
failures=0

# ok NAME COMMAND...: a test that passes if the command succeeds.
ok() {
  local name=$1 result=ok
  shift
  "$@" || { result='not ok' && ((failures += 1)); }
  printf '%s %d - %s\n' "$result" $((tests += 1)) "$name"
}

# call METHOD PATH [BODY [CURL-OPTION...]]: $status and $reply of a request with the token $token.
call() {
  local method=$1 path=$2
  reply=$(curl -s -m 20 -w '\n%{http_code}' -X "$method" ${token:+-H "Authorization: Bearer $token"} \
    ${3+--data-binary "$3"} "${@:4}" "$base$path")
  status=${reply##*$'\n'}
  reply=${reply%$'\n'*}
}

# got STATUS [TEXT]: the last reply has this status and text.
got() {
  [[ $status = "$1" && $reply = *"${2-}"* ]] && return
  printf '#   got %s: %s\n' "$status" "${reply:0:300}"
  return 1
}

# is ACTUAL EXPECTED
is() {
  [[ $1 = "$2" ]] && return
  printf '#   %s instead of %s\n' "$1" "$2"
  return 1
}

balance() { credit-balance --account "$1" --get balance; }

# transaction ID ACCOUNT: one as StoreKit's local testing in Xcode signs it.
transaction() {
  printf '{"transaction_data":"%s","product_id":"pack.1000"}' "$(purchase "$1" | signed)"
}

# purchase ID [ACCOUNT]: the payload of a transaction.
purchase() {
  printf '{"transactionId":"%s","originalTransactionId":"%s","productId":"%s","quantity":1,"type":"Consumable",
    "bundleId":"com.example.app","environment":"Xcode","inAppOwnershipType":"PURCHASED"%s}' "$1" "$1" pack.1000 \
    "${2+,\"appAccountToken\":\"$2\"}"
}

# signed: standard input, as Xcode's environment signs it.
signed() { printf 'eyJhbGciOiJFUzI1NiIsIng1YyI6W119.%s.AAAA' "$(base64 -w 0 | tr '+/' '-_' | tr -d '=')"; }

# notification ID ACCOUNT: a purchase, as the App Store's server signs it in Xcode's environment.
notification() {
  printf '{"notificationType":"ONE_TIME_CHARGE","notificationUUID":"n-%s","data":{"bundleId":"com.example.app",
    "environment":"Xcode","signedTransactionInfo":"%s"}}' "$1" "$(purchase "$1" "$2" | signed)" | signed
}

# store: a new one, and two tokens.
store() {
  rm -rf "$folder/store"
  cat >"$folder/policy.json" <<'END'
{"starterCredits": 100, "models": [{"id": "chat", "creditsPerUnit": 1}],
 "products": [{"id": "pack.1000", "name": "1,000 credits", "credits": 1000, "price": "9.99", "currency": "USD"}],
 "appStore": {"bundleID": "com.example.app", "environment": "Xcode"},
 "events": [{"format": "stripe", "secretFile": "stripe.secret"},
            {"format": "paddle", "secretFile": "paddle.secret", "products": {"pri_1": "pack.1000"}},
            {"format": "revenuecat", "secretFile": "revenuecat.secret"}]}
END
  export CREDIT_STORE=$folder/store TOKENS=$folder/tokens
  credit-store init --policy "$folder/policy.json" >/dev/null
  (
    umask 077
    echo whsec_1 >"$folder/store/stripe.secret"
    echo pdl_1 >"$folder/store/paddle.secret"
    echo 'Bearer rc_1' >"$folder/store/revenuecat.secret"
  )
  printf '%s %s\n' "$(printf %s ana-secret | openssl dgst -sha256 -r | cut -c -64)" ana \
    "$(printf %s ben-secret | openssl dgst -sha256 -r | cut -c -64)" 'ben & co $(touch x)' \
    "$(printf %s eva-secret | openssl dgst -sha256 -r | cut -c -64)" eva >"$TOKENS"
}

start_busybox() {
  mkdir -p "$folder/www/cgi-bin"
  cp "$here/credits.cgi" "$here/credits.conf" "$folder/www/cgi-bin"
  base=http://127.0.0.1:$port/cgi-bin/credits.cgi
  busybox httpd -f -p "127.0.0.1:$port" -h "$folder/www" &
  server=$!
}

start_lighttpd() {
  mkdir -p "$folder/lighttpd"
  cp "$here/credits.cgi" "$here/credits.conf" "$folder/lighttpd"
  base=http://127.0.0.1:$port
  {
    sed "s/^server.port = .*/server.port = $port/" "$here/lighttpd.conf"
    printf 'setenv.set-environment = ("CREDIT_STORE" => "%s", "TOKENS" => "%s", "CREDIT_TOOLS_BIN" => "%s")\n' \
      "$CREDIT_STORE" "$TOKENS" "$CREDIT_TOOLS_BIN"
  } >"$folder/lighttpd.conf"
  (cd "$folder/lighttpd" && exec lighttpd -D -f "$folder/lighttpd.conf" 2>"$folder/lighttpd.log") &
  server=$!
}

well_meant() {
  token=ana-secret
  call GET /api/balance
  ok 'a balance' got 200 '"balance":100'
  call POST /api/authorize '{"authorization":"a1"}'
  ok 'an authorization' got 200 '"id":"a1"'
  call POST /api/charge '{"authorization":"a1","model":"chat","usage":{"units":30}}'
  ok 'a charge' got 200 '"newBalance":70'
  call POST /api/charge '{"authorization":"a1","model":"chat","usage":{"units":30}}'
  ok 'the same again is the same receipt' got 200 '"replayed":true'
  call POST /api/charge '{"authorization":"a1","model":"chat","usage":{"units":31}}'
  ok 'another usage is a conflict' got 409 idempotency_conflict
  call POST /v1/credits/purchase "$(transaction 1001)"
  ok 'a purchase' got 200 '{"success":true,"data":{"new_balance":1070,"credits_added":1000}}'
  call POST /v1/credits/purchase "$(transaction 1001)"
  ok 'a purchase counts once' got 409 duplicate_transaction
  call POST /usage/credit-topup "$(transaction 1002)"
  ok 'a purchase in the words of another app' got 200 '{"success":true,"new_balance":2070}'
  call GET /v1/credits/balance
  ok 'the balance as the app reads it' got 200 '{"success":true,"data":{"balance":2070}}'
  call GET '/v1/credits/transactions?limit=1&type=purchase'
  ok 'transactions' got 200 '"type":"purchase","amount":1000,"product_id":"pack.1000","status":"completed"'
  ok 'a page of them' got 200 '"total":2,"limit":1,"offset":0'
  token=
  call GET /v1/iap/products
  ok 'products, for everybody' got 200 '"product_id":"pack.1000","name":"1,000 credits"'
  token=ben-secret
  call POST /api/charge '{"key":"k","model":"chat","usage":{"units":150}}'
  ok 'a balance may go below zero' got 200 '"newBalance":-50'
  call POST /api/authorize '{}'
  ok 'then nothing starts' got 403 insufficient_credits
  credit-topup --account eva --credits 9007199254740992 --key rich --quiet >/dev/null
  credit-topup --account eva --credits 4 --key richer --quiet >/dev/null
  token=eva-secret
  call GET /v1/credits/balance
  ok 'a large balance keeps its digits' got 200 "\"balance\":$(balance eva)}"
  call POST /api/charge '{"key":"\"newBalance\":5","model":"chat","usage":{"units":1}}'
  ok 'so does a receipt' got 200 "\"newBalance\":$(balance eva),"
  call POST /api/charge '{"key":"k","model":"chat","usage":{"units":9007199254740993}}'
  ok 'a number that would be rounded is refused' got 400 invalid_json
  call POST /api/charge $'{"key":"\xff","model":"chat","usage":{"units":1}}'
  ok 'bytes that are no UTF-8 are refused' got 400 invalid_json
}

ill_meant() {
  local before route
  before=$(balance ana)
  for token in '' wrong 'ana-secret x' "ana-secret' OR 1=1" '*' '.*'; do
    call GET /api/balance
    ok "no balance for the token \"$token\"" got 401
  done
  token=ana-secret
  for route in 'GET /api/charge' 'POST /api/balance' 'GET /' 'GET /api/balance/x' 'DELETE /api/balance' \
    'GET /../credits.conf' 'GET /credits.conf' 'GET /%2e%2e/credits.conf'; do
    call "${route% *}" "${route#* }" '' --path-as-is
    ok "nothing at $route" is $((status >= 400)) 1
  done
  for body in '' '{' '[]' '"x"' '{}{}' 'null' '{"key":"a"}
{"key":"b"}'; do
    call POST /api/charge "$body"
    ok "no charge by ${body@Q}" is $((status >= 400 && status < 500)) 1
  done
  call POST /api/charge '{"key":"k1","model":"chat","usage":{"units":1},"account":"ben & co $(touch x)"}'
  ok 'the token decides the account' got 200 '"account":"ana"'
  call POST /api/charge '{"key":"k2","model":"chat","usage":{"units":1},"now":"2020-01-01T00:00:00Z"}'
  ok 'nobody says what time it is' got 200 "\"timestamp\":\"$(date -u +%Y)"
  call POST /api/charge '{"key":"k3","model":"chat","usage":{"units":1},"tags":{"a":"b"},"usedAt":"2020-01-01T00:00:00Z"}'
  ok 'tags and times of use are not passed on' is "$(credit-history --account ana --limit 1 --get tags,usedAt)" $'\t'
  call POST /v1/credits/purchase '{"transaction":"t1","product":"pack.1000"}'
  ok 'a purchase without a proof is none' got 400
  call POST /v1/credits/purchase '{"transaction_data":"{\"transaction_id\":\"9\",\"product_id\":\"pack.1000\"}"}'
  ok 'nor is one that nobody signed' got 400 unverified_transaction
  call POST /v1/credits/purchase '{"credits":1000000,"key":"k"}'
  ok 'nobody grants credits' got 400
  call POST /api/charge "{\"key\":\"\$(touch $folder/pwned)\",\"model\":\"\`touch $folder/pwned\`\",\"usage\":{\"units\":1}}"
  ok 'a request is no command' got 404 unknown_model
  call GET "/v1/credits/transactions?limit=1;touch%20$folder/pwned&type=\$(touch%20$folder/pwned)"
  ok 'nor is a query' got 400
  call GET '/v1/credits/transactions?type=--all'
  ok 'a query is no flag' got 400
  call POST /api/charge "$(head -c 70000 /dev/zero | tr '\0' x)"
  ok 'a large request is refused' is "$status" 413
  ok 'nothing was run' test ! -e "$folder/pwned" -a ! -e x
  ok 'only three charges counted' is $((before - $(balance ana))) 3
}

# hmac TEXT SECRET
hmac() { printf %s "$1" | openssl dgst -sha256 -hmac "$2" -r | cut -d ' ' -f 1; }

# stripe BODY [SECRET]: delivers an event; so do the next two.
stripe() {
  local time
  time=$(date +%s)
  call POST /webhooks/stripe "$1" -H "Stripe-Signature: t=$time,v1=$(hmac "$time.$1" "${2-whsec_1}")"
}

paddle() {
  local time
  time=$(date +%s)
  call POST /webhooks/paddle "$1" -H "Paddle-Signature: ts=$time;h1=$(hmac "$time:$1" pdl_1)"
}

revenuecat() { call POST /webhooks/revenuecat "$1" -H "Authorization: ${2-Bearer rc_1}"; }

# session PAYMENT ACCOUNT: Stripe's event of a paid session.
session() {
  printf '{"id":"evt_%s","object":"event","type":"checkout.session.completed","created":1700000000,"livemode":false,' "$1"
  printf '"data":{"object":{"id":"cs_%s","mode":"payment","payment_status":"paid","payment_intent":"%s",' "$1" "$1"
  printf '"client_reference_id":"%s","metadata":{"product":"pack.1000"},"amount_subtotal":999,"amount_total":999,"currency":"usd"}}}' "$2"
}

# refunded PAYMENT: Stripe's event of a refund of all that was paid.
refunded() {
  printf '{"id":"evt_r%s","object":"event","type":"charge.refunded","created":1700000100,"livemode":false,' "$1"
  printf '"data":{"object":{"id":"ch_%s","payment_intent":"%s","amount":999,"amount_refunded":999,"currency":"usd"}}}' "$1" "$1"
}

webhooks() {
  local body before
  token=
  stripe "$(session pi_1 zoe)"
  ok 'a paid session grants' got 200 '"creditsAdded":1000,"newBalance":1100'
  stripe "$(session pi_1 zoe)"
  ok 'and once' got 200 '"replayed":true'
  stripe "$(session pi_2 zoe)" whsec_2
  ok 'what others signed is refused' got 400 '"reason":"bad_signature"'
  call POST /webhooks/stripe "$(session pi_2 zoe)"
  ok 'what nobody signed is refused' got 400 '"reason":"no_signature"'
  body=$(session pi_3 zoe)
  stripe "${body/pack.1000/pack.unknown}"
  ok 'a product that is not known yet is sent again' got 422 'of \"zoe\", 9.99 USD): no product \"pack.unknown\"'
  body=${body/'"zoe"'/null}
  stripe "${body/pack.1000/pack.unknown}"
  ok 'a sale of something else is taken' got 200 '"reason":"not_ours"'
  body=$(session pi_4 yves)
  stripe "${body//999/2997}"
  ok 'a pack that was paid three times over is granted once' got 200 '"creditsAdded":1000'
  ok 'and the log of the server says so' grep -q '29.97 USD is 3 times the price' "$folder/lighttpd.log"
  stripe '{"id":"evt_4","object":"event","type":"customer.created","created":1700000000,"livemode":false,"data":{"object":{}}}'
  ok 'what grants nothing is taken' got 200 '"changed":false'
  paddle '{"event_id":"evt_5","event_type":"transaction.completed","occurred_at":"2026-02-19T10:00:00.000000Z","data":{"id":"txn_1",
    "currency_code":"USD","custom_data":{"account":"zoe"},"details":{"line_items":[{"id":"txnitm_1","price_id":"pri_1","quantity":2,
    "totals":{"total":"1998"}}]}}}'
  ok 'a transaction of Paddle grants' got 200 '"id":"txn_1/txnitm_1"'
  paddle '{"event_id":"evt_6","event_type":"adjustment.updated","occurred_at":"2026-02-19T11:00:00Z","data":{"id":"adj_1",
    "action":"refund","status":"approved","transaction_id":"txn_1","items":[{"item_id":"txnitm_1","totals":{"total":"999"}}]}}'
  ok 'an approved adjustment takes back' got 200 '"creditsRefunded":1000'
  body='{"event":{"id":"rc_1","type":"NON_RENEWING_PURCHASE","event_timestamp_ms":1700000000000,"app_user_id":"zoe","product_id":"pack.1000",
    "transaction_id":"2000000001","environment":"SANDBOX","price_in_purchased_currency":9.99,"currency":"USD"}}'
  revenuecat "$body"
  ok 'a purchase of RevenueCat grants' got 200 '"price":"9.99"'
  revenuecat "$body" 'Bearer other'
  ok 'but not with another secret' got 400 '"reason":"bad_signature"'
  call POST /webhooks/revenuecat "$body" -H "X-RevenueCat-Webhook-Signature: t=1700000000,v1=$(hmac "1700000000.$body" 'Bearer rc_1')"
  ok 'a signature is as good' got 200 '"replayed":true'
  call POST /webhooks/appstore "{\"account\":\"eve\",\"signedPayload\":\"$(notification 2000000009 zoe)\"}"
  ok 'a purchase by the App Store is for the account that was signed' got 200 '"account":"zoe"'
  call POST /webhooks/appstore "$(transaction 2000000010)"
  ok 'and a notification alone is taken' got 400
  ok 'the balance is what was paid for' is "$(balance zoe)" 4100
  ok 'no secret is said' is "$(credit-store export | grep -c 'whsec_\|pdl_\|Bearer')" 0
  before=$(balance zoe)
  for payment in {1..8}; do
    (for _ in {1..10}; do stripe "$(session "pi_1$payment" zoe)"; done) &
  done
  wait $(jobs -p | grep -vx "$server")
  ok 'eight deliveries at once, ten times each, grant once' is $(($(balance zoe) - before)) 8000
  for _ in {1..8}; do
    (for payment in {1..10}; do stripe "$(session "pi_2$payment" zoe)" && stripe "$(refunded "pi_2$payment")"; done) &
  done
  wait $(jobs -p | grep -vx "$server")
  ok 'one event from eight at once, and its refund, come to nothing' is $(($(balance zoe) - before)) 8000
  ok 'all of them were taken' is "$(credit-history --account zoe --status refunded --limit 0 --get id | grep -c '^pi_2')" 10
}

# Forty clients at once; each sends a request twice, and again if the server is busy.
in_parallel() {
  local before
  token=ana-secret
  before=$(balance ana)
  for client in {1..40}; do
    for _ in 1 2; do
      curl -s -m 60 --retry 9 --retry-all-errors --retry-delay 1 -o /dev/null -H "Authorization: Bearer $token" \
        --data "{\"key\":\"p$client\",\"model\":\"chat\",\"usage\":{\"units\":2}}" "$base/api/charge" &
    done
  done
  wait $(jobs -p | grep -vx "$server")
  ok 'forty charges at once, each sent twice, count once' is $((before - $(balance ana))) 80
  ok 'the books are in order' is "$(credit-store verify --get ok)" true
}

for name in "${@:-busybox lighttpd}"; do for name in $name; do
  printf '# %s\n' "$name"
  if ! command -v "$name" >/dev/null; then
    ok "$name is on PATH or in /usr/sbin" false
    continue
  fi
  store
  port=$((20000 + RANDOM % 20000))
  "start_$name"
  for _ in {1..100}; do
    curl -s -o /dev/null "$base/" && break
    sleep 0.05
  done
  well_meant
  ill_meant
  if [[ $name = lighttpd ]]; then webhooks; fi
  in_parallel
  kill -KILL "$server"
  wait "$server" 2>/dev/null
  server=
done; done
printf '1..%d\n' $tests
((failures == 0))
