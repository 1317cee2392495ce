#!/bin/bash
# Plays the requirements of the Murmur plan: voice notes whose entries a language model extracts,
# billed by its tokens.
. "$(dirname "$0")/../qa/harness.bash"
. "$here/../appstore.bash"
store "$here/policy.json"

model=claude-sonnet-4.5

# spend ACCOUNT CREDITS: leaves that many fewer credits; 1 credit is 66⅔ output tokens.
spend() {
  run credit-charge --account "$1" --key "spend-$RANDOM$RANDOM" --model $model \
    --output-tokens $(($2 * 200 / 3))
  expect "\"creditsCharged\":$2,"
}

# purchase ID PRODUCT [BUNDLE]: a transaction of StoreKit.
purchase() {
  printf '%s\n' '{"transactionId":"'"$1"'","originalTransactionId":"'"$1"'","productId":"'"$2"'",
    "bundleId":"'"${3:-com.damsac.murmur}"'","type":"Consumable","quantity":1,
    "inAppOwnershipType":"PURCHASED","environment":"Xcode","signedDate":1771495200000}'
}

# transaction ID PRODUCT [BUNDLE]: the same as StoreKit hands it to the app after a verified purchase.
transaction() { jws "$(purchase "$@")"; }

# packs ACCOUNT NAME: 60 requests for packs of 1,000 credits, with transaction ids of that name.
packs() {
  for number in {1..60}; do
    printf '{"account":"%s","transaction":"%s","product":"com.damsac.murmur.credits.1000"}\n' "$1" "$2-$number"
  done
}

# notes ACCOUNT NAME: 60 requests for charges of 12 credits, with keys of that name.
notes() {
  for number in {1..60}; do
    printf '{"account":"%s","key":"%s","model":"%s","usage":{"inputTokens":1200,"outputTokens":500}}\n' \
      "$1" "$2-$number" $model
  done
}

section '2 Locked Decisions'

criterion 'Credit is an integer unit (Int64)'
run credit-price --model $model --input-tokens 9223372036854775807
expect '"credits":27670116110564328}'
refuse 65 credit-topup <<<'{"account":"mia","key":"half","credits":0.5}'
expect '"code":"invalid_request"'

criterion 'Exchange rate: 1 credit = $0.001'
run credit-price --model $model --input-tokens 1000000
expect '"usd":"3","credits":3000'

criterion 'Billing model: usage-based, post-deduct with pre-check'
run credit-authorize --account mia --get authorization.id
id=$output
expect_balance mia 1000
run credit-charge --authorization "$id" --model $model --input-tokens 1200 --output-tokens 500
expect_balance mia 988

criterion 'Charge per request: ceil(usd_cost / 0.001)'
run credit-price --model $model --input-tokens 1200 --output-tokens 500
expect '"usd":"0.0111","credits":12'
run credit-price --model $model --input-tokens 1000 --output-tokens 600
expect '"usd":"0.012","credits":12'

criterion 'MVP billing source of truth: local store (LocalCreditGate)'
run credit-store info --get records
records=$output
spend joy 10
run credit-store info --get records
if ((output <= records)); then fault "$output records after a charge, and before $records"; fi
run env -i PATH="$PATH" credit-balance --store "$CREDIT_STORE" --account joy --get balance
expect_output 990
run credit-store init --store elsewhere
run credit-balance --store elsewhere --account joy --get balance
expect_output 1000

criterion 'Starter credits: 1000'
run credit-balance --account noa
expect '"balance":1000' '"buckets":[{"kind":"starter","credits":1000}]'

criterion 'No low-credit warning threshold (warn-only state removed for MVP)'
spend lee 999
expect_no '"crossed"'
run credit-authorize --account lee
expect '"balance":1}'
expect_error ''

criterion 'Overdraft enabled for precision billing (temporary negative balances allowed)'
run credit-charge --account lee --key note-1 --model $model --input-tokens 1200 --output-tokens 500
expect '"creditsCharged":12,"newBalance":-11'

