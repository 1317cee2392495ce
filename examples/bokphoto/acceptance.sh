#!/bin/bash
# Plays the requirements of the photo app's document: two free credits, one a processed image, packs from the App
# Store.
. "$(dirname "$0")/../qa/harness.bash"
. "$here/../appstore.bash"
store "$here/policy.json"

starter=com.bokphoto.credits.starter
pro=com.bokphoto.pro.monthly

# process USER KEY: the command that takes the credit for one processed image.
process() { credit-charge --account "$1" --key "$2" --model image --flat; }

# purchase ID PRODUCT: the body of the app's purchase request, with the transaction as JSON (iOS 26).
purchase() {
  local data='{\"transaction_id\":\"'$1'\",\"original_transaction_id\":\"'$1'\",\"product_id\":\"'$2'\"'
  printf '{"transaction_data":"%s,%s}","product_id":"%s"}\n' "$data" \
    '\"type\":\"Consumable\",\"bundle_id\":\"com.bokphoto\",\"environment\":\"Xcode\"' "$2"
}

# transaction ID PRODUCT [BUNDLE [MEMBER,]]: a transaction of StoreKit.
transaction() {
  printf '%s\n' '{"transactionId":"'"$1"'","originalTransactionId":"'"$1"'","productId":"'"$2"'",
    "bundleId":"'"${3:-com.bokphoto}"'",'"${4-}"'"type":"Consumable","quantity":1,"environment":"Xcode",
    "signedDate":1762682400000}'
}

# renewal ID FROM UNTIL [MEMBER,]: a transaction of the subscription that began with 7001. The times are of
# the system's clock, FROM and UNTIL in days from now.
renewal() {
  local now
  now=$(date +%s)
  printf '%s\n' '{"transactionId":"'"$1"'","originalTransactionId":"7001","productId":"'"$pro"'",
    "bundleId":"com.bokphoto",'"${4-}"'"type":"Auto-Renewable Subscription","quantity":1,
    "purchaseDate":'"$((now + $2 * 86400))"'000,"expiresDate":'"$((now + $3 * 86400))"'000,
    "inAppOwnershipType":"PURCHASED","price":9990,"currency":"USD","environment":"Xcode",
    "signedDate":1762682400000}'
}

# body JWT PRODUCT: the body of the app's purchase request, with the transaction as a JWT (iOS 15 to 17).
body() { printf '{"transaction_data":"%s","product_id":"%s"}\n' "$1" "$2"; }

# signed_purchase ID PRODUCT: the same for a new transaction.
signed_purchase() { body "$(jws "$(transaction "$1" "$2")")" "$2"; }

# notification TYPE UUID TRANSACTION: Apple's server notifies the app's.
notification() {
  printf '{"signedPayload":"%s"}\n' "$(jws '{"notificationType":"'"$1"'","notificationUUID":"'"$2"'",
    "version":"2.0","signedDate":1762768800000,"data":{"bundleId":"com.bokphoto","environment":"Xcode",
    "signedTransactionInfo":"'"$(jws "$3")"'"}}')"
}

# purchases NAME: 60 purchases of 10 credits, with transaction ids of that name.
purchases() {
  for number in {1..60}; do purchase "$1-$number" $starter; done
}

# images ACCOUNT NAME COUNT: requests for that many processed images, with keys of that name.
images() {
  for ((number = 1; number <= $3; number++)); do
    printf '{"account":"%s","key":"%s","model":"image"}\n' "$1" "$2-$number"
  done
}

section 'Manual Testing Checklist'

criterion 'New user receives 2 credits'
run credit-account --account anh
expect '"balance":2' '{"kind":"starter","credits":2}'
run credit-account --account anh
expect '"balance":2'

criterion 'Image processing deducts 1 credit'
run process anh image-1
expect '"creditsCharged":1,"newBalance":1'

criterion 'Insufficient credits blocks processing'
run process anh image-2
refuse 10 credit-authorize --account anh
expect '"code":"insufficient_credits","status":403' '"balance":0'
refuse 10 process anh image-3
expect_balance anh 0

criterion 'Purchase flow works end-to-end'
run credit-topup --storekit --account anh < <(purchase 1001 $starter)
expect '"creditsAdded":10,"newBalance":10'
run process anh image-3
expect '"newBalance":9'

