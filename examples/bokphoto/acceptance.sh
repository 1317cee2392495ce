#!/bin/bash
# Plays what the photo app's document asks: two free credits, one a processed image, packs from the App
# Store.
. "$(dirname "$0")/../acceptance.bash"

starter=com.bokphoto.credits.starter

# process USER KEY: the command that takes the credit for one processed image.
process() { credit-charge --account "$1" --key "$2" --model image --flat; }

# purchase ID PRODUCT: the body of the app's purchase request, with the transaction as JSON (iOS 26).
purchase() {
  local data='{\"transaction_id\":\"'$1'\",\"original_transaction_id\":\"'$1'\",\"product_id\":\"'$2'\"'
  printf '{"transaction_data":"%s,%s}","product_id":"%s"}\n' "$data" \
    '\"type\":\"Consumable\",\"bundle_id\":\"com.bokphoto\",\"environment\":\"Xcode\"' "$2"
}

# signed_purchase ID PRODUCT: the same, with the transaction as a JWT (iOS 15 to 17).
signed_purchase() {
  local data
  data=$(jws '{"transactionId":"'"$1"'","originalTransactionId":"'"$1"'","productId":"'"$2"'",
    "bundleId":"com.bokphoto","type":"Consumable","quantity":1,"environment":"Xcode",
    "signedDate":1762682400000}')
  printf '{"transaction_data":"%s","product_id":"%s"}\n' "$data" "$2"
}

section 'Manual Testing Checklist'

criterion 'New user receives 2 credits'
run credit-account --account anh
has '"balance":2' '{"kind":"starter","credits":2}'
run credit-account --account anh
has '"balance":2'

criterion 'Image processing deducts 1 credit'
run process anh image-1
has '"creditsCharged":1,"newBalance":1'

criterion 'Insufficient credits blocks processing'
run process anh image-2
refuse 10 credit-authorize --account anh
has '"code":"insufficient_credits","status":403' '"balance":0'
refuse 10 process anh image-3
is "$(balance anh)" 0

criterion 'Purchase flow works end-to-end'
run credit-topup --storekit --account anh < <(purchase 1001 $starter)
has '"creditsAdded":10,"newBalance":10'
run process anh image-3
has '"newBalance":9'

criterion 'Idempotency prevents duplicate credits'
run credit-topup --storekit --account anh < <(purchase 1001 $starter)
has '"replayed":true'
is "$(balance anh)" 9

criterion 'Transaction history displays correctly'
run credit-history --account anh --get type
is "${output//$'\n'/ }" 'usage purchase usage usage starter'
run credit-history --account anh --get credits
is "${output//$'\n'/ }" '-1 10 -1 -1 2'

criterion 'Credits balance updates across screens'
is "$(balance anh)" 9

section 'Business Rules'

criterion 'New User Registration: All new users receive 2 free credits upon registration.'
refuse 12 credit-authorize --account binh
has '"code":"unknown_account","status":404'
run credit-account --account binh --get balance
is "$output" 2

criterion 'Existing Users Migration: All existing users were updated to have 2 credits when migration ran.'
printf '{"account":"%s"}\n' chi dung giang >users
run credit-account --get balance <users
is "${output//$'\n'/ }" '2 2 2'
run process chi image-1
run credit-account --get balance <users
is "${output//$'\n'/ }" '1 2 2'

criterion 'Credit Deduction: Each successful image processing deducts 1 credit.'
run credit-authorize --account dung --get authorization.id
id=$output
is "$(balance dung)" 2
run credit-charge --authorization "$id" --model image --flat
has '"creditsCharged":1,"newBalance":1'
run credit-authorize --account dung --get authorization.id
run credit-authorize --void "$output"
is "$(balance dung)" 1

criterion 'Credit Check: Image processing is blocked if user has < 1 credit (returns 403 Forbidden with insufficient_credits error code).'
run process dung image-2
refuse 10 process dung image-3
has '"code":"insufficient_credits","status":403'

criterion 'Product Loading: backend API (for credits mapping)'
run credit-price --products --get credits
is "${output//$'\n'/ }" '10 50 100'

criterion 'Transaction Verification: iOS 26+: JSON string with transaction details'
run credit-topup --storekit --account giang < <(purchase 2001 $starter)
has '"id":"2001"' '"creditsAdded":10,"newBalance":12'

criterion 'Transaction Verification: iOS 15-17: JWT string from Transaction.jwsRepresentation'
run credit-topup --storekit --account giang < <(signed_purchase 2002 $starter)
has '"id":"2002"' '"creditsAdded":10,"newBalance":22'