criterion 'Minimum non-zero request charge floor: 1 credit'
run credit-price --model $model --input-tokens 1
expect '"usd":"0.000003","credits":1'
run credit-price --model $model --input-tokens 0 --output-tokens 0
expect '"credits":0'
run credit-charge --account joy --key nothing --model $model --input-tokens 0 --output-tokens 0
expect '"creditsCharged":0,"newBalance":990'
run credit-charge --account joy --key least --model $model --input-tokens 1
expect '"creditsCharged":1,"newBalance":989'

section 'US-01 As a new user, I receive starter credits so I can try the app.'

criterion 'First launch initializes balance once.'
run credit-authorize --account ida --get balance
expect_output 1000
spend ida 400
run credit-authorize --account ida --get balance
expect_output 600

criterion 'Starter amount appears in settings and relevant labels.'
run credit-balance --account ida
expect '"balance":600' '{"kind":"starter","credits":600}'

section 'US-02 As a user, I can always see my current balance.'

criterion 'Balance shown in Settings and Top Up.'
run credit-balance --account ida --get balance
expect_output 600

criterion 'Balance updates immediately after charge/top-up.'
spend ida 100
expect_balance ida 500
run credit-topup --storekit --account ida <<<"$(transaction 3001 com.damsac.murmur.credits.1000)"
expect_balance ida 1500

section 'US-03 As a user with credits, I can submit voice input and be charged after extraction.'

criterion 'Pre-check blocks only if balance is <= 0.'
spend ned 999
run credit-authorize --account ned
spend ned 1
refuse 10 credit-authorize --account ned
expect '"code":"insufficient_credits"' '"balance":0'
refuse 10 credit-authorize --account lee
expect '"code":"insufficient_credits"' '"balance":-11'

criterion 'Successful extraction returns entries and a receipt.'
run credit-authorize --account mia --get authorization.id
run credit-charge --pass --authorization "$output" <<<'{"entries":["Call the plumber"],
  "model":"claude-sonnet-4-5-20250929","usage":{"input_tokens":1200,"output_tokens":500}}'
expect '"entries":["Call the plumber"]' '"usage":{"inputTokens":1200,"outputTokens":500}' \
  '"creditsCharged":12' '"newBalance":976'

criterion 'Balance decreases by computed credits.'
expect_balance mia 976

section 'US-04 As a user with credits, I can submit text input and be charged identically.'

criterion 'Same authorize/charge behavior as voice flow.'
run credit-authorize --account tom --get authorization.id
run credit-charge --pass --authorization "$output" <<<'{"entries":["Call the plumber"],
  "model":"claude-sonnet-4-5-20250929","usage":{"input_tokens":1200,"output_tokens":500}}'
expect '"usage":{"inputTokens":1200,"outputTokens":500}' '"creditsCharged":12' '"newBalance":988'

section 'US-05 As a user refining entries, each refine request is billed by actual usage.'

criterion 'Refine from recording/text both go through authorize/charge.'
run credit-authorize --account tom --get authorization.id
first=$output
run credit-charge --authorization "$first" --model $model --input-tokens 1500 --output-tokens 100
expect '"creditsCharged":6,"newBalance":982'
run credit-authorize --account tom --get authorization.id
if [[ $output == "$first" ]]; then fault 'one authorization for two requests'; fi
run credit-charge --authorization "$output" --model $model --input-tokens 1700 --output-tokens 600
expect '"creditsCharged":15,"newBalance":967'

section 'US-06 As a zero-or-negative-balance user, usage is blocked with a clear recovery path.'

criterion 'Attempting billable action shows out-of-credits screen.'
refuse 10 credit-authorize --account ned
expect '"code":"insufficient_credits","status":403' '"account":"ned"' '"balance":0'
refuse 10 credit-charge --account ned --key note-1 --model $model --output-tokens 10
expect '"code":"insufficient_credits"'

