#!/bin/sh
# An account's credits over HTTP: a CGI script for any web server, over the tools and jq.
#
#   POST /api/authorize                 {"authorization"?, "hold"?}              may it start?
#   POST /api/charge                    {"authorization" | "key", "model", "usage"}
#   GET  /api/balance
#   GET  /v1/credits/balance
#   GET  /v1/credits/transactions       ?limit, offset, type, status
#   POST /v1/credits/purchase           {"transaction_data", "product_id"?}      signed by StoreKit
#   POST /usage/credit-topup            the same, in the words of another app
#   GET  /v1/iap/products               the packs on sale, for everybody
#   POST /webhooks/stripe               signed by Stripe, Paddle or RevenueCat: no token
#   POST /webhooks/paddle
#   POST /webhooks/revenuecat
#   POST /webhooks/appstore             the App Store's notifications, which Apple's certificates sign
#
# A bearer token identifies the account. Only the members above are passed on, so that no client can choose
# the time, the account, or the credits of a purchase. No part of a request is a command's
# text: values go to the tools on standard input, or as one quoted word that was checked first.
#
# credits.conf beside this script sets CREDIT_STORE, TOKENS, for a store on a server CREDIT_EVENT_SECRETS, and, where the tools are elsewhere, PATH. TOKENS
# is a file of lines `SHA256-OF-A-TOKEN ACCOUNT`, made with `printf %s "$token" | openssl dgst -sha256 -r`.
set -u
umask 077
export LC_ALL=C
unset CREDIT_NOW
PATH=/usr/local/bin:/usr/bin:/bin
case $0 in */*) cd "${0%/*}" || exit ;; esac
. ./credits.conf
export CREDIT_STORE PATH CREDIT_EVENT_SECRETS
limit=65536
webhook_limit=1048576

# answer STATUS JSON
answer() {
  printf 'Status: %s\r\nContent-Type: application/json\r\nCache-Control: no-store\r\n\r\n%s\n' "$1" "$2"
  exit 0
}

# refuse STATUS CODE MESSAGE
refuse() {
  answer "$1" "{\"error\":{\"code\":\"$2\",\"status\":$1,\"message\":\"$3\"}}"
}

# The account of the request's token. The token itself is in no message and in no process's arguments.
account() {
  case ${HTTP_AUTHORIZATION-} in
    'Bearer '?*) ;;
    *) refuse 401 unauthorized 'a bearer token is needed' ;;
  esac
  sum=$(printf %s "${HTTP_AUTHORIZATION#Bearer }" | openssl dgst -sha256 -r)
  account=$(awk -v sum="${sum%% *}" '$1 == sum { sub(/^[^ ]+ /, ""); print; exit }' "$TOKENS")
  [ "$account" ] || refuse 401 unauthorized 'the token is not known'
}

# body FILTER: the output of a jq filter for the request's body and the account.
body() {
  case ${CONTENT_LENGTH:-0} in
    '' | *[!0-9]* | ???????*) refuse 413 too_large "a request has at most $limit bytes" ;;
  esac
  [ "${CONTENT_LENGTH:-0}" -le $limit ] || refuse 413 too_large "a request has at most $limit bytes"
  # jq would read bytes that are no UTF-8 as other text, and round whole numbers above 2^53.
  text=$(head -c "${CONTENT_LENGTH:-0}" | iconv -f UTF-8 -t UTF-8 2>/dev/null) ||
    refuse 400 invalid_json 'the body is not UTF-8'
  printf %s "$text" | jq -e '[.. | numbers | select(. > 9007199254740991 or . < -9007199254740991)] == []' \
    >/dev/null 2>&1 || refuse 400 invalid_json 'the body is no JSON, or has a number beyond 9007199254740991'
  request=$(printf %s "$text" |
    jq -ce --arg account "$account" "if type == \"object\" then $1 + {\$account} else empty end" 2>/dev/null) ||
    refuse 400 invalid_json 'the body is no JSON object'
  case $request in '' | *'
'*) refuse 400 invalid_json 'the body is not one JSON object' ;; esac
}

# members NAME...: a filter that keeps the members of these names.
members() {
  filter=
  for name; do filter="$filter, \"$name\""; done
  printf 'with_entries(select(.key | IN(%s)))' "${filter#, }"
}

# succeed: if the result is an error, ends with it and its status.
succeed() {
  [ "$result" ] || refuse 500 io_error 'the books did not answer'
  status=$(printf %s "$result" | jq -r 'if type == "object" then .error.status // 200 else 200 end')
  [ "$status" = 200 ] || answer "$status" "$result"
}

# webhook FORMAT: takes a payment provider's event, or of the App Store's notification the signed part alone: who may
# post anything here does not choose the account. An event's signature covers the body as it came, so it is checked
# before the body is read or changed; headers come by a pipe, as others can read command lines. The provider
# repeats an event until the answer is 200. Sentences on standard error, such as that a payment grants less than it
# paid for, are for the log of the web server.
webhook() {
  case ${CONTENT_LENGTH:-0} in
    '' | *[!0-9]* | ????????*) refuse 413 too_large "an event has at most $webhook_limit bytes" ;;
  esac
  [ "${CONTENT_LENGTH:-0}" -le $webhook_limit ] || refuse 413 too_large "an event has at most $webhook_limit bytes"
  if [ "$1" = appstore ]; then
    result=$(head -c "$CONTENT_LENGTH" | jq -cn 'input | {signedPayload}' | credit-topup --storekit)
  else
    result=$(head -c "${CONTENT_LENGTH:-0}" | credit-topup --event "$1" --headers /dev/fd/3 3<<END
Stripe-Signature: ${HTTP_STRIPE_SIGNATURE-}
Paddle-Signature: ${HTTP_PADDLE_SIGNATURE-}
X-RevenueCat-Webhook-Signature: ${HTTP_X_REVENUECAT_WEBHOOK_SIGNATURE-}
Authorization: ${HTTP_AUTHORIZATION-}
END
    )
  fi
  case $? in
    0) [ "$result" ] || refuse 400 invalid_json 'the body is no notification' && answer 200 "$result" ;;
    12) answer 422 "$result" ;;
    11) answer 409 "$result" ;;
    13 | 65) answer 400 "$result" ;;
    10 | 14) answer 429 "$result" ;;
    69 | 75) answer 503 "$result" ;;
    # What is wrong here is for the log of the web server.
    *) printf '%s\n' "$result" >&2 && refuse 500 io_error 'the event could not be taken' ;;
  esac
}

# number NAME: a number of the result, digit by digit: jq may round it.
number() {
  printf %s "$result" | sed -n "s/.*\"$1\":\(-\{0,1\}[0-9][0-9]*\).*/\1/p"
}