criterion 'Idempotency prevents duplicate credits'
run credit-topup --storekit --account anh < <(purchase 1001 $starter)
expect '"replayed":true'
expect_balance anh 9

criterion 'Transaction history displays correctly'
run credit-history --account anh --get type
expect_lines usage purchase usage usage starter
run credit-history --account anh --get credits
expect_lines -1 10 -1 -1 2

criterion 'Credits balance updates across screens'
expect_balance anh 9
for screen in 'credit-authorize' 'credit-account' 'credit-history --limit 1'; do
  run $screen --account anh --get balance
  expect_output 9
done

section 'Business Rules'

criterion 'New User Registration: All new users receive 2 free credits upon registration.'
refuse 12 credit-authorize --account binh
expect '"code":"unknown_account","status":404'
run credit-account --account binh --get balance
expect_output 2

criterion 'Existing Users Migration: All existing users were updated to have 2 credits when migration ran.'
printf '{"account":"%s"}\n' chi dung giang >users
run credit-account --get balance <users
expect_lines 2 2 2
run process chi image-1
run credit-account --get balance <users
expect_lines 1 2 2
# Accounts from before the free credits get them; accounts that were given some keep those.
policy 's/"starterCredits": 2,/"starterCredits": 0,/'
printf '{"account":"%s"}\n' old-1 old-2 >users
run credit-account --get balance <users
expect_lines 0 0
run credit-topup --account old-2 --key welcome --type bonus --credits 2
for _ in 1 2; do
  run credit-topup --key migration --type bonus --credits 2 --below 2 --get transaction.account,skipped <users
  expect_lines $'old-1\t' $'\ttrue'
  run credit-account --get balance <users
  expect_lines 2 2
done
policy ''

criterion 'Credit Deduction: Each successful image processing deducts 1 credit.'
run credit-authorize --account dung --get authorization.id
id=$output
expect_balance dung 2
run credit-charge --authorization "$id" --model image --flat
expect '"creditsCharged":1,"newBalance":1'
run credit-authorize --account dung --get authorization.id
run credit-authorize --void "$output"
expect_balance dung 1

criterion 'Credit Check: Image processing is blocked if user has < 1 credit (returns 403 Forbidden with insufficient_credits error code).'
run process dung image-2
refuse 10 process dung image-3
expect '"code":"insufficient_credits","status":403'
run credit-account --account minh
for image in image-1 image-2 image-3; do run credit-authorize --account minh --authorization $image; done
run credit-charge --authorization image-1 --model image --flat
run credit-charge --authorization image-2 --model image --flat
refuse 10 credit-charge --authorization image-3 --model image --flat
expect '"code":"insufficient_credits","status":403' '"balance":0'
expect_balance minh 0
run credit-topup --storekit --account minh < <(purchase 1101 $starter)
run credit-charge --authorization image-3 --model image --flat
expect '"newBalance":9'

criterion 'Product Loading: backend API (for credits mapping)'
run credit-price --products --get credits,plan
expect_lines $'10\t' $'50\t' $'100\t' $'\tpro'

if criterion 'Transaction Verification: Backend verifies transaction data' openssl version; then
  app_store
  run credit-account --store sandbox --account giang
  bought=$(transaction 2000 $starter)
  refuse_fakes giang "$bought" "$(transaction 2000 $starter com.example.other)" body $starter
  expect_equal "$(credit-balance --store sandbox --account giang --get balance)" 2
  run credit-topup --store sandbox --storekit --account giang < <(body "$(signed "$bought")" $starter)
  expect '"id":"2000"' '"creditsAdded":10,"newBalance":12'
fi

criterion 'Transaction Verification: iOS 26+: JSON string with transaction details'
run credit-topup --storekit --account giang < <(purchase 2001 $starter)
expect '"id":"2001"' '"creditsAdded":10,"newBalance":12'

criterion 'Transaction Verification: iOS 15-17: JWT string from Transaction.jwsRepresentation'
run credit-topup --storekit --account giang < <(signed_purchase 2002 $starter)
expect '"id":"2002"' '"creditsAdded":10,"newBalance":22'

