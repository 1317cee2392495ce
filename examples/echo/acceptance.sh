#!/bin/bash
# Plays the requirements of Echo's backend: seconds of recording, first from a month's quota and then from
# packs of three hours.
. "$(dirname "$0")/../qa/harness.bash"
. "$here/../appstore.bash"
store "$here/policy.json"

product=com.kinder.echo.3hours

# book USER KEY SECONDS [FLAG...]: the command that books seconds of recording.
book() { credit-charge --account "$1" --key "$2" --model recording --units "$3" "${@:4}"; }

# buy USER TRANSACTION [FLAG...]: the command that credits a purchase of three hours.
buy() {
  credit-topup --account "$1" --transaction "$2" --product $product --price 9.99 --currency USD "${@:3}"
}

# purchase ID [BUNDLE]: a transaction of StoreKit.
purchase() {
  printf '%s\n' '{"transactionId":"'"$1"'","originalTransactionId":"'"$1"'","productId":"'$product'",
    "bundleId":"'"${2:-com.kinder.echo}"'","type":"Consumable","quantity":1,"price":9990,"currency":"USD",
    "inAppOwnershipType":"PURCHASED","environment":"Xcode","signedDate":1771495200000}'
}

# transaction ID: the same as StoreKit hands it to the app after a verified purchase.
transaction() { jws "$(purchase "$1")"; }

# credit_topup [FLAG...]: answers POST /usage/credit-topup, whose body is on standard input.
credit_topup() {
  jq -c '{account: .user_key, credits: .seconds, transaction: .transaction_id}
      + ({price: .price_paid, currency} | del(.[] | nulls))' |
    credit-topup "$@" | jq -c 'if .error then . else {success: true, new_balance: .newBalance} end'
}

# usage_check USER TIME: answers POST /usage/check as of that time.
usage_check() {
  local used
  used=$(seconds_used "$1" "${2%%-??T*}-01T00:00:00Z" "$2")
  credit-balance --account "$1" --at "$2" |
    jq -c "{secondsUsed: $used, limitSeconds: (.balance + $used), currentPlan: .plan}"
}

# seconds_used USER SINCE UNTIL: the seconds booked in that time, whether of the quota or bought.
seconds_used() {
  local credits sum=0
  for credits in $(credit-history --account "$1" --type usage --since "$2" --until "$3" --limit 0 \
    --get credits); do
    ((sum -= credits))
  done
  printf '%s\n' $sum
}

section 'Product Details'

criterion 'Product ID: com.kinder.echo.3hours'
run credit-price --products
expect "\"id\":\"$product\""

criterion 'Credit: 10,800 seconds (3 hours) of recording time'
expect '"credits":10800' '"price":"9.99","currency":"USD"'

criterion 'Repurchasable: Yes (unlimited)'
run buy ron 1001
run buy ron 1002
run buy ron 1003
expect '"newBalance":32400'

criterion 'Type: Consumable'
refuse 13 credit-topup --storekit --account ron <<<"$(jws '{"transactionId":"1004",
  "originalTransactionId":"1004","productId":"com.kinder.echo.3hours","bundleId":"com.kinder.echo",
  "type":"Auto-Renewable Subscription","quantity":1,"environment":"Xcode",
  "signedDate":1771495200000}')"
expect '"code":"unverified_transaction"'
expect_balance ron 32400

section 'Transaction Flow'

if criterion 'Transaction is verified' openssl version; then
  app_store
  bought=$(purchase 2000)
  refuse_fakes uma "$bought" "$(purchase 2000 com.example.other)"
  run credit-balance --store sandbox --account uma
  expect '"balance":0' '"registered":false'
  run credit-topup --store sandbox --storekit --account uma <<<"$(signed "$bought")"
  expect '"id":"2000"' '"creditsAdded":10800,"newBalance":10800'
fi

criterion 'Backend is credited with transaction ID (for idempotency)'
run credit-topup --storekit --account uma <<<"$(transaction 2001)"
expect '"id":"2001","account":"uma","type":"purchase","status":"completed"'
run credit-topup --storekit --account uma <<<"$(transaction 2001)"
expect '"newBalance":10800' '"replayed":true'