criterion 'Screen has actionable top-up CTA.'
expect_error 'top up to continue'
run credit-price --products --get id
expect_lines com.damsac.murmur.credits.1000 com.damsac.murmur.credits.5000 com.damsac.murmur.credits.10000

section 'US-08 As a user, I can buy a predefined credit pack and continue immediately.'

criterion 'Top-up increases balance atomically.'
for round in 1 2 3; do
  packs ada kill-$round >packs
  interrupt packs credit-topup
  bought=$(credit-history --account ada --type purchase --page --get total)
  expect_balance ada $((1000 + bought * 1000))
  expect_equal "$(books ada)" $((1000 + bought * 1000))
  expect_equal "$(unrecorded ada)" ''
  run credit-topup <packs
  expect_balance ada $((1000 + round * 60000))
done
run credit-store verify
expect '"ok":true'

criterion 'Success UI confirms new balance.'
run credit-topup --storekit --account ned --get newBalance \
  <<<"$(transaction 3002 com.damsac.murmur.credits.5000)"
expect_output 5000
expect_balance ned 5000
run credit-authorize --account ned

section 'US-09 As a user, failed top-up attempts show retryable errors.'

criterion 'Non-destructive failure handling.'
before=$(credit-balance --account ned)
refuse 13 credit-topup --storekit --account ned \
  <<<"$(transaction 3003 com.damsac.murmur.credits.1000 com.example.other)"
expect '"code":"unverified_transaction","status":400' '"reason":'
refuse 12 credit-topup --storekit --account ned <<<"$(transaction 3004 com.damsac.murmur.credits.7)"
expect '"code":"unknown_product","status":404'
refuse 66 credit-topup --store "$folder/none" --storekit --account ned \
  <<<"$(transaction 3005 com.damsac.murmur.credits.1000)"
expect '"code":"no_store"'
expect_equal "$(credit-balance --account ned)" "$before"

criterion 'No partial credit application.'
packs ada full >packs
refuse 74 fill packs credit-topup
expect '"code":"io_error"' '"outcome":"none"'
expect_balance ada 181000
expect_equal "$(books ada)" 181000
run credit-topup <packs
expect_balance ada 241000
expect_equal "$(books ada)" 241000

section 'US-10 As a user, I can understand what was charged.'

criterion 'Receipt includes input tokens, output tokens, credits charged, resulting balance.'
run credit-charge --account ned --key note-2 --model $model --input-tokens 1200 --output-tokens 500
expect '"usage":{"inputTokens":1200,"outputTokens":500},"creditsCharged":12,"newBalance":4988'
run credit-charge --account ned --key note-2 --model $model --input-tokens 1200 --output-tokens 500 \
  --get authorization.id
note=$output

criterion 'Recent charge can be surfaced in UI (MVP: latest receipt only).'
run credit-history --account ned --type usage --limit 1 --get id
expect_output "$note"
run credit-history --receipt "$note"
expect '"creditsCharged":12,"newBalance":4988'

section '4 Product Rules'

criterion 'On-device transcription itself (AppleSpeechTranscriber) is free.'
run credit-charge --account lee --key speech-1 --model apple-speech --flat
expect '"creditsCharged":0,"newBalance":-11'

