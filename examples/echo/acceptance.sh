#!/bin/bash
# Plays what Echo asks of its backend: seconds of recording, a month's quota first and then what was bought
# in packs of three hours.
. "$(dirname "$0")/../acceptance.bash"

product=com.kinder.echo.3hours

# book USER KEY SECONDS: the command that books seconds of recording.
book() { credit-charge --account "$1" --key "$2" --model recording --units "$3"; }

# buy USER TRANSACTION: the command that credits a purchase, as the app's request has it.
buy() {
  credit-topup --account "$1" --transaction "$2" --product $product --price 9.99 --currency USD
}

# transaction ID: what StoreKit hands the app after a verified purchase.
transaction() {
  jws '{"transactionId":"'"$1"'","originalTransactionId":"'"$1"'","productId":"'$product'",
    "bundleId":"com.kinder.echo","type":"Consumable","quantity":1,"price":9990,"currency":"USD",
    "inAppOwnershipType":"PURCHASED","environment":"Xcode","signedDate":1771495200000}'
}

section 'Product Details'

criterion 'Product ID: com.kinder.echo.3hours'
run credit-price --products
has "\"id\":\"$product\""

criterion 'Credit: 10,800 seconds (3 hours) of recording time'
has '"credits":10800' '"price":"9.99","currency":"USD"'

criterion 'Repurchasable: Yes (unlimited)'
run buy ron 1001
run buy ron 1002
run buy ron 1003
has '"newBalance":32400'

criterion 'Type: Consumable'
refuse 13 credit-topup --storekit --account ron <<<"$(jws '{"transactionId":"1004",
  "originalTransactionId":"1004","productId":"com.kinder.echo.3hours","bundleId":"com.kinder.echo",
  "type":"Auto-Renewable Subscription","quantity":1,"environment":"Xcode",
  "signedDate":1771495200000}')"
has '"code":"unverified_transaction"'
is "$(balance ron)" 32400

section 'Transaction Flow'

criterion 'Transaction is verified'
run credit-topup --storekit --account uma <<<"$(transaction 2001)"
has '"id":"2001","account":"uma","type":"purchase","status":"completed"'

criterion 'Backend is credited with transaction ID (for idempotency)'
run credit-topup --storekit --account uma <<<"$(transaction 2001)"
has '"newBalance":10800' '"replayed":true'

criterion 'UsageViewModel refreshes to show updated balance'
is "$(balance uma)" 10800

section 'Backend Requirements'

criterion 'Must use transaction_id for idempotency (prevent duplicate credits)'
run buy vic 3001
run buy vic 3001
has '"replayed":true'
refuse 11 buy wim 3001
has '"code":"idempotency_conflict","status":409'
lacks vic
is "$(balance wim)" 0

criterion "Must add seconds to user's available balance"
is "$(balance vic)" 10800

criterion 'Must persist the purchase record'
run credit-history --account vic
has '"id":"3001","account":"vic","type":"purchase","status":"completed","credits":10800,"balance":10800' \
  '"price":"9.99"' '"currency":"USD"'

criterion 'Returns 200 on success'
run buy vic 3001

section '1. Idempotency'

criterion 'Use transaction_id as unique key'
run credit-history --account vic --search 3001 --page
has '"total":1'

criterion "If transaction_id already exists, return success (don't credit twice)"
run buy vic 3001
is "$(balance vic)" 10800

criterion 'This handles edge cases like retries and app reinstalls'
for _ in 1 2 3 4; do buy vic 3001 >/dev/null & done
wait
is "$(balance vic)" 10800

section '2. Balance Management'

criterion 'Store monthly subscription quota separately from top-up credits'
run credit-account --account xia --plan monthly --now 2025-01-10T09:00:00Z
run credit-topup --account xia --transaction 4001 --product $product --now 2025-01-10T09:05:00Z
run credit-balance --account xia --at 2025-01-10T09:06:00Z
has '{"kind":"quota","credits":3600,"expiresAt":"2025-02-01T00:00:00.000Z"}' \
  '{"kind":"purchased","credits":10800}'

criterion 'Track both: subscription_seconds and topup_seconds'
has '"quota":{"limit":3600,"used":0,"remaining":3600,"resetsAt":"2025-02-01T00:00:00.000Z"}'