criterion 'UsageViewModel refreshes to show updated balance'
expect_balance uma 10800

section 'UsageQuotaClient Extension'

if criterion 'Payload: user_key, seconds, transaction_id, price_paid, currency' jq --version; then
  run credit_topup <<'END'
{
  "user_key": "device-uuid-or-original-transaction-id",
  "seconds": 10800,
  "transaction_id": "1000000123456789",
  "price_paid": 9.99,
  "currency": "USD"
}
END
  expect_output '{"success":true,"new_balance":10800}'
  run credit-history --account device-uuid-or-original-transaction-id
  expect '"id":"1000000123456789"' '"credits":10800,"balance":10800' '"price":"9.99","currency":"USD"'
fi

if criterion 'price_paid and currency are optional' jq --version; then
  run credit-account --account tim --plan monthly
  for _ in 1 2; do
    run credit_topup <<<'{"user_key":"tim","seconds":10800,"transaction_id":"1000000123456790"}'
    expect_output '{"success":true,"new_balance":14400}'
  done
  refuse 11 credit_topup --strict \
    <<<'{"user_key":"tim","seconds":10800,"transaction_id":"1000000123456790"}'
  expect '"code":"duplicate_transaction","status":409'
  refuse 65 credit_topup <<<'{"seconds":10800,"transaction_id":"1000000123456791"}'
  refuse 65 credit_topup <<<'{"user_key":"tim","seconds":10800}'
  refuse 65 credit_topup <<<'{"user_key":"tim","transaction_id":"1000000123456791"}'
  expect '"status":400'
  expect_balance tim 14400
  run credit-history --account tim --type purchase
  expect '"credits":10800,"balance":14400'
  expect_no '"price"' '"currency"'
fi

section 'Backend Requirements'

criterion 'Must use transaction_id for idempotency (prevent duplicate credits)'
run buy vic 3001
run buy vic 3001
expect '"replayed":true'
refuse 11 buy wim 3001
expect '"code":"idempotency_conflict","status":409'
expect_no vic
expect_balance wim 0

criterion "Must add seconds to user's available balance"
expect_balance vic 10800

criterion 'Must persist the purchase record'
run credit-history --account vic
expect '"id":"3001","account":"vic","type":"purchase","status":"completed","credits":10800,"balance":10800' \
  '"price":"9.99"' '"currency":"USD"'

criterion 'Returns 200 on success'
run buy wim 3002
expect '"status":"completed"' '"newBalance":10800'
expect_no '"error"'

section '1. Idempotency'

criterion 'Use transaction_id as unique key'
run credit-history --account vic --type purchase --search 3001 --page
expect '"total":1'

criterion "If transaction_id already exists, return success (don't credit twice)"
run buy vic 3001
expect_balance vic 10800

criterion 'This handles edge cases like retries and app reinstalls'
for _ in 1 2 3 4; do buy vic 3001 >/dev/null & done
wait
expect_balance vic 10800

section '2. Balance Management'

# From here on months pass in a moment.
policy 's/"version": 1,/&"clock": "simulated",/'

criterion 'Store monthly subscription quota separately from top-up credits'
run credit-account --account xia --plan monthly --now 2025-01-10T09:00:00Z
run credit-topup --account xia --transaction 4001 --product $product --now 2025-01-10T09:05:00Z
run credit-balance --account xia --at 2025-01-10T09:06:00Z
expect '{"kind":"quota","credits":3600,"expiresAt":"2025-02-01T00:00:00.000Z"}' \
  '{"kind":"purchased","credits":10800}'

criterion 'Track both: subscription_seconds and topup_seconds'
expect '"quota":{"limit":3600,"used":0,"remaining":3600,"resetsAt":"2025-02-01T00:00:00.000Z"}' \
  '{"kind":"purchased","credits":10800}'

criterion 'When booking usage, deduct from combined total'
run credit-charge --account xia --key talk-1 --model recording --units 600 --now 2025-01-11T09:00:00Z
expect '"creditsCharged":600,"newBalance":13800'