criterion 'Idempotency: Uses original_transaction_id to prevent duplicate credit awards if purchase is processed multiple times.'
run credit-topup --storekit --account giang < <(signed_purchase 2001 $starter)
expect '"newBalance":12' '"replayed":true'
expect_balance giang 22
again=$(transaction 2003 $starter | sed 's/"originalTransactionId":"2003"/"originalTransactionId":"2001"/')
run credit-topup --storekit --account giang < <(body "$(jws "$again")" $starter)
expect '"id":"2001"' '"newBalance":12' '"replayed":true'
refuse 11 credit-topup --storekit --account chi < <(body "$(jws "$again")" $starter)
expect '"code":"idempotency_conflict","status":409'
expect_balance giang 22

criterion 'Atomicity: Credit addition and transaction creation happen in a single transaction.'
run credit-history --account giang --type purchase --get balance
expect_lines 22 12
run credit-account --account an
for round in 1 2 3; do
  purchases kill-$round >purchases
  interrupt purchases credit-topup --storekit --account an
  bought=$(credit-history --account an --type purchase --page --get total)
  expect_balance an $((2 + bought * 10))
  expect_equal "$(books an)" $((2 + bought * 10))
  expect_equal "$(unrecorded an)" ''
  run credit-topup --storekit --account an <purchases
  expect_balance an $((2 + round * 600))
done
purchases full >purchases
refuse 74 fill purchases credit-topup --storekit --account an
expect '"code":"io_error"' '"outcome":"none"'
expect_balance an 1802
expect_equal "$(books an)" 1802
run credit-topup --storekit --account an <purchases
expect_balance an 2402
purchases both >purchases
images an both 60 >images
credit-topup --storekit --account an <purchases >/dev/null &
credit-charge <images >/dev/null &
wait
expect_balance an 2942
expect_equal "$(books an)" 2942
images an kill 60 >images
interrupt images credit-charge
processed=$(credit-history --account an --type usage --page --get total)
expect_balance an $((3002 - processed))
expect_equal "$(books an)" $((3002 - processed))
expect_equal "$(unrecorded an)" ''
run credit-charge <images
expect_balance an 2882
run credit-store verify
expect '"ok":true'

section 'Transaction Types'

criterion 'purchase: Credits added from IAP purchase'
run credit-history --account anh --type purchase
expect '"id":"1001"' '"type":"purchase","status":"completed","credits":10' "\"productID\":\"$starter\""

criterion 'usage: Credits deducted for image processing'
run credit-history --account anh --type usage --limit 1
expect '"type":"usage","status":"completed","credits":-1,"balance":9' '"model":"image"'

criterion 'bonus: Credits added from promotions (future use)'
run credit-topup --account anh --key tet-2026 --type bonus --credits 5
run credit-history --account anh --type bonus
expect '"credits":5,"balance":14'

section 'Transaction Status'

criterion 'completed: Transaction successfully processed'
run credit-history --account anh --status completed --page
expect '"total":6'

criterion 'pending: Transaction in progress (not used currently)'
run credit-topup --account anh --transaction 1002 --product $starter --status pending
run credit-history --account anh --status pending
expect '"id":"1002"' '"status":"pending","credits":10,"balance":14'

criterion 'failed: Transaction failed (not used currently)'
run credit-topup --account anh --transaction 1003 --product $starter --status failed --reason cancelled
run credit-history --account anh --status failed --get reason
expect_output cancelled

criterion 'refunded: Transaction refunded by Apple (future handling)'
run credit-refund --transaction 1001 --reason Apple
expect '"creditsRefunded":10,"newBalance":4'
run credit-history --account anh --status refunded --get id
expect_output 1001
run credit-account --account nga
run credit-topup --storekit --account nga < <(signed_purchase 1102 $starter)
run credit-charge < <(images nga image 11)
revoked=$(transaction 1102 $starter com.bokphoto '"revocationDate":1762768800000,"revocationReason":0,')
run credit-topup --storekit --account nga < <(body "$(jws "$revoked")" $starter)
expect '"id":"1102"' '"status":"refunded"' '"creditsRefunded":10,"newBalance":-9'
run credit-topup --storekit --account nga < <(body "$(jws "$revoked")" $starter)
expect '"replayed":true'
refuse 10 process nga image-12
run credit-topup --storekit --account nga < <(signed_purchase 1102 $starter)
expect '"replayed":true'
expect_balance nga -9

