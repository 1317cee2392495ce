#!/bin/bash
# Plays what the sneaker checker's task asks: three free authentications, credit packs, one credit a check.
. "$(dirname "$0")/../acceptance.bash"

packs=com.checkkicks.credits

# check USER KEY: the command that takes the credit for one authentication.
check() { credit-charge --account "$1" --key "$2" --model authentication --flat; }

# transaction ID PACK: what StoreKit hands the app after a verified purchase.
transaction() {
  jws '{"transactionId":"'"$1"'","originalTransactionId":"'"$1"'","productId":"'"$packs.$2"'",
    "bundleId":"com.checkkicks","type":"Consumable","quantity":1,"inAppOwnershipType":"PURCHASED",
    "environment":"Xcode","signedDate":1768089600000}'
}

# buy USER ID PACK: the command that grants a verified purchase.
buy() { credit-topup --storekit --account "$1" <<<"$(transaction "$2" "$3")"; }

section 'Monetization Strategy'

criterion 'Each authentication costs 1 credit'
run check joe check-1
has '"creditsCharged":1,"newBalance":2'

criterion 'More credits = lower per-check price'
run credit-price --products --get pricePerCredit
is "${output//$'\n'/ }" '0.6990 0.5996 0.4998 0.3999'

section 'Credit Tiers'

criterion 'Free: 3 credits (lifetime)'
run credit-balance --account kim --get balance
is "$output" 3
for key in check-1 check-2 check-3; do run check kim $key; done
refuse 10 check kim check-4
run credit-account --account kim --get balance
is "$output" 0

for tier in 'Basic basic 10 6.99' 'Standard standard 25 14.99' 'Pro pro 60 29.99' \
  'Business business 150 59.99'; do
  read -r name pack credits price <<<"$tier"
  criterion "$name: $credits credits, \$$price"
  run credit-price --products
  has "\"id\":\"$packs.$pack\",\"name\":\"$name Credits ($credits)\",\"credits\":$credits,\"price\":\"$price\",\"currency\":\"USD\""
done

section 'Details'

criterion '3. Product Loading'
run credit-price --products --get id
is "${output//$'\n'/ }" "$packs.basic $packs.standard $packs.pro $packs.business"

criterion '4. Purchase Flow with Verification (Consumable)'
run buy kim 1001 basic
has '"creditsAdded":10,"newBalance":10'
refuse 13 credit-topup --storekit --account kim <<<'{"transactionId":"1002",
  "originalTransactionId":"1002","productId":"com.checkkicks.credits.basic","type":"Consumable",
  "bundleId":"com.checkkicks","environment":"Xcode"}'
has '"code":"unverified_transaction"'
is "$(balance kim)" 10

criterion '5. Credits Mapping Function'
run buy liz 1003 basic
run buy liz 1004 standard
run buy liz 1005 pro
run buy liz 1006 business
has '"creditsAdded":150,"newBalance":248'
refuse 12 buy liz 1007 platinum
has '"code":"unknown_product"'
is "$(balance liz)" 248

criterion '6. Transaction Updates Listener'
run credit-topup --account liz --transaction 1008 --product $packs.basic --status pending
run credit-topup --storekit --account liz --get newBalance <<END
$(transaction 1008 basic)
$(transaction 1006 business)
END
is "${output//$'\n'/ }" '258 248'
is "$(balance liz)" 258

criterion '7. Credit Usage (Deduct on Authentication)'
run check liz check-1
has '"newBalance":257'
refuse 10 credit-authorize --account zero --hold 4
for key in check-1 check-2 check-3; do run check zero $key; done
refuse 10 check zero check-4
has '"code":"insufficient_credits"'

criterion '8. Restore Purchases (REQUIRED by Apple)'
run credit-history --account liz --type purchase --status completed --limit 0 --get id
is "${output//$'\n'/ }" '1008 1006 1005 1004 1003'
run buy liz 1003 basic
has '"replayed":true'
is "$(balance liz)" 257

section '9. Edge Cases to Handle'

criterion 'Insufficient credits (show purchase screen)'
refuse 10 credit-authorize --account zero
has '"code":"insufficient_credits","status":403' '"balance":0'

criterion 'Offline mode (cache credits locally, sync when online)'
cat >offline <<'END'
{"account":"liz","key":"offline-1","model":"authentication"}
{"account":"liz","key":"offline-2","model":"authentication"}
END
run credit-charge --get newBalance <offline
is "${output//$'\n'/ }" '256 255'
run credit-charge --get replayed <offline
is "${output//$'\n'/ }" 'true true'
is "$(balance liz)" 255