criterion 'Backend response includes total available: limitSeconds = subscription + topup'
run credit-balance --account xia --at 2025-01-11T09:00:00Z
expect '"balance":13800' '"quota":{"limit":3600,"used":600,"remaining":3000'

section '4. Booking Usage Logic'

criterion 'Deduct from subscription first, then top-up'
run credit-charge --account xia --key talk-2 --model recording --units 4000 --now 2025-01-12T09:00:00Z
run credit-balance --account xia --at 2025-01-12T09:00:00Z
expect '"balance":9800' '"buckets":[{"kind":"purchased","credits":9800}]' '"used":3600,"remaining":0'

criterion 'Insufficient balance'
refuse 10 credit-charge --account xia --key talk-3 --model recording --units 9801 \
  --now 2025-01-13T09:00:00Z
expect '"code":"insufficient_credits"' '"balance":9800'
expect_equal "$(credit-balance --account xia --at 2025-01-13T09:00:00Z --get balance)" 9800
run credit-charge --account xia --key talk-3 --model recording --units 9800 --now 2025-01-13T09:00:00Z
expect '"newBalance":0'

criterion 'seconds_used_this_month'
run credit-balance --account xia --at 2025-01-13T09:00:00Z --get quota.used
expect_output 3600
expect_equal "$(seconds_used xia 2025-01-01T00:00:00Z 2025-02-01T00:00:00Z)" 14400
expect_equal "$(seconds_used xia 2025-02-01T00:00:00Z 2025-03-01T00:00:00Z)" 0

criterion 'Monthly quota starts again, top-ups stay'
run credit-topup --account xia --transaction 4002 --product $product --now 2025-01-20T09:00:00Z
run credit-balance --account xia --at 2025-02-01T00:00:00Z
expect '"balance":14400' '"used":0,"remaining":3600,"resetsAt":"2025-03-01T00:00:00.000Z"' \
  '{"kind":"purchased","credits":10800}'

section 'Recording Gate'

criterion 'Recording is disabled when secondsUsed >= limitSeconds'
run credit-account --account yan --plan free
run book yan talk-1 600
refuse 10 credit-authorize --account yan
expect '"code":"insufficient_credits","status":403' '"balance":0'

criterion 'Recording that has begun is sure of its seconds'
run buy yan 5001
run credit-authorize --account yan --authorization talk-2 --hold 10000
refuse 10 book yan talk-3 801
run credit-charge --authorization talk-2 --model recording --units 9000
expect '"newBalance":1800'

section 'Edge Cases & Error Handling'

criterion '1. Reinstall / New Device'
before=$(credit-balance --account yan)
lines=$(credit-history --account yan)
device=(env -i PATH="$PATH" HOME="$folder/new-device")
rm -f "$CREDIT_STORE/index"
run "${device[@]}" credit-balance --store "$CREDIT_STORE" --account yan
expect_output "$before"
expect '"balance":1800'
run "${device[@]}" credit-history --store "$CREDIT_STORE" --account yan
expect_output "$lines"
refuse 11 "${device[@]}" credit-topup --store "$CREDIT_STORE" --account new-device --transaction 5001 \
  --product $product
expect_balance new-device 0

criterion '2. Duplicate Purchases'
run buy yan 5001
expect '"replayed":true'
expect_balance yan 1800

criterion '3. Failed Network Request'
refuse 66 credit-topup --store "$folder/unreachable" --storekit --account yan <<<"$(transaction 5002)"
expect_balance yan 1800
run credit-topup --storekit --account yan <<<"$(transaction 5002)"
expect_balance yan 12600

criterion '4. Cancelled Purchase'
run credit-topup --account yan --transaction 5003 --product $product --status failed \
  --reason userCancelled
expect '"status":"failed"' '"creditsAdded":0,"newBalance":12600'

criterion '5. Pending Purchase'
run credit-topup --account yan --transaction 5004 --product $product --status pending
expect '"status":"pending"' '"creditsAdded":0,"newBalance":12600'
run credit-topup --account yan --transaction 5004 --product $product
expect '"status":"completed"' '"creditsAdded":10800,"newBalance":23400'