criterion 'When booking usage, deduct from combined total'
run credit-charge --account xia --key talk-1 --model recording --units 600 --now 2025-01-11T09:00:00Z
has '"creditsCharged":600,"newBalance":13800'

criterion 'Backend response includes total available: limitSeconds = subscription + topup'
run credit-balance --account xia --at 2025-01-11T09:00:00Z
has '"balance":13800' '"quota":{"limit":3600,"used":600,"remaining":3000'

section '4. Booking Usage Logic'

criterion 'Deduct from subscription first, then top-up'
run credit-charge --account xia --key talk-2 --model recording --units 4000 --now 2025-01-12T09:00:00Z
run credit-balance --account xia --at 2025-01-12T09:00:00Z
has '"balance":9800' '"buckets":[{"kind":"purchased","credits":9800}]' '"used":3600,"remaining":0'

criterion 'Insufficient balance'
refuse 10 credit-charge --account xia --key talk-3 --model recording --units 9801 \
  --now 2025-01-13T09:00:00Z
has '"code":"insufficient_credits"' '"balance":9800'
run credit-charge --account xia --key talk-3 --model recording --units 9800 --now 2025-01-13T09:00:00Z
has '"newBalance":0'

criterion 'Monthly quota starts again, top-ups stay'
run credit-topup --account xia --transaction 4002 --product $product --now 2025-01-20T09:00:00Z
run credit-balance --account xia --at 2025-02-01T00:00:00Z
has '"balance":14400' '"used":0,"remaining":3600,"resetsAt":"2025-03-01T00:00:00.000Z"' \
  '{"kind":"purchased","credits":10800}'

section 'Recording Gate'

criterion 'Recording is disabled when secondsUsed >= limitSeconds'
run credit-account --account yan --plan free
run book yan talk-1 600
refuse 10 credit-authorize --account yan
has '"code":"insufficient_credits","status":403' '"balance":0'

criterion 'Recording that has begun is sure of its seconds'
run buy yan 5001
run credit-authorize --account yan --authorization talk-2 --hold 10000
refuse 10 book yan talk-3 801
run credit-charge --authorization talk-2 --model recording --units 9000
has '"newBalance":1800'

section 'Edge Cases & Error Handling'

criterion '1. Reinstall / New Device'
run credit-balance --account yan --get balance
is "$output" 1800

criterion '2. Duplicate Purchases'
run buy yan 5001
has '"replayed":true'
is "$(balance yan)" 1800

criterion '3. Failed Network Request'
refuse 66 credit-topup --store "$folder/unreachable" --storekit --account yan <<<"$(transaction 5002)"
is "$(balance yan)" 1800
run credit-topup --storekit --account yan <<<"$(transaction 5002)"
is "$(balance yan)" 12600

criterion '4. Cancelled Purchase'
run credit-topup --account yan --transaction 5003 --product $product --status failed \
  --reason userCancelled
has '"status":"failed"' '"creditsAdded":0,"newBalance":12600'

criterion '5. Pending Purchase'
run credit-topup --account yan --transaction 5004 --product $product --status pending
has '"status":"pending"' '"creditsAdded":0,"newBalance":12600'
run credit-topup --account yan --transaction 5004 --product $product
has '"status":"completed"' '"creditsAdded":10800,"newBalance":23400'

criterion '6. App Store Review Testing'
run credit-topup --storekit --account yan <<<"$(transaction 5005)"
has '"newBalance":34200'

section 'Testing Checklist'

criterion 'Product loads correctly'
run credit-price --products --get id
is "$output" $product

criterion 'Purchase flow works'
run credit-topup --storekit --account zed <<<"$(transaction 6001)"
has '"creditsAdded":10800,"newBalance":10800'

criterion 'Error handling works'
refuse 12 credit-topup --account zed --transaction 6002 --product com.kinder.echo.4hours
has '"code":"unknown_product","status":404'
refuse 65 credit-topup --storekit --account zed <<<'no transaction'
has '"code":"invalid_json","status":400'

criterion 'Toast appears on success'
run credit-topup --storekit --account zed --get creditsAdded <<<"$(transaction 6001)"
is "$output" 10800

criterion 'Backend receives credit request'
run buy zed 6003
has '"id":"6003","account":"zed"' "\"productID\":\"$product\""