criterion 'Any LLM extraction/refinement request is billable.'
run credit-price --models --get id
models=${output//$'\n'/ }
expect_equal "$models" 'claude-sonnet-4.5 claude-haiku-4.5 apple-speech'
left=1000
for name in ${models% *}; do
  for request in extract refine; do
    ((left -= 1))
    run credit-charge --account uma --key "$request-$name" --model "$name" --input-tokens 1
    expect '"creditsCharged":1,' "\"newBalance\":$left,"
  done
done
refuse 12 credit-charge --account mia --key note-3 --model some-other-model --output-tokens 10
expect '"code":"unknown_model"'
expect_balance mia 976

criterion 'authorize() fails when balance <= 0.'
refuse 10 credit-authorize --account lee
expect '"balance":-11'
spend gil 999
run credit-authorize --account gil
expect '"balance":1}'
spend gil 1
refuse 10 credit-authorize --account gil
expect '"balance":0'

criterion 'A request that passes authorize may push balance below zero after charge.'
spend pia 995
run credit-authorize --account pia --get authorization.id
run credit-charge --authorization "$output" --model $model --input-tokens 1200 --output-tokens 500
expect '"creditsCharged":12,"newBalance":-7'

criterion 'Overdraft is allowed in MVP to preserve exact usage billing.'
run credit-balance --account pia
expect '"balance":-7' '"buckets":[{"kind":"purchased","credits":-7}]'
run credit-topup --storekit --account pia <<<"$(transaction 3006 com.damsac.murmur.credits.1000)"
expect '"creditsAdded":1000,"newBalance":993'

criterion 'Always round up credits with ceil.'
run credit-price --model $model --input-tokens 334 --get credits
expect_output 2
run credit-price --model $model --input-tokens 333 --get credits
expect_output 1

criterion 'Any non-zero billable usage costs at least 1 credit.'
run credit-price --model claude-haiku-4.5 --input-tokens 1
expect '"usd":"0.000001","credits":1'
policy 's/"models": \[/&{"id": "promotion", "creditsPerToken": {"input": "0", "output": "0"}},/'
run credit-price --model promotion --input-tokens 1200 --output-tokens 500 --get credits
expect_output 1
run credit-price --model promotion --input-tokens 0 --output-tokens 0 --get credits
expect_output 0
policy ''

criterion 'Each request has CreditAuthorization.id.'
run credit-authorize --account mia --get authorization.id
first=$output
run credit-authorize --account mia --get authorization.id
if [[ ! $output || $output == "$first" ]]; then fault "$first and $output"; fi

criterion 'Repeated charge(auth) must be safe (return same receipt / no double-deduct).'
run credit-charge --authorization "$first" --model $model --input-tokens 1200 --output-tokens 500
receipt=$output
run credit-charge --authorization "$first" --model $model --input-tokens 1200 --output-tokens 500
expect_output "${receipt%\}},\"replayed\":true}"
expect_balance mia 964
refuse 11 credit-charge --authorization "$first" --model $model --input-tokens 9 --output-tokens 500
expect '"code":"idempotency_conflict","status":409'
expect_balance mia 964

section '5.3 Proxy-Ready Boundary'

criterion 'Refusals carry the HTTP status that a proxy answers with.'
refuse 10 credit-authorize --account lee --get error.status
expect_output 403
refuse 12 credit-charge --authorization unheard-of --model $model --output-tokens 500 --get error.status
expect_output 404
refuse 11 credit-charge --authorization "$first" --model $model --output-tokens 500 --get error.status
expect_output 409
refuse 65 credit-topup --get error.status <<<'{"account":"mia","key":"half","credits":0.5}'
expect_output 400

section '7 Data Model and Math'

criterion 'Charge computation'
run credit-price --model $model --input-tokens 333333 --output-tokens 7
expect '"usd":"1.000104","credits":1001'

criterion 'Enforce minimum charge floor: max(1, credits) for non-zero usage'
run credit-price --model $model --output-tokens 1 --get credits
expect_output 1
policy 's/"minimumCharge": 1,/"minimumCharge": 5,/'
run credit-charge --account gil --key least --model apple-speech --flat
expect '"creditsCharged":0,"newBalance":0'
run credit-topup --account gil --key floor --type bonus --credits 100
run credit-charge --account gil --key least-1 --model $model --output-tokens 1
expect '"creditsCharged":5,"newBalance":95'
run credit-charge --account gil --key least-2 --model $model --input-tokens 1000 --output-tokens 60
expect '"creditsCharged":5,"newBalance":90'
run credit-charge --account gil --key least-3 --model $model --input-tokens 1000 --output-tokens 160
expect '"creditsCharged":6,"newBalance":84'
run credit-charge --account gil --key least-4 --model $model --input-tokens 0 --output-tokens 0
expect '"creditsCharged":0,"newBalance":84'
policy ''

section '8 Pricing Config'

criterion 'Keyed by model id (claude-sonnet-4.5, etc.).'
run credit-price --model claude-sonnet-4-5-20250929 --input-tokens 1000 --get credits
expect_output 3
refuse 12 credit-price --model claude-sonnet --input-tokens 1000
expect '"code":"unknown_model"'

criterion 'Separate input/output rates.'
run credit-price --model $model --input-tokens 1000 --output-tokens 0 --get credits
expect_output 3
run credit-price --model $model --input-tokens 0 --output-tokens 1000 --get credits
expect_output 15

section '8.2 MVP Top-Up Rail'

criterion 'Initial product IDs (App Store Connect)'
run credit-price --products
expect '"id":"com.damsac.murmur.credits.1000","name":"1,000 credits","credits":1000' \
  '"id":"com.damsac.murmur.credits.5000","name":"5,000 credits","credits":5000' \
  '"id":"com.damsac.murmur.credits.10000","name":"10,000 credits","credits":10000'

if criterion 'Credit grant should occur only after verified transaction success.' openssl version; then
  app_store
  bought=$(purchase 4001 com.damsac.murmur.credits.1000)
  refuse_fakes tom "$bought" "$(purchase 4001 com.damsac.murmur.credits.1000 com.example.other)"
  run credit-balance --store sandbox --account tom
  expect '"balance":1000' '"registered":false'
  run credit-topup --store sandbox --storekit --account tom <<<"$(signed "$bought")"
  expect '"id":"4001"' '"creditsAdded":1000,"newBalance":2000'
fi

criterion 'Only top-up rail in MVP: StoreKit In-App Purchase consumables.'
before=$(balance tom)
refuse 13 credit-topup --storekit --account tom <<<'{"transactionId":"3007",
  "originalTransactionId":"3007","productId":"com.damsac.murmur.credits.1000","type":"Consumable",
  "bundleId":"com.damsac.murmur","quantity":1,"environment":"Xcode"}'