criterion '6. App Store Review Testing'
run credit-topup --storekit --account yan <<<"$(transaction 5005)"
expect '"newBalance":34200'
run credit-topup --storekit --account yan <<<"$(transaction 5006)"
expect '"newBalance":45000'

section 'Testing Checklist'

criterion 'Product loads correctly'
run credit-price --products --get id
expect_output $product

criterion 'Purchase flow works'
run credit-topup --storekit --account zed <<<"$(transaction 6001)"
expect '"creditsAdded":10800,"newBalance":10800'

criterion 'Error handling works'
refuse 12 credit-topup --account zed --transaction 6002 --product com.kinder.echo.4hours
expect '"code":"unknown_product","status":404'
refuse 65 credit-topup --storekit --account zed <<<'no transaction'
expect '"code":"invalid_json","status":400'

criterion 'Toast appears on success'
run credit-topup --storekit --account zed --get creditsAdded <<<"$(transaction 6001)"
expect_output 10800

criterion 'Backend receives credit request'
run buy zed 6003
expect '"id":"6003","account":"zed"' "\"productID\":\"$product\""

criterion 'Transaction ID is unique'
refuse 11 credit-topup --account zed --transaction 6003 --credits 7
expect '"code":"idempotency_conflict"'

criterion 'Balance updates in UI'
expect_balance zed 21600

criterion 'Idempotency works (backend rejects duplicate transaction_id)'
refuse 11 credit-topup --strict --account zed --transaction 6003 --product $product
expect '"code":"duplicate_transaction","status":409'
expect_balance zed 21600

criterion 'Receipt verification works'
refuse 13 credit-topup --storekit --account zed <<<'{"transactionId":"6004",
  "originalTransactionId":"6004","productId":"com.kinder.echo.3hours","type":"Consumable",
  "bundleId":"com.kinder.echo","environment":"Xcode"}'
expect '"code":"unverified_transaction"'
refuse 13 credit-topup --storekit --account zed <<<"$(jws "$(purchase 6004 com.example.other)")"
expect '"code":"unverified_transaction"'

criterion 'Backend credits correctly'
expect_balance zed 21600
run credit-topup --storekit --account zac <<<"$(transaction 6004)"
expect '"id":"6004"' '"creditsAdded":10800,"newBalance":10800'
expect_balance zac 10800

criterion 'Recording works with new balance'
run book zed talk-1 21000
expect '"newBalance":600'

criterion 'Multiple purchases accumulate'
run buy zed 6005
run buy zed 6006
expect '"newBalance":22200'

section 'Backend Endpoints Required'

criterion '200: Success'
run buy zed 6006
expect '"newBalance":22200'

criterion '409: Duplicate transaction_id (already credited)'
refuse 11 credit-topup --strict --account zed --transaction 6006 --product $product
expect '"code":"duplicate_transaction","status":409'
expect_balance zed 22200

criterion '400: Invalid request'
refuse 65 credit-topup <<<'{"account":"zed","credits":10800}'
expect '"code":"invalid_request","status":400'
refuse 65 credit-topup <<<'{"account":"zed","credits":"10800","transaction":"6007"}'
expect '"code":"invalid_request","status":400'

criterion '500: Server error'
cp -R "$CREDIT_STORE" "$folder/broken"
echo '{"version": 2}' >"$folder/broken/policy.json"
refuse 78 credit-topup --store "$folder/broken" --account zed --transaction 6008 --product $product
expect '"code":"invalid_policy","status":500' '"outcome":"none"'

criterion 'Get Usage: secondsUsed, limitSeconds, currentPlan'
run credit-account --account amy --plan monthly
run buy amy 7001
run book amy talk-1 1200
run credit-balance --account amy
expect '"balance":13200' '"plan":"monthly","quota":{"limit":3600,"used":1200,"remaining":2400'