criterion 'Interrupted purchases (handle .pending state)'
run credit-topup --account mat --transaction 2001 --product $packs.pro --status pending
has '"status":"pending"' '"creditsAdded":0,"newBalance":3'
run buy mat 2001 pro
has '"creditsAdded":60,"newBalance":63'
run credit-topup --account mat --transaction 2001 --product $packs.pro --status pending
has '"status":"completed"' '"replayed":true'
is "$(balance mat)" 63

criterion "Failed transactions (don't add credits)"
run credit-topup --account mat --transaction 2002 --product $packs.pro --status failed --reason declined
has '"status":"failed"' '"creditsAdded":0,"newBalance":63'

criterion 'Concurrent purchases (thread-safe credit updates)'
for id in 2101 2102 2103 2104 2105 2106 2107 2108; do
  buy mat $id basic >/dev/null &
  check mat check-$id >/dev/null &
done
wait
is "$(balance mat)" 135

section '10. Environment Integration'

criterion 'Check credits before each authentication'
run credit-authorize --account mat --get authorization.id
run credit-charge --authorization "$output" --model authentication --flat
has '"newBalance":134'

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
   "productID": "com.checkkicks.credits.business", "referenceName": "Business", "type": "Consumable"}]}
END
credit-price --import Products.storekit --product-credits $packs.basic=10 \
  --product-credits $packs.standard=25 --product-credits $packs.pro=60 \
  --product-credits $packs.business=150 >catalog.json 2>errors || fault "$(<errors)"
run credit-price --products --catalog catalog.json --get credits
is "${output//$'\n'/ }" '10 25 60 150'

criterion 'Test purchase flow for each tier in simulator'
run buy nia 3001 basic
run buy nia 3002 standard
run buy nia 3003 pro
run buy nia 3004 business

criterion 'Verify credits added correctly after purchase'
is "$(balance nia)" 248

criterion 'Test using credits (deduction works)'
run check nia check-1
is "$(balance nia)" 247

criterion 'Test insufficient credits shows purchase screen'
refuse 10 check zero check-5
has '"code":"insufficient_credits"'

criterion 'Test credits persist across app restarts (local + Supabase)'
rm -f "$CREDIT_STORE/index"
is "$(balance nia)" 247

criterion 'Test with no internet (cached credits work)'
run credit-balance --account nia
has '"balance":247,"available":247'

criterion 'Test multiple purchases accumulate credits'
run buy nia 3005 basic
run buy nia 3006 basic
has '"newBalance":267'

section 'Apple Review Requirements'

criterion '"Restore Purchases" button easily accessible'
run credit-history --account nia --type purchase --page --limit 1
has '"total":6,"limit":1'

criterion 'Clear pricing shown for each tier'
run credit-price --products --get price
is "${output//$'\n'/ }" '6.99 14.99 29.99 59.99'

criterion 'Credits balance displayed prominently'
is "$(balance nia)" 267

criterion 'All StoreKit errors handled gracefully'
refuse 65 credit-topup --storekit --account nia <<<'{"transactionId":"3007"'
has '"code":"invalid_json"'
refuse 13 credit-topup --storekit --account nia <<<'eyJh.eyJi.c2ln'
has '"code":"unverified_transaction"'

criterion 'No crashes on purchase failure'
is "$(balance nia)" 267

section 'Completion Criteria'

criterion 'All 4 credit pack products configured'
run credit-price --products --get id
is "$(wc -l <<<"$output")" 4

criterion 'Purchase flow works for all tiers'
run credit-history --account nia --type purchase --get productID
has "$packs.basic" "$packs.standard" "$packs.pro" "$packs.business"

criterion 'Credits correctly added after purchase'
run credit-history --account nia --type purchase --get credits
is "${output//$'\n'/ }" '10 10 150 60 25 10'

criterion 'Credit deduction works on authentication'
run check nia check-2
has '"newBalance":266'

criterion 'Credits synced to Supabase'
run credit-store export
has '"account":"nia"'

criterion 'Local caching for offline use'
run credit-store info
has "\"store\":\"$CREDIT_STORE\""

criterion 'account_exceptions: Developer/tester bypass'
run credit-account --account dev --exempt true
for key in check-1 check-2 check-3 check-4; do run check dev $key; done
has '"creditsCharged":0,"newBalance":3' '"exempt":true,"creditsWaived":1'

criterion 'credit_transactions: Purchase and usage history'
run credit-history --account nia --limit 0 --get type
is "${output//$'\n'/ }" 'usage purchase purchase usage purchase purchase purchase purchase starter'
run credit-store verify
has '"ok":true'

done_testing