expect '"code":"unverified_transaction"'
refuse 13 credit-topup --storekit --account tom \
  <<<"$(jws "$(purchase 3007 com.damsac.murmur.credits.1000 | sed s/Consumable/Non-Consumable/)")"
expect '"code":"unverified_transaction"'
refuse 65 credit-topup --storekit --account tom <<<'{"key":"free","credits":1000}'
expect_balance tom "$before"
run credit-topup --storekit --account tom <<<"$(transaction 3007 com.damsac.murmur.credits.1000)"
expect_balance tom $((before + 1000))

section '9 Implementation Phases'

criterion 'Parse token usage from provider response.'
cat >response.json <<'END'
{"id": "chatcmpl-1", "object": "chat.completion", "model": "claude-sonnet-4.5",
 "choices": [{"index": 0, "message": {"role": "assistant", "content": "[]"}, "finish_reason": "stop"}],
 "usage": {"prompt_tokens": 1200, "completion_tokens": 500, "total_tokens": 1700}}
END
run credit-charge --account tom --key response-1 --response <response.json
expect '"usage":{"inputTokens":1200,"outputTokens":500},"creditsCharged":12'

criterion 'Starter credit init.'
run credit-history --account tom --type starter
expect '"type":"starter","status":"completed","credits":1000,"balance":1000'

criterion 'Idempotent charge tracking by authorization ID.'
run credit-charge --authorization "$first" --model $model --input-tokens 1200 --output-tokens 500 \
  --get replayed
expect_output true