if criterion 'secondsUsed: Total used this month; limitSeconds: Combined quota (subscription + top-ups)' \
  jq --version; then
  run credit-account --account eva --plan monthly --now 2025-03-01T08:00:00Z
  run buy eva 7003 --now 2025-03-01T08:00:00Z
  run usage_check eva 2025-03-01T08:00:00Z
  expect_output '{"secondsUsed":0,"limitSeconds":14400,"currentPlan":"monthly"}'
  for day in 02 03 04; do run book eva "talk-$day" 2000 --now 2025-03-${day}T08:00:00Z; done
  run usage_check eva 2025-03-05T00:00:00Z
  expect_output '{"secondsUsed":6000,"limitSeconds":14400,"currentPlan":"monthly"}'
  run usage_check eva 2025-03-04T00:00:00Z
  expect_output '{"secondsUsed":4000,"limitSeconds":14400,"currentPlan":"monthly"}'
  run usage_check eva 2025-04-01T00:00:00Z
  expect_output '{"secondsUsed":0,"limitSeconds":12000,"currentPlan":"monthly"}'
fi

section 'Security Considerations'

criterion 'Backend should validate transaction_id format'
refuse 65 credit-topup <<<'{"account":"zed","transaction":"","product":"com.kinder.echo.3hours"}'
expect '"code":"invalid_request"'
refuse 65 credit-topup <<<'{"account":"zed","transaction":6009,"product":"com.kinder.echo.3hours"}'
expect '"code":"invalid_request"'

criterion 'Backend should rate-limit credit-topup requests'
for id in 8001 8002 8003 8004 8005; do run buy bob $id --now 2025-02-01T10:00:00Z; done
refuse 14 buy bob 8006 --now 2025-02-01T10:00:20Z
expect '"code":"rate_limited","status":429' '"retryAfter":40'
refuse 14 buy bob 8006 --now 2025-02-01T10:00:59.999Z
expect '"retryAfter":1}'
expect_balance bob 54000
run buy bob 8006 --now 2025-02-01T10:01:00Z
expect '"newBalance":64800'

criterion 'Prevent abuse from repeated requests'
for _ in 1 2 3 4 5 6; do run buy bob 8005 --now 2025-02-01T10:01:00Z; done
expect '"replayed":true'
expect_balance bob 64800
run buy bob 8007 --now 2025-02-01T10:01:00Z
expect '"newBalance":75600'

section 'Analytics Events'

criterion 'topup_purchase_completed'
run credit-history --account amy --type purchase
expect "\"productID\":\"$product\"" '"price":"9.99"' '"credits":10800'

criterion 'topup_purchase_failed'
run credit-topup --account amy --transaction 7002 --product $product --status failed \
  --reason verificationFailed
run credit-history --account amy --status failed
expect '"id":"7002"' '"reason":"verificationFailed"' '"balance":13200'

section 'Future Enhancements'

criterion 'Multiple Top-Up Options: 1 hour: €3.99, 3 hours: €9.99 (current), 10 hours: €24.99'
hours='{"id": "com.kinder.echo.1hour", "credits": 3600, "price": "3.99", "currency": "EUR"},
  {"id": "com.kinder.echo.10hours", "credits": 36000, "price": "24.99", "currency": "EUR"},'
policy "s/\"products\": \\[/&${hours//$'\n'/ }/"
run credit-topup --account hal --transaction 9001 --product com.kinder.echo.1hour
expect '"creditsAdded":3600,"newBalance":3600'
run buy hal 9002
expect '"creditsAdded":10800,"newBalance":14400'
run credit-topup --account hal --transaction 9003 --product com.kinder.echo.10hours
expect '"creditsAdded":36000,"newBalance":50400'
run book hal talk-1 50000
expect '"newBalance":400'

criterion 'Bulk discounts'
for pack in 1hour=0.0011 3hours=0.0009 10hours=0.0007; do
  run credit-price --products
  line=$(grep "\"com.kinder.echo.${pack%=*}\"" <<<"$output")
  expect_equal "$(grep -o '"pricePerCredit":"[0-9.]*"' <<<"$line")" "\"pricePerCredit\":\"${pack#*=}\""