criterion 'Transaction ID is unique'
refuse 11 credit-topup --account zed --transaction 6003 --credits 7
has '"code":"idempotency_conflict"'

criterion 'Balance updates in UI'
is "$(balance zed)" 21600

criterion 'Idempotency works (backend rejects duplicate transaction_id)'
refuse 11 credit-topup --strict --account zed --transaction 6003 --product $product
has '"code":"duplicate_transaction","status":409'
is "$(balance zed)" 21600

criterion 'Receipt verification works'
refuse 13 credit-topup --storekit --account zed <<<'{"transactionId":"6004",
  "originalTransactionId":"6004","productId":"com.kinder.echo.3hours","type":"Consumable",
  "bundleId":"com.kinder.echo","environment":"Xcode"}'
has '"code":"unverified_transaction"'

criterion 'Backend credits correctly'
is "$(balance zed)" 21600

criterion 'Recording works with new balance'
run book zed talk-1 21000
has '"newBalance":600'

criterion 'Multiple purchases accumulate'
run buy zed 6005
run buy zed 6006
has '"newBalance":22200'

section 'Backend Endpoints Required'

criterion '200: Success'
run buy zed 6006
has '"newBalance":22200'

criterion '409: Duplicate transaction_id (already credited)'
refuse 11 credit-topup --strict --account zed --transaction 6006 --product $product --get error.status
refuse 11 credit-topup --strict --account zed --transaction 6006 --product $product
has '"status":409'

criterion '400: Invalid request'
refuse 65 credit-topup <<<'{"account":"zed","credits":10800}'
has '"code":"invalid_request","status":400'
refuse 65 credit-topup <<<'{"account":"zed","credits":"10800","transaction":"6007"}'
has '"code":"invalid_request","status":400'

criterion '500: Server error'
cp -R "$CREDIT_STORE" "$folder/broken"
echo '{"version": 2}' >"$folder/broken/policy.json"
refuse 78 credit-topup --store "$folder/broken" --account zed --transaction 6008 --product $product
has '"code":"invalid_policy","status":500' '"outcome":"none"'

criterion 'Get Usage: secondsUsed, limitSeconds, currentPlan'
run credit-account --account amy --plan monthly
run buy amy 7001
run book amy talk-1 1200
run credit-balance --account amy
has '"balance":13200' '"plan":"monthly","quota":{"limit":3600,"used":1200,"remaining":2400'

section 'Security Considerations'

criterion 'Backend should validate transaction_id format'
refuse 65 credit-topup <<<'{"account":"zed","transaction":"","product":"com.kinder.echo.3hours"}'
refuse 65 credit-topup <<<'{"account":"zed","transaction":6009,"product":"com.kinder.echo.3hours"}'
has '"code":"invalid_request"'

criterion 'Backend should rate-limit credit-topup requests'
for id in 8001 8002 8003 8004 8005; do run buy bob $id; done
refuse 14 buy bob 8006
has '"code":"rate_limited","status":429' '"retryAfter":'
is "$(balance bob)" 54000

criterion 'Prevent abuse from repeated requests'
run buy bob 8005
has '"replayed":true'

section 'Analytics Events'

criterion 'topup_purchase_completed'
run credit-history --account amy --type purchase
has "\"productID\":\"$product\"" '"price":"9.99"' '"credits":10800'

criterion 'topup_purchase_failed'
run credit-topup --account amy --transaction 7002 --product $product --status failed \
  --reason verificationFailed
run credit-history --account amy --status failed
has '"id":"7002"' '"reason":"verificationFailed"' '"balance":13200'

section 'Future Enhancements'

criterion 'Show purchase history in settings'
run credit-history --account bob --type purchase --limit 2 --get id
is "${output//$'\n'/ }" '8005 8004'

criterion 'Display top-up expiration (if implementing expiry)'
run credit-topup --account amy --key gift-1 --type bonus --credits 60 --expires-in 30d
run credit-balance --account amy
has '{"kind":"bonus","credits":60,"expiresAt":'

criterion 'Allow users to gift recording time'
run credit-topup --account cat --key gift-from-amy --type bonus --credits 3600 --reason 'from amy'
has '"newBalance":3600'

done_testing