section 'Default IAP Products'

criterion 'Starter Pack: Credits: 10, Display Order: 1'
run credit-price --products
expect '"id":"com.bokphoto.credits.starter","name":"Starter Pack"' '"credits":10,"price":"0.99"' \
  '"displayOrder":1'

criterion 'Popular Pack: Credits: 50, Display Order: 2'
expect '"id":"com.bokphoto.credits.popular","name":"Popular Pack","credits":50' '"displayOrder":2'

criterion 'Best Value Pack: Credits: 100, Display Order: 3'
expect '"id":"com.bokphoto.credits.bestvalue","name":"Best Value Pack","credits":100' '"displayOrder":3'

section 'API Endpoints'

criterion 'GET /v1/credits/balance'
run credit-balance --account binh --get balance
expect_output 2

criterion 'GET /v1/credits/transactions'
run credit-history --account anh --page --limit 2 --offset 0
expect '{"transactions":[{"id":"' '"limit":2,"offset":0}'
run credit-history --account anh --page --limit 100 --type purchase --status pending
expect '"total":1,"limit":100,"offset":0}'
run credit-account --account hai
run credit-topup --account hai --key tet-2026 --type bonus --credits 50
run credit-charge < <(images hai image 41)
run credit-history --account hai --limit 0 --get id
lines=$output
expect_equal "$(wc -l <<<"$lines")" 43
run credit-history --account hai --get id
expect_output "$(head -n 20 <<<"$lines")"
run credit-history --account hai --page
expect '"total":43,"limit":20,"offset":0}'
expect_equal "$(grep -o '"type":' <<<"$output" | wc -l)" 20
run credit-history --account hai --offset 20 --get id
expect_output "$(sed -n 21,40p <<<"$lines")"
run credit-history --account hai --limit 5 --offset 40 --get id
expect_output "$(sed -n 41,43p <<<"$lines")"
run credit-history --account hai --page --limit 5 --offset 43
expect_output '{"transactions":[],"total":43,"limit":5,"offset":43}'
run credit-history --account hai --page --type usage --limit 2 --offset 40
expect '"total":41,"limit":2,"offset":40}' "\"id\":\"$(sed -n 41p <<<"$lines")\""
expect_no "\"id\":\"$(sed -n 40p <<<"$lines")\""

criterion 'POST /v1/credits/purchase'
run credit-topup --storekit --account binh < <(purchase 3001 $starter)
expect '"creditsAdded":10,"newBalance":12'

criterion '400 Bad Request: Invalid transaction data'
refuse 13 credit-topup --storekit --account binh <<<'{"transaction_data":"eyJh.bm8.bm8",
  "product_id":"com.bokphoto.credits.starter"}'
expect '"code":"unverified_transaction","status":400'

criterion '409 Conflict: Transaction already processed (idempotency)'
refuse 11 credit-topup --strict --storekit --account binh < <(purchase 3001 $starter)
expect '"code":"duplicate_transaction","status":409'

criterion '404 Not Found: IAP product not found'
refuse 12 credit-topup --storekit --account binh < <(purchase 3002 com.bokphoto.credits.mega)
expect '"code":"unknown_product","status":404'
expect_balance binh 12

criterion 'GET /v1/iap/products'
run credit-price --products
expect '"description":"10 credits to get started","credits":10,"price":"0.99","currency":"USD"'

section 'Error Handling'

criterion 'Insufficient Credits'
refuse 10 credit-authorize --account dung
expect '"code":"insufficient_credits","status":403'

criterion 'User Cancelled'
run credit-topup --account dung --transaction 4001 --product $starter --status failed \
  --reason userCancelled
expect_balance dung 0

criterion 'Verification Failed'
refuse 13 credit-topup --storekit --account dung <<<"$(jws '{"transactionId":"4002",
  "originalTransactionId":"4002","productId":"com.bokphoto.credits.starter","bundleId":"com.other",
  "type":"Consumable","environment":"Xcode","signedDate":1762682400000}')"
expect '"code":"unverified_transaction"' '"reason":'
expect_balance dung 0

criterion 'Purchase Failed'
run credit-topup --account dung --transaction 4003 --product $starter --status failed --reason purchaseFailed
expect_balance dung 0