done

criterion 'Show purchase history in settings'
run credit-history --account bob --type purchase --limit 2 --get id
expect_lines 8007 8006

criterion 'Special offers during promotions'
policy 's/"version": 1,/&"clock": "simulated",/'
run buy ivy 7101 --now 2025-06-30T23:59:59Z
expect '"newBalance":10800'
expect_no '"bonuses"'
run buy ivy 7102 --now 2025-07-01T00:00:00Z
expect '"creditsAdded":10800,"newBalance":23760,"bonuses":[{"id":"7102:summer","credits":2160}]'
run buy ivy 7102 --now 2025-07-01T00:00:01Z
expect '"newBalance":23760' '"replayed":true'
run credit-topup --storekit --account ivy --now 2025-07-31T23:59:59Z <<<"$(transaction 7103)"
expect '"newBalance":36720,"bonuses":[{"id":"7103:summer","credits":2160}]'
run buy ivy 7104 --now 2025-08-01T00:00:00Z
expect_no '"bonuses"'
# What the offer gave is used first, and taken back with its purchase as far as it is there.
run book ivy talk-1 1000 --now 2025-08-02T08:00:00Z
run credit-refund --transaction 7102 --now 2025-08-03T08:00:00Z
expect '"creditsRefunded":10800,"newBalance":34560'
run credit-history --transaction 7102:summer --get status,creditsRefunded,used
expect_output $'refunded\t1160\t1000'

criterion 'Display top-up expiration (if implementing expiry)'
run credit-topup --account amy --key gift-1 --type bonus --credits 60 --expires-in 30d
run credit-balance --account amy
expect '{"kind":"bonus","credits":60,"grant":' '"expiresAt":'
run credit-account --account gus --plan monthly --now 2025-05-01T08:00:00Z
run buy gus 7004 --now 2025-05-01T08:00:00Z
run credit-topup --account gus --key gift-1 --type bonus --credits 60 --expires-in 7d \
  --now 2025-05-01T08:00:00Z
run book gus talk-1 20 --now 2025-05-02T08:00:00Z
run credit-balance --account gus --at 2025-05-08T07:59:59Z
expect '"balance":14440' '{"kind":"bonus","credits":40,"grant":' \
  '"expiresAt":"2025-05-08T08:00:00.000Z"}' \
  '{"kind":"quota","credits":3600,' '{"kind":"purchased","credits":10800}'
run credit-balance --account gus --at 2025-05-08T08:00:00Z
expect '"balance":14400'
expect_no '"bonus"'
run book gus talk-2 10 --now 2025-05-09T08:00:00Z
expect '"newBalance":14390'
run credit-history --account gus --type expiry --until 2025-06-01 --get timestamp,credits,balance
expect_output $'2025-05-08T08:00:00.000Z\t-40\t14400'

criterion 'Allow users to gift recording time'
run credit-account --account cat
run credit-transfer --from bob --to cat --credits 3600 --key gift-1 --reason 'from bob'
expect '"from":"bob","to":"cat","credits":3600' '"fromBalance":72000,"toBalance":3600'
run credit-transfer --from bob --to cat --credits 3600 --key gift-1
expect '"toBalance":3600,"replayed":true'
expect_balance bob 72000
expect_balance cat 3600
run credit-history --account cat --type transfer
expect '"credits":3600' '"counterparty":"bob"'
run credit-history --account bob --type transfer
expect '"credits":-3600' '"counterparty":"cat"'
# The month's seconds cannot be transferred, nor more than the balance, nor to an unknown account.
run credit-account --account dan --plan monthly
refuse 10 credit-transfer --from dan --to cat --credits 1 --key gift-1
refuse 10 credit-transfer --from cat --to bob --credits 3601 --key gift-1
expect '"code":"insufficient_credits"'
refuse 12 credit-transfer --from bob --to cta --credits 60 --key gift-2
expect '"code":"unknown_account"'
expect_balance bob 72000

section 'Summary'

criterion 'Backend-Authoritative: All usage tracking lives server-side'
expect_balanced

done_testing