criterion 'Top-up API.'
before=$(balance tom)
run credit-topup --storekit --account tom <<<"$(transaction 3013 com.damsac.murmur.credits.5000)"
expect '"creditsAdded":5000,"newBalance":'$((before + 5000))
run credit-topup --storekit --account tom <<<"$(transaction 3013 com.damsac.murmur.credits.5000)"
expect '"replayed":true'
expect_balance tom $((before + 5000))

criterion 'Contract tests for authorize/charge order.'
before=$(credit-balance --account mia --get buckets)
refuse 12 credit-charge --authorization unheard-of --model $model --output-tokens 500
expect '"code":"unknown_authorization","status":404'
run credit-authorize --account mia --get authorization.id
id=$output
run credit-authorize --void "$id"
expect '"voided":true'
refuse 11 credit-charge --authorization "$id" --model $model --output-tokens 500
expect '"code":"authorization_closed","status":409'
refuse 11 credit-authorize --account mia --authorization "$first"
expect '"code":"authorization_closed"'
expect_equal "$(credit-balance --account mia --get buckets)" "$before"
run credit-authorize --account meg --authorization long --hold 900
expect_equal "$(credit-balance --account meg --get available)" 100
refuse 10 credit-authorize --account meg --hold 101
expect '"available":100'
run credit-authorize --void long
expect_equal "$(credit-balance --account meg --get available)" 1000
run credit-authorize --account meg --hold 1000
expect_equal "$(credit-balance --account meg --get available)" 0

section '10 Test Matrix'

criterion 'authorize success/fail'
run credit-authorize --account mia
refuse 10 credit-authorize --account lee

criterion 'charge after success'
run credit-authorize --account mia --get authorization.id
run credit-charge --authorization "$output" --model $model --input-tokens 1200 --output-tokens 500
expect_balance mia 952

criterion 'no charge on extraction failure'
run credit-authorize --account mia --get authorization.id
id=$output
refuse 65 credit-charge --authorization "$id" --response </dev/null
# A 429, a 503 and an error event, under a policy whose fallback would charge the minimum.
refuse 65 credit-charge --authorization "$id" --model $model --response \
  <<<'{"type":"error","error":{"type":"rate_limit_error","message":"Number of requests exceeded"}}'
expect '"code":"failed_response","status":400' 'rate_limit_error'
refuse 65 credit-charge --authorization "$id" --model $model --response \
  <<<'{"error":{"code":503,"message":"The model is overloaded","status":"UNAVAILABLE"}}'
expect '"code":"failed_response"' '503'
start='event: message_start
data: {"type":"message_start","message":{"id":"msg_1","model":"claude-sonnet-4.5","usage":{"input_tokens":1200,"output_tokens":1}}}
'
refuse 65 credit-charge --authorization "$id" --response <<<"$start
event: error
data: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"Overloaded\"}}
"
expect '"code":"failed_response"' 'overloaded_error'
# A stream that was cut.
refuse 65 credit-charge --authorization "$id" --response <<<"$start"
expect '"code":"cut_response"' '"partial":{"inputTokens":1200,"outputTokens":1}'
expect_balance mia 952
run credit-authorize --void "$id"
expect_balance mia 952

criterion 'charge idempotency with repeated calls'
run credit-charge --account mia --key note-4 --model $model --input-tokens 1200 --output-tokens 500
for _ in 1 2 3 4; do
  credit-charge --account mia --key note-4 --model $model --input-tokens 1200 --output-tokens 500 \
    >/dev/null &
done
wait
expect_balance mia 940

criterion 'out-of-credit block and top-up recovery'
refuse 10 credit-authorize --account lee
run credit-topup --storekit --account lee <<<"$(transaction 3008 com.damsac.murmur.credits.1000)"
run credit-authorize --account lee

criterion 'balance refresh after top-up'
expect_balance lee 989

criterion 'app restart between authorize and charge'
run credit-authorize --account lee --get authorization.id
id=$output
rm -f "$CREDIT_STORE/index"
run credit-charge --authorization "$id" --model $model --input-tokens 1200 --output-tokens 500
expect '"creditsCharged":12,"newBalance":977'