# reply: the result as it is, or the error.
reply() {
  succeed
  answer 200 "$result"
}

# reply_filtered FILTER: answers with the output of a jq filter for a result with small numbers, or with the error.
reply_filtered() {
  succeed
  answer 200 "$(printf %s "$result" | jq -c "$1")"
}

# parameter NAME PATTERN: a parameter of the query as `--NAME=VALUE`, if it is there.
parameter() {
  value=$(printf '%s\n' "${QUERY_STRING-}" | tr '&' '\n' | sed -n "s/^$1=//p" | head -n 1)
  [ "$value" ] || return 0
  printf '%s\n' "$value" | grep -qxE "$2" || refuse 400 invalid_request "$1 is not one that there is"
  printf -- '--%s=%s' "$1" "$value"
}

case "${REQUEST_METHOD-} ${PATH_INFO-}" in
  'POST /api/authorize')
    account
    body "$(members authorization hold)"
    result=$(printf %s "$request" | credit-authorize --quiet)
    reply
    ;;
  'POST /api/charge')
    account
    body "$(members authorization key model usage)"
    result=$(printf %s "$request" | credit-charge --quiet)
    reply
    ;;
  'GET /api/balance')
    account
    result=$(credit-balance --account "$account" --quiet)
    reply
    ;;
  'GET /v1/credits/balance')
    account
    result=$(credit-balance --account "$account" --quiet)
    succeed
    answer 200 "{\"success\":true,\"data\":{\"balance\":$(number balance)}}"
    ;;
  'GET /v1/credits/transactions')
    account
    count=$(parameter limit '[1-9][0-9]?|100') && from=$(parameter offset '[0-9]{1,9}') &&
      type=$(parameter type 'purchase|usage|bonus') &&
      state=$(parameter status 'pending|completed|failed|refunded') || exit
    case $count$from$type$state in Status:*) printf '%s\n' "$count$from$type$state" && exit ;; esac
    result=$(credit-history --account "$account" --page --quiet \
      ${count:+"$count"} ${from:+"$from"} ${type:+"$type"} ${state:+"$state"})
    reply_filtered '{success: true, data: {transactions: [.transactions[] | {id, type, amount: .credits,
      product_id: .productID, status, created_at: .timestamp}], total, limit, offset}}'
    ;;
  'POST /v1/credits/purchase')
    account
    body "$(members transaction_data product_id)"
    result=$(printf %s "$request" | credit-topup --storekit --strict --quiet)
    succeed
    answer 200 "{\"success\":true,\"data\":{\"new_balance\":$(number newBalance),\"credits_added\":$(number creditsAdded)}}"
    ;;
  'POST /usage/credit-topup')
    account
    body "$(members transaction_data product_id)"
    result=$(printf %s "$request" | credit-topup --storekit --strict --quiet)
    succeed
    answer 200 "{\"success\":true,\"new_balance\":$(number newBalance)}"
    ;;
  'GET /v1/iap/products')
    result=$(credit-price --products --quiet | jq -sc .)
    reply_filtered '{success: true, data: {products: [.[] | {product_id: .id, name, description, credits, price, currency,
      is_active: (.active != false), display_order: .displayOrder}]}}'
    ;;
  'POST /webhooks/stripe' | 'POST /webhooks/paddle' | 'POST /webhooks/revenuecat' | 'POST /webhooks/appstore')
    webhook "${PATH_INFO#/webhooks/}"
    ;;
  *) refuse 404 not_found 'there is nothing here' ;;
esac
