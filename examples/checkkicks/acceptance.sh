#!/bin/bash
# Plays the requirements of the sneaker checker: three free authentications, credit packs, one credit a check.
. "$(dirname "$0")/../qa/harness.bash"
. "$here/../appstore.bash"
store "$here/policy.json"

packs=com.checkkicks.credits

# check USER KEY: the command that takes the credit for one authentication.
check() { credit-charge --account "$1" --key "$2" --model authentication --flat; }

# purchase ID PACK [BUNDLE [TYPE]]: a transaction of StoreKit.
purchase() {
  printf '%s\n' '{"transactionId":"'"$1"'","originalTransactionId":"'"$1"'","productId":"'"$packs.$2"'",
    "bundleId":"'"${3:-com.checkkicks}"'","type":"'"${4:-Consumable}"'","quantity":1,
    "inAppOwnershipType":"PURCHASED","environment":"Xcode","signedDate":1768089600000}'
}

# transaction ID PACK: the same as StoreKit hands it to the app after a verified purchase.
transaction() { jws "$(purchase "$@")"; }

# buy USER ID PACK: the command that grants a verified purchase.
buy() { credit-topup --storekit --account "$1" <<<"$(transaction "$2" "$3")"; }

section 'Monetization Strategy'

criterion 'Each authentication costs 1 credit'
run check joe check-1
expect '"creditsCharged":1,"newBalance":2'

criterion 'More credits = lower per-check price'
run credit-price --products --get pricePerCredit
expect_lines 0.6990 0.5996 0.4998 0.3999

section 'Credit Tiers'

criterion 'Free: 3 credits (lifetime)'
run credit-balance --account kim --get balance
expect_output 3
for key in check-1 check-2 check-3; do run check kim $key; done
refuse 10 check kim check-4
run credit-account --account kim --get balance
expect_output 0
expect_equal "$(credit-balance --account kim --at 2099-01-01T00:00:00Z --get balance)" 0

for tier in 'Basic basic 10 6.99' 'Standard standard 25 14.99' 'Pro pro 60 29.99' \
  'Business business 150 59.99'; do
  read -r name pack credits price <<<"$tier"
  criterion "$name: $credits credits, \$$price"
  run credit-price --products
  expect "\"id\":\"$packs.$pack\",\"name\":\"$name Credits ($credits)\",\"credits\":$credits,\"price\":\"$price\",\"currency\":\"USD\""
done

section 'Details'

criterion '3. Product Loading'
run credit-price --products --get id
expect_lines $packs.basic $packs.standard $packs.pro $packs.business

criterion '4. Purchase Flow with Verification (Consumable)'
run buy kim 1001 basic
expect '"creditsAdded":10,"newBalance":10'
refuse 13 credit-topup --storekit --account kim <<<'{"transactionId":"1002",
  "originalTransactionId":"1002","productId":"com.checkkicks.credits.basic","type":"Consumable",
  "bundleId":"com.checkkicks","environment":"Xcode"}'
expect '"code":"unverified_transaction"'
expect_balance kim 10

if criterion 'case .unverified: throw CreditError.verificationFailed' openssl version; then
  app_store
  bought=$(purchase 1001 pro)
  refuse_fakes kim "$bought" "$(purchase 1001 pro com.example.other)"
  run credit-balance --store sandbox --account kim
  expect '"balance":3' '"registered":false'
  run credit-topup --store sandbox --storekit --account kim <<<"$(signed "$bought")"
  expect '"id":"1001"' '"creditsAdded":60,"newBalance":63'
fi

criterion '5. Credits Mapping Function'
run buy liz 1003 basic
run buy liz 1004 standard
run buy liz 1005 pro
run buy liz 1006 business
expect '"creditsAdded":150,"newBalance":248'
refuse 12 buy liz 1007 platinum
expect '"code":"unknown_product"'
expect_balance liz 248

criterion '6. Transaction Updates Listener'
run credit-topup --account liz --transaction 1008 --product $packs.basic --status pending
run credit-topup --storekit --account liz --get newBalance <<END
$(transaction 1008 basic)
$(transaction 1006 business)
END
expect_lines 258 248
expect_balance liz 258

criterion 'if transaction.productType == .consumable'
for type in Non-Consumable 'Non-Renewing Subscription' 'Auto-Renewable Subscription'; do
  refuse 13 credit-topup --storekit --account liz <<<"$(jws "$(purchase 1009 basic com.checkkicks "$type")")"
  expect '"code":"unverified_transaction"'
done
expect_balance liz 258

criterion '7. Credit Usage (Deduct on Authentication)'
run check liz check-1
expect '"newBalance":257'
refuse 10 credit-authorize --account zero --hold 4
for key in check-1 check-2 check-3; do run check zero $key; done
refuse 10 check zero check-4
expect '"code":"insufficient_credits"'
run credit-account --account ted
for key in check-1 check-2 check-3 check-4 check-5 check-6; do
  check ted $key 2>/dev/null >answer-$key &