criterion 'Idempotency: Uses original_transaction_id to prevent duplicate credit awards if purchase is processed multiple times.'
run credit-topup --storekit --account giang < <(signed_purchase 2001 $starter)
has '"newBalance":12' '"replayed":true'
is "$(balance giang)" 22

criterion 'Atomicity: Credit addition and transaction creation happen in a single transaction.'
run credit-history --account giang --type purchase --get balance
is "${output//$'\n'/ }" '22 12'
run credit-store verify
has '"ok":true'

section 'Transaction Types'

criterion 'purchase: Credits added from IAP purchase'
run credit-history --account anh --type purchase
has '"id":"1001"' '"type":"purchase","status":"completed","credits":10' "\"productID\":\"$starter\""

criterion 'usage: Credits deducted for image processing'
run credit-history --account anh --type usage --limit 1
has '"type":"usage","status":"completed","credits":-1,"balance":9' '"model":"image"'

criterion 'bonus: Credits added from promotions (future use)'
run credit-topup --account anh --key tet-2026 --type bonus --credits 5
run credit-history --account anh --type bonus
has '"credits":5,"balance":14'

section 'Transaction Status'

criterion 'completed: Transaction successfully processed'
run credit-history --account anh --status completed --page
has '"total":6'

criterion 'pending: Transaction in progress (not used currently)'
run credit-topup --account anh --transaction 1002 --product $starter --status pending
run credit-history --account anh --status pending
has '"id":"1002"' '"status":"pending","credits":10,"balance":14'

criterion 'failed: Transaction failed (not used currently)'
run credit-topup --account anh --transaction 1003 --product $starter --status failed --reason cancelled
run credit-history --account anh --status failed --get reason
is "$output" cancelled

criterion 'refunded: Transaction refunded by Apple (future handling)'
run credit-refund --transaction 1001 --reason Apple
has '"creditsRefunded":10,"newBalance":4'
run credit-history --account anh --status refunded --get id
is "$output" 1001

section 'Default IAP Products'

criterion 'Starter Pack: Credits: 10, Display Order: 1'
run credit-price --products
has '"id":"com.bokphoto.credits.starter","name":"Starter Pack"' '"credits":10' '"displayOrder":1'

criterion 'Popular Pack: Credits: 50, Display Order: 2'
has '"id":"com.bokphoto.credits.popular","name":"Popular Pack","credits":50' '"displayOrder":2'

criterion 'Best Value Pack: Credits: 100, Display Order: 3'
has '"id":"com.bokphoto.credits.bestvalue","name":"Best Value Pack","credits":100' '"displayOrder":3'

section 'API Endpoints'

criterion 'GET /v1/credits/balance'
run credit-balance --account binh --get balance
is "$output" 2

criterion 'GET /v1/credits/transactions'
run credit-history --account anh --page --limit 2 --offset 0
has '{"transactions":[{"id":"' '"limit":2,"offset":0}'
run credit-history --account anh --page --limit 100 --type purchase --status pending
has '"total":1,"limit":100,"offset":0}'

criterion 'POST /v1/credits/purchase'
run credit-topup --storekit --account binh < <(purchase 3001 $starter)
has '"creditsAdded":10,"newBalance":12'

criterion '400 Bad Request: Invalid transaction data'
refuse 13 credit-topup --storekit --account binh <<<'{"transaction_data":"eyJh.bm8.bm8",
  "product_id":"com.bokphoto.credits.starter"}'
has '"code":"unverified_transaction","status":400'

criterion '409 Conflict: Transaction already processed (idempotency)'
refuse 11 credit-topup --strict --storekit --account binh < <(purchase 3001 $starter)
has '"code":"duplicate_transaction","status":409'

criterion '404 Not Found: IAP product not found'
refuse 12 credit-topup --storekit --account binh < <(purchase 3002 com.bokphoto.credits.mega)
has '"code":"unknown_product","status":404'
is "$(balance binh)" 12

criterion 'GET /v1/iap/products'
run credit-price --products
has '"description":"10 credits to get started","credits":10,"price":"0.99","currency":"USD"'

section 'Error Handling'

criterion 'Insufficient Credits'
refuse 10 credit-authorize --account dung
has '"code":"insufficient_credits","status":403'

criterion 'User Cancelled'
run credit-topup --account dung --transaction 4001 --product $starter --status failed \
  --reason userCancelled
is "$(balance dung)" 0

criterion 'Verification Failed'
refuse 13 credit-topup --storekit --account dung <<<"$(jws '{"transactionId":"4002",
  "originalTransactionId":"4002","productId":"com.bokphoto.credits.starter","bundleId":"com.other",
  "type":"Consumable","environment":"Xcode","signedDate":1762682400000}')"