criterion 'malformed usage payload fallback'
run credit-charge --account lee --key note-5 <<<'{"model":"claude-sonnet-4.5","usage":null}'
expect '"creditsCharged":1,"newBalance":976' '"usageFallback":true'
run credit-charge --account lee --key note-6 \
  <<<'{"model":"claude-sonnet-4.5","usage":{"prompt_tokens":-5,"completion_tokens":"many"}}'
expect '"creditsCharged":1,"newBalance":975' '"usageFallback":true'
# Without the fallback such a response is refused, and can still be charged once its usage is known.
policy 's/"usageFallback": "minimum"/"usageFallback": "reject"/'
run credit-authorize --account lee --authorization note-7
for usage in null '{"total_tokens":1700}' '{"prompt_tokens":-5,"completion_tokens":"many"}' \
  '{"prompt_tokens":1.5,"completion_tokens":2}'; do
  refuse 65 credit-charge --authorization note-7 <<<"{\"model\":\"claude-sonnet-4.5\",\"usage\":$usage}"
  expect '"code":"invalid_usage","status":400'
done
expect_balance lee 975
run credit-charge --authorization note-7 \
  <<<'{"model":"claude-sonnet-4.5","usage":{"prompt_tokens":1200,"completion_tokens":500}}'
expect '"creditsCharged":12,"newBalance":963'
policy ''

criterion 'top-up failure/retry'
refuse 66 credit-topup --store "$folder/none" --storekit --account lee \
  <<<"$(transaction 3009 com.damsac.murmur.credits.1000)"
run credit-topup --storekit --account lee <<<"$(transaction 3009 com.damsac.murmur.credits.1000)"
expect '"newBalance":1963'
run credit-topup --storekit --account lee <<<"$(transaction 3009 com.damsac.murmur.credits.1000)"
expect '"newBalance":1963' '"replayed":true'

section '13 Definition of Done'

criterion 'Users can see balance, consume credits through voice/text/refine, hit graceful insufficient-credit UX, top up, and continue.'
expect_balance zoe 1000
spend zoe 990
spend zoe 15
refuse 10 credit-authorize --account zoe
run credit-topup --storekit --account zoe <<<"$(transaction 3010 com.damsac.murmur.credits.1000)"
run credit-authorize --account zoe --get authorization.id
run credit-charge --authorization "$output" --model $model --input-tokens 1200 --output-tokens 500
expect '"newBalance":983'

criterion 'All active flows use the same credit source of truth.'
run credit-charge --account zoe --key truth-1 --model $model --input-tokens 1200 --output-tokens 500
run credit-topup --storekit --account zoe <<<"$(transaction 3012 com.damsac.murmur.credits.5000)"
expect_balance zoe 5971
expect_equal "$(books zoe)" 5971
for tool in 'credit-authorize' 'credit-account' 'credit-history --limit 1'; do
  run $tool --account zoe --get balance
  expect_output 5971
done
expect_balanced

section 'Credit System: Usage-Based Pricing with Proxy-Ready Architecture'

criterion 'Each service has configurable pricing based on the actual cost-per-token of the provider'
run credit-price --model claude-haiku-4.5 --input-tokens 1200 --output-tokens 500 --get credits
expect_output 4
policy 's/"output": "5"/"output": "10"/'
run credit-price --model claude-haiku-4.5 --input-tokens 1200 --output-tokens 500 --get credits
expect_output 7
policy ''

criterion 'Each service has a ServicePricing config: inputCreditPerToken and outputCreditPerToken'
policy 's/"models": \[/&{"id": "cloud-speech", "creditsPerToken": {"input": "0.01", "output": "0.25"}},/'
run credit-price --model cloud-speech --input-tokens 1000 --get credits
expect_output 10
run credit-price --model cloud-speech --output-tokens 1000 --get credits
expect_output 250