done
wait
expect_equal "$(cat answer-* | grep -c '"creditsCharged":1,')" 3
expect_equal "$(cat answer-* | grep -c '"code":"insufficient_credits"')" 3
expect_balance ted 0

criterion '8. Restore Purchases (REQUIRED by Apple)'
run credit-history --account liz --type purchase --status completed --limit 0 --get id
expect_lines 1008 1006 1005 1004 1003
run buy liz 1003 basic
expect '"replayed":true'
expect_balance liz 257

section '9. Edge Cases to Handle'

criterion 'Insufficient credits (show purchase screen)'
refuse 10 credit-authorize --account zero
expect '"code":"insufficient_credits","status":403' '"balance":0'

criterion 'Offline mode (cache credits locally, sync when online)'
cat >offline <<'END'
{"account":"liz","key":"offline-1","model":"authentication"}
{"account":"liz","key":"offline-2","model":"authentication"}
END
run credit-charge --get newBalance <offline
expect_lines 256 255
run credit-charge --get replayed <offline
expect_lines true true
expect_balance liz 255

criterion 'Interrupted purchases (handle .pending state)'
run credit-topup --account mat --transaction 2001 --product $packs.pro --status pending
expect '"status":"pending"' '"creditsAdded":0,"newBalance":3'
run buy mat 2001 pro
expect '"creditsAdded":60,"newBalance":63'
run credit-topup --account mat --transaction 2001 --product $packs.pro --status pending
expect '"status":"completed"' '"replayed":true'
expect_balance mat 63

criterion "Failed transactions (don't add credits)"
run credit-topup --account mat --transaction 2002 --product $packs.pro --status failed --reason declined
expect '"status":"failed"' '"creditsAdded":0,"newBalance":63'

criterion 'Concurrent purchases (thread-safe credit updates)'
for id in 2101 2102 2103 2104 2105 2106 2107 2108; do
  buy mat $id basic >/dev/null &
  check mat check-$id >/dev/null &
done
wait
expect_balance mat 135

section '10. Environment Integration'

criterion 'Check credits before each authentication'
run credit-authorize --account mat --get authorization.id
run credit-charge --authorization "$output" --model authentication --flat
expect '"newBalance":134'
run check val check-1
run check val check-2
for id in photo-1 photo-2; do run credit-authorize --account val --authorization $id; done
run credit-charge --authorization photo-1 --model authentication --flat
expect '"newBalance":0'
refuse 10 credit-charge --authorization photo-2 --model authentication --flat
expect '"code":"insufficient_credits"' '"balance":0'
expect_balance val 0

section 'Sandbox Testing Checklist'

criterion 'Create .storekit configuration file with 4 consumable products'
cat >Products.storekit <<'END'
{"identifier": "5F2A6B1C", "version": {"major": 4, "minor": 0}, "subscriptionGroups": [],
 "products": [
  {"displayPrice": "6.99", "familyShareable": false, "internalID": "6756000001",
   "localizations": [{"description": "10 checks", "displayName": "Basic Credits (10)", "locale": "en_US"}],
   "productID": "com.checkkicks.credits.basic", "referenceName": "Basic", "type": "Consumable"},
  {"displayPrice": "14.99", "familyShareable": false, "internalID": "6756000002",
   "localizations": [{"description": "25 checks", "displayName": "Standard Credits (25)", "locale": "en_US"}],
   "productID": "com.checkkicks.credits.standard", "referenceName": "Standard", "type": "Consumable"},
  {"displayPrice": "29.99", "familyShareable": false, "internalID": "6756000003",
   "localizations": [{"description": "60 checks", "displayName": "Pro Credits (60)", "locale": "en_US"}],
   "productID": "com.checkkicks.credits.pro", "referenceName": "Pro", "type": "Consumable"},
  {"displayPrice": "59.99", "familyShareable": false, "internalID": "6756000004",
   "localizations": [{"description": "150 checks", "displayName": "Business Credits (150)", "locale": "en_US"}],
   "productID": "com.checkkicks.credits.business", "referenceName": "Business", "type": "Consumable"},
  {"displayPrice": "1.99", "familyShareable": true, "internalID": "6756000005",
   "localizations": [{"description": "Dark icon", "displayName": "Dark icon", "locale": "en_US"}],
   "productID": "com.checkkicks.icon", "referenceName": "Icon", "type": "NonConsumable"}]}
END
credit-price --import Products.storekit --product-credits $packs.basic=10 \
  --product-credits $packs.standard=25 --product-credits $packs.pro=60 \
  --product-credits $packs.business=150 >catalog.json 2>errors || fault "$(<errors)"
if [[ ! -s errors ]]; then fault 'no word of what was left out'; fi
run credit-price --products --catalog catalog.json --get id
expect_lines $packs.basic $packs.standard $packs.pro $packs.business
run credit-price --products --catalog catalog.json --get credits
expect_lines 10 25 60 150