has '"code":"unverified_transaction"' '"reason":'
is "$(balance dung)" 0

criterion 'Purchase Failed'
run credit-topup --account dung --transaction 4003 --product $starter --status failed --reason purchaseFailed
is "$(balance dung)" 0

criterion 'Pending'
run credit-topup --account dung --transaction 4004 --product $starter --status pending
is "$(balance dung)" 0
run credit-topup --storekit --account dung < <(purchase 4004 $starter)
has '"creditsAdded":10,"newBalance":10'

criterion 'Duplicate Transaction'
refuse 11 credit-topup --strict --storekit --account dung < <(purchase 4004 $starter)
has '"code":"duplicate_transaction","status":409'
refuse 11 credit-topup --storekit --account binh < <(purchase 4004 $starter)
has '"code":"idempotency_conflict","status":409'
lacks dung

section 'Security Considerations'

criterion 'Auth Required: accounts are registered first'
refuse 12 credit-topup --account nobody --transaction 5001 --product $starter
has '"code":"unknown_account"'

criterion 'Server-Side Validation: Credits deduction enforced server-side, not client-side'
run credit-charge --model image \
  <<<'{"account":"binh","key":"image-9","credits":0,"creditsCharged":0,"balance":99}'
has '"creditsCharged":1,"newBalance":11'

criterion 'Transaction Verification: Backend verifies all transaction data before awarding credits'
refuse 65 credit-topup --storekit --account binh < <(purchase 5002 $starter |
  sed 's/"product_id":"com.bokphoto.credits.starter"}$/"product_id":"com.bokphoto.credits.bestvalue"}/')
has '"code":"invalid_request","status":400'
is "$(balance binh)" 11

section 'Acceptance Criteria'

criterion 'New users receive 2 free credits upon registration'
run credit-account --account khanh
has '"balance":2'

criterion 'Existing users have 2 credits (migration applied)'
run credit-account --account lan --get balance
is "$output" 2
run credit-topup --key gift-1 --credits 2 --type bonus --get newBalance \
  < <(credit-balance --all --below 3)
run credit-topup --key gift-1 --credits 2 --type bonus --get replayed \
  <<<'{"account":"khanh"}{"account":"lan"}'
is "${output//$'\n'/ }" 'true true'
is "$(balance lan)" 4

criterion 'Image processing deducts 1 credit per successful generation'
run process khanh image-1
run process khanh image-1
has '"newBalance":3' '"replayed":true'
is "$(balance khanh)" 3

criterion 'Insufficient credits error blocks processing and shows alert'
for key in image-2 image-3 image-4; do run process khanh $key; done
refuse 10 process khanh image-5
has '"code":"insufficient_credits","status":403' '"balance":0'

criterion 'Purchase flow works end-to-end (StoreKit → Backend → Credits added)'
run credit-topup --storekit --account khanh < <(signed_purchase 6001 com.bokphoto.credits.popular)
has '"creditsAdded":50,"newBalance":50'

criterion 'Idempotency prevents duplicate credit awards'
for _ in 1 2 3 4; do
  credit-topup --storekit --account khanh >/dev/null \
    < <(signed_purchase 6001 com.bokphoto.credits.popular) &
done
wait
is "$(balance khanh)" 50

criterion 'Transaction history displays correctly with filters'
run credit-history --account khanh --type usage --page
has '"total":4'
run credit-history --account khanh --search 6001 --get id
is "$output" 6001
run credit-history --account khanh --search bokphoto.credits.popular --get credits
is "$output" 50

criterion 'Credits balance displayed in ImageProcessingView header and ProfileView'
run credit-balance --account khanh --get balance
is "$output" 50

criterion 'Web CMS displays IAP products and transaction history'
run credit-price --products --get name
is "$output" $'Starter Pack\nPopular Pack\nBest Value Pack'
run credit-history --all --type purchase --page --limit 5
has '"account":"khanh"' '"limit":5,"offset":0}'

section 'Future Enhancements'

criterion 'Bonus Credits: Promotional credits system'
run credit-topup --account khanh --key launch --type bonus --credits 3 --expires-in 30d
has '"type":"bonus"' '"expiresAt":' '"newBalance":53'

criterion 'Transaction Refunds: Handle Apple refunds and deduct credits'
run credit-refund --transaction 6001
has '"creditsRefunded":50,"newBalance":3'
run credit-refund --transaction 6001
has '"newBalance":3' '"replayed":true'

done_testing