criterion 'Credits charged = (inputTokens * inputRate) + (outputTokens * outputRate)'
run credit-charge --account max --key speech-1 --model cloud-speech --input-tokens 1250 --output-tokens 10
expect '"usage":{"inputTokens":1250,"outputTokens":10},"creditsCharged":15,"newBalance":985'
run credit-charge --account max --key speech-2 --model cloud-speech --input-tokens 1250 --output-tokens 11
expect '"creditsCharged":16,"newBalance":969'

criterion 'Exchange rate between credits and dollars is a configurable constant'
run credit-charge --account max --key rate-1 --model $model --input-tokens 1200 --output-tokens 500
expect '"creditsCharged":12,"newBalance":957'
receipt=$output
lines=$(credit-history --account max --limit 0)
policy 's/"usdMicrosPerCredit": 1000,/"usdMicrosPerCredit": 100,/'
run credit-price --model $model --input-tokens 1200 --output-tokens 500
expect '"usd":"0.0111","credits":111'
expect_equal "$(credit-history --account max --limit 0)" "$lines"
run credit-charge --account max --key rate-1 --model $model --input-tokens 1200 --output-tokens 500
expect_output "${receipt%\}},\"replayed\":true}"
expect_balance max 957
run credit-charge --account max --key rate-2 --model $model --input-tokens 1200 --output-tokens 500
expect '"creditsCharged":111,"newBalance":846'
policy ''
run credit-price --model $model --input-tokens 1200 --output-tokens 500 --get credits
expect_output 12

criterion 'On-device transcription (Apple Speech) is free (0 credits)'
run credit-price --model apple-speech --input-tokens 0 --output-tokens 0
expect '"credits":0'
run credit-price --model apple-speech --input-tokens 1200 --output-tokens 500
expect '"credits":0'
run credit-charge --account max --key speech-3 --model apple-speech --input-tokens 1200 --output-tokens 500
expect '"creditsCharged":0,"newBalance":846'

criterion 'LLM extraction charges credits proportional to actual input/output token usage'
run credit-price --model $model --input-tokens 12000 --output-tokens 5000 --get credits
expect_output 111

criterion 'If balance goes negative, next request is blocked until top-up'
spend eli 990
spend eli 20
expect_balance eli -10
refuse 10 credit-authorize --account eli
run credit-topup --storekit --account eli <<<"$(transaction 3011 com.damsac.murmur.credits.1000)"
run credit-authorize --account eli

criterion 'Pipeline calls gate.authorize() before starting — rejects if balance ≤ 0'
spend eli 990
refuse 10 credit-authorize --account eli

criterion 'CreditAuthorization token links pre-check to post-charge'
run credit-authorize --account mia --get authorization.id
id=$output
run credit-charge --authorization "$id" --model $model --input-tokens 10 --get authorization.id
expect_output "$id"

criterion 'Credits deducted atomically; crash recovery'
run credit-topup --account bea --key gift --type bonus --credits 9000
for round in 1 2 3; do
  notes bea kill-$round >notes
  interrupt notes credit-charge
  charged=$(credit-history --account bea --type usage --page --get total)
  expect_balance bea $((10000 - charged * 12))
  expect_equal "$(books bea)" $((10000 - charged * 12))
  expect_equal "$(unrecorded bea)" ''
  run credit-charge <notes
  expect_balance bea $((10000 - round * 60 * 12))
done
notes bea both >notes
packs bea both >packs
credit-charge <notes >/dev/null &
credit-topup <packs >/dev/null &
wait
expect_balance bea 67120
expect_equal "$(books bea)" 67120
run credit-charge <notes
run credit-topup <packs
expect_balance bea 67120
run credit-store verify
expect '"ok":true'

criterion 'Insufficient credits (balance: X). Top up to continue.'
refuse 10 credit-authorize --account eli
expect_error 'has 0 credits; top up to continue'

done_testing