criterion 'Test purchase flow for each tier in simulator'
run buy nia 3001 basic
expect '"creditsAdded":10,"newBalance":13'
run buy nia 3002 standard
expect '"creditsAdded":25,"newBalance":38'
run buy nia 3003 pro
expect '"creditsAdded":60,"newBalance":98'
run buy nia 3004 business
expect '"creditsAdded":150,"newBalance":248'

criterion 'Verify credits added correctly after purchase'
expect_balance nia 248

criterion 'Test using credits (deduction works)'
run check nia check-1
expect_balance nia 247

criterion 'Test insufficient credits shows purchase screen'
refuse 10 check zero check-5
expect '"code":"insufficient_credits"'

criterion 'Test credits persist across app restarts (local + Supabase)'
before=$(credit-balance --account nia)
rm -f "$CREDIT_STORE/index"
run env -i PATH="$PATH" credit-balance --store "$CREDIT_STORE" --account nia
expect_output "$before"
expect '"balance":247,"available":247'

if criterion 'Test with no internet (cached credits work)' unshare -rn true; then
  run buy ola 3101 basic
  run unshare -rn credit-balance --account ola --get balance
  expect_output 13
  run unshare -rn credit-charge --account ola --key plane-1 --model authentication --flat
  expect '"creditsCharged":1,"newBalance":12'
  run check ola plane-1
  expect '"newBalance":12' '"replayed":true'
  expect_balance ola 12
fi

criterion 'Test multiple purchases accumulate credits'
run buy nia 3005 basic
run buy nia 3006 basic
expect '"newBalance":267'

section 'Apple Review Requirements'

criterion '"Restore Purchases" button easily accessible'
run credit-history --account nia --type purchase --page --limit 1
expect '"total":6,"limit":1'

criterion 'Clear pricing shown for each tier'
run credit-price --products --get price
expect_lines 6.99 14.99 29.99 59.99

criterion 'Credits balance displayed prominently'
expect_balance nia 267

criterion 'All StoreKit errors handled gracefully'
refuse 65 credit-topup --storekit --account nia <<<'{"transactionId":"3007"'
expect '"code":"invalid_json"'
refuse 13 credit-topup --storekit --account nia <<<'eyJh.eyJi.c2ln'
expect '"code":"unverified_transaction"'

criterion 'No crashes on purchase failure'
for input in '{' null '[]' 5 '"eyJ"' eyJ '{"transactionId":3008}' '{"signedTransactionInfo":"a.b.c"}'; do
  output=$(credit-topup --storekit --account nia --quiet <<<"$input")
  status=$?
  if ((status == 0 || status >= 128)); then fault "$status for $input"; fi
  expect '{"error":{"code":"' '"status":400'
done
expect_balance nia 267

section 'Completion Criteria'

criterion 'All 4 credit pack products configured'
run credit-price --products --get id
expect_equal "$(wc -l <<<"$output")" 4

criterion 'Purchase flow works for all tiers'
run credit-history --account nia --type purchase --get productID
expect "$packs.basic" "$packs.standard" "$packs.pro" "$packs.business"

criterion 'Credits correctly added after purchase'
run credit-history --account nia --type purchase --get credits
expect_lines 10 10 150 60 25 10

criterion 'Credit deduction works on authentication'
run check nia check-2
expect '"newBalance":266'

criterion 'Credits synced to Supabase'
run credit-history --account nia --limit 0 --get credits
expect_lines -1 10 10 -1 150 60 25 10 3
run credit-store init --store supabase --policy policy.json
credit-store export >export || fault 'no export'
run credit-store import --store supabase <export
for account in $(credit-account --all --get account); do
  expect_equal "$(credit-balance --store supabase --account "$account")" "$(credit-balance --account "$account")"
  expect_equal "$(credit-history --store supabase --account "$account" --limit 0)" \
    "$(credit-history --account "$account" --limit 0)"
done
expect_equal "$(credit-balance --store supabase --account nia --get balance)" 266

criterion 'Local caching for offline use'
run credit-store init --store cache --policy policy.json
run credit-store import --store cache <export
mv "$CREDIT_STORE" unreachable
refuse 66 check nia cached-1
run credit-charge --store cache --account nia --key cached-1 --model authentication --flat
expect '"creditsCharged":1,"newBalance":265'
mv unreachable "$CREDIT_STORE"
expect_balance nia 266
run check nia cached-1
expect '"creditsCharged":1,"newBalance":265'
run check nia cached-1
expect '"replayed":true'
expect_balance nia "$(credit-balance --store cache --account nia --get balance)"

criterion 'account_exceptions: Developer/tester bypass'
run credit-account --account dev --exempt true
for key in check-1 check-2 check-3 check-4; do run check dev $key; done
expect '"creditsCharged":0,"newBalance":3' '"exempt":true,"creditsWaived":1'
run credit-account --account dev --exempt false
run check dev check-5
expect '"creditsCharged":1,"newBalance":2'

criterion 'credit_transactions: Purchase and usage history'
run credit-history --account nia --limit 0 --get type
expect_lines usage usage purchase purchase usage purchase purchase purchase purchase starter
expect_balanced

done_testing