criterion 'Pending'
run credit-topup --account dung --transaction 4004 --product $starter --status pending
expect_balance dung 0
run credit-topup --storekit --account dung < <(purchase 4004 $starter)
expect '"creditsAdded":10,"newBalance":10'

criterion 'Duplicate Transaction'
refuse 11 credit-topup --strict --storekit --account dung < <(purchase 4004 $starter)
expect '"code":"duplicate_transaction","status":409'
refuse 11 credit-topup --storekit --account binh < <(purchase 4004 $starter)
expect '"code":"idempotency_conflict","status":409'
expect_no dung

section 'Security Considerations'

criterion 'Auth Required: accounts are registered first'
refuse 12 credit-topup --account nobody --transaction 5001 --product $starter
expect '"code":"unknown_account"'

criterion 'Server-Side Validation: Credits deduction enforced server-side, not client-side'
run credit-charge --model image \
  <<<'{"account":"binh","key":"image-9","credits":0,"creditsCharged":0,"balance":99}'
expect '"creditsCharged":1,"newBalance":11'

criterion 'Transaction Verification: Backend verifies all transaction data before awarding credits'
refuse 65 credit-topup --storekit --account binh < <(purchase 5002 $starter |
  sed 's/"product_id":"com.bokphoto.credits.starter"}$/"product_id":"com.bokphoto.credits.bestvalue"}/')
expect '"code":"invalid_request","status":400'
expect_balance binh 11

section 'Acceptance Criteria'

criterion 'New users receive 2 free credits upon registration'
run credit-account --account khanh
expect '"balance":2'

criterion 'Existing users have 2 credits (migration applied)'
run credit-account --account lan --get balance
expect_output 2
run credit-balance --all --below 3 --get account
expect_output "$(credit-balance --all --get account,balance | awk '$2 < 3 { print $1 }')"
expect khanh lan
expect_no hai
before=$(balance hai)
run credit-topup --key gift-1 --credits 2 --type bonus --get newBalance \
  < <(credit-balance --all --below 3)
expect_balance hai "$before"
run credit-topup --key gift-1 --credits 2 --type bonus --get replayed \
  <<<'{"account":"khanh"}{"account":"lan"}'
expect_lines true true
expect_balance lan 4

criterion 'Image processing deducts 1 credit per successful generation'
run process khanh image-1
run process khanh image-1
expect '"newBalance":3' '"replayed":true'
expect_balance khanh 3

criterion 'Insufficient credits error blocks processing and shows alert'
for key in image-2 image-3 image-4; do run process khanh $key; done
refuse 10 process khanh image-5
expect '"code":"insufficient_credits","status":403' '"balance":0'

criterion 'Purchase flow works end-to-end (StoreKit → Backend → Credits added)'
run credit-topup --storekit --account khanh < <(signed_purchase 6001 com.bokphoto.credits.popular)
expect '"creditsAdded":50,"newBalance":50'

criterion 'Idempotency prevents duplicate credit awards'
for _ in 1 2 3 4; do
  credit-topup --storekit --account khanh >/dev/null \
    < <(signed_purchase 6001 com.bokphoto.credits.popular) &
done
wait
expect_balance khanh 50

criterion 'Transaction history displays correctly with filters'
run credit-history --account khanh --type usage --page
expect '"total":4'
run credit-history --account khanh --type purchase --search 6001 --get id
expect_output 6001
run credit-history --account khanh --search bokphoto.credits.popular --get credits
expect_output 50

criterion 'Credits balance displayed in ImageProcessingView header and ProfileView'
run credit-balance --account khanh --get balance
expect_output 50

criterion 'Web CMS displays IAP products and transaction history'
run credit-price --products --get name
expect_output $'Starter Pack\nPopular Pack\nBest Value Pack\nPro'
run credit-history --all --type purchase --page --limit 5
expect '"account":"khanh"' '"limit":5,"offset":0}'

criterion 'IAP Products Page: Lists all active IAP products'
policy 's/"products": \[/&{"id": "com.bokphoto.credits.old", "name": "Old Pack", "credits": 7, "active": false},/'
run credit-price --products --get id
expect_lines $starter com.bokphoto.credits.popular com.bokphoto.credits.bestvalue $pro
run credit-topup --storekit --account lan < <(purchase 6002 com.bokphoto.credits.old)
expect '"creditsAdded":7,"newBalance":11'
policy ''
refuse 12 credit-topup --storekit --account lan < <(purchase 6003 com.bokphoto.credits.old)
expect '"code":"unknown_product"'

