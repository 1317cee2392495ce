#!/bin/bash
# A scenario to copy: a plan of 100 credits a month, packs of 50 for users who want more, and no
# credits below 0. An image costs 1, a poster 10. Each criterion has its requirement
# as its name; the clock is the scenario's own.
. "$(dirname "$0")/harness.bash"

# The policy of the app under test, and a clock that `at` and `later` set. For a policy that
# is in a file beside the script: store "$here/policy.json"
store <<'END'
{
  "version": 1,
  "clock": "simulated",
  "starterCredits": 0,
  "overdraft": "deny",
  "models": [{"id": "image", "creditsPerRequest": 1}, {"id": "poster", "creditsPerRequest": 10}],
  "plans": [{"id": "basic", "quota": 100, "period": "month"}],
  "products": [{"id": "pack.50", "credits": 50, "price": "4.99", "currency": "USD"}]
}
END

# What the app does, in its own words. Every call has a key, so that it counts once.

# draw COUNT: requests for that many images of ana, each with a key of its own.
draw() {
  for ((image = 1; image <= $1; image++)); do
    printf '{"account":"ana","key":"%s-%d","model":"image"}\n' "$CREDIT_NOW" $image
  done
}

# buy ACCOUNT TRANSACTION: a pack of 50.
buy() { credit-topup --account "$1" --transaction "$2" --product pack.50; }

section 'The month'

at 2026-03-10T09:00:00Z

criterion 'A plan grants its quota for the rest of the month'
run credit-account --account ana --plan basic
expect '"balance":100' '"resetsAt":"2026-04-01T00:00:00.000Z"'

criterion 'A pack adds 50 credits, once'
run buy ana 1001
expect '"creditsAdded":50,"newBalance":150'
run buy ana 1001
expect '"newBalance":150' '"replayed":true'

criterion 'The quota is used before what was bought'
later 1h
run credit-charge < <(draw 30)
run credit-balance --account ana
expect '"balance":120' '{"kind":"quota","credits":70,' '{"kind":"purchased","credits":50}'

criterion 'The same requests again move nothing'
run credit-charge < <(draw 30)
expect '"replayed":true'
expect_balance ana 120

criterion 'What is not there is refused, and nothing is taken'
later 1d
run credit-charge < <(draw 115)
refuse 10 credit-charge --account ana --key poster-1 --model poster --flat
expect '"code":"insufficient_credits","status":403' '"balance":5'
expect_balance ana 5
later 1h
refuse 10 credit-charge --get newBalance < <(draw 6)
expect_lines 4 3 2 1 0
expect_error 'account "ana" has 0 credits; top up to continue'
expect_equal "$(credit-history --account ana --type usage --page --get total)" 150

section 'The next month'

criterion 'On the first the quota starts again; what was bought stays'
run buy ana 1002
at 2026-04-01T00:00:00Z
run credit-balance --account ana
expect '"balance":150' '"used":0,"remaining":100' '{"kind":"purchased","credits":50}'

criterion 'What is left of a quota lapses with its month'
run credit-charge < <(draw 10)
at 2026-05-01T00:00:00Z
expect_balance ana 150
run credit-history --account ana --since 2026-05-01 --get type,credits
expect_lines $'quota\t100' $'expiry\t-90'

criterion 'A gift is used first, for as long as it lasts'
run credit-topup --account ana --key spring --type bonus --credits 20 --expires-in 7d
run credit-charge < <(draw 5)
run credit-balance --account ana
expect '"balance":165' '{"kind":"bonus","credits":15,"grant":' '"expiresAt":"2026-05-08T00:00:00.000Z"}'
later 7d
expect_balance ana 150

section 'In the end'

criterion 'The books add up'
expect_balanced

done_testing