criterion 'IAP Products Page: Displays: Product ID, Name, Description, Credits, Price, Display Order'
policy 's/"displayOrder": 1$/"displayOrder": 5/'
run credit-price --products --get id,name,description,credits,price,displayOrder
expect_lines $'com.bokphoto.credits.popular\tPopular Pack\t\t50\t\t2' \
  $'com.bokphoto.credits.bestvalue\tBest Value Pack\t\t100\t\t3' \
  "$pro"$'\tPro\t200 images a month\t\t9.99\t4' \
  "$starter"$'\tStarter Pack\t10 credits to get started\t10\t0.99\t5'
policy ''

section 'Future Enhancements'

criterion 'Subscription Products: Support for auto-renewable subscriptions'
run credit-account --account phuong
first=$(jws "$(renewal 7001 -20 10)")
run credit-topup --storekit --account phuong < <(body "$first" $pro)
expect '"type":"subscription"' '"creditsAdded":0,"newBalance":202,"plan":"pro","until":'
run credit-topup --storekit --account phuong < <(body "$first" $pro)
expect '"newBalance":202' '"replayed":true'
run credit-charge < <(images phuong plan 150)
run credit-balance --account phuong --get plan,balance,quota.remaining
expect_output $'pro\t52\t50'
# Each renewal has its own id, and begins a new quota; Apple's notification of it names no account.
renewed=$(notification DID_RENEW 5a0c2f3e-7d1b-4c6a-9a58-0d1f6b7e2c11 "$(renewal 7002 10 40)")
run credit-topup --storekit <<<"$renewed"
expect '"id":"7002","account":"phuong"' '"newBalance":202,"plan":"pro"'
run credit-topup --storekit <<<"$renewed"
expect '"replayed":true'
# Late transactions, and those of a second device, have no effect.
run credit-topup --storekit --account phuong < <(body "$(jws "$(renewal 7000 -50 -20)")" $pro)
expect '"newBalance":202'
expect_balance phuong 202
run credit-history --account phuong --type subscription --get id
expect_lines 7000 7002 7001
run credit-balance --account phuong --at "$(credit-balance --account phuong --get graceUntil)" \
  --get plan,balance
expect_output $'\t2'
# A refund by Apple ends it at once.
run credit-topup --storekit < <(notification REFUND 0b8f43b0-2c58-4d6e-8d9b-6a1f0c9e7d22 \
  "$(renewal 7002 10 40 '"revocationDate":1762768800000,"revocationReason":0,')")
expect '"id":"7002","account":"phuong"' '"status":"refunded"' '"newBalance":2,"refundedPrice":"9.99"'
run credit-balance --account phuong --get plan,balance
expect_output $'\t2'

criterion 'Bonus Credits: Promotional credits system'
run credit-topup --account khanh --key launch --type bonus --credits 3 --expires-in 30d
expect '"type":"bonus"' '"expiresAt":' '"newBalance":53'
run credit-history --account khanh --type bonus --limit 1 --get expiresAt
run credit-balance --account khanh --at "$output" --get balance
expect_output 50

criterion 'Transaction Refunds: Handle Apple refunds and deduct credits'
run credit-refund --transaction 6001
expect '"creditsRefunded":50,"newBalance":3'
run credit-refund --transaction 6001
expect '"newBalance":3' '"replayed":true'
run credit-topup --storekit --account khanh < <(signed_purchase 6004 $starter)
run credit-charge < <(images khanh spent 12)
expect_balance khanh 1
refund=$(notification REFUND 002e14d5-51f5-4503-b5a8-c3a1af68eb20 \
  "$(transaction 6004 $starter com.bokphoto '"revocationDate":1762768800000,"revocationReason":0,')")
run credit-topup --storekit <<<"$refund"
expect '"id":"6004","account":"khanh"' '"status":"refunded"' '"creditsRefunded":10,"newBalance":-9'
run credit-topup --storekit <<<"$refund"
expect '"replayed":true'
expect_balance khanh -9
refuse 10 credit-authorize --account khanh
expect_balanced

done_testing
