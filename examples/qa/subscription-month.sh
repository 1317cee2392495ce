#!/bin/bash
# A scenario to copy: a subscriber's January, day by day, in a moment. Calls are billed by tokens,
# each of them is delivered twice, a low balance buys a pack, one answer is given back, and a
# purchase is refunded. The month is played twice, and must print the same both times, ids
# included.
. "$(dirname "$0")/harness.bash"

store <<'END'
{
  "version": 1,
  "clock": "simulated",
  "usdMicrosPerCredit": 1000,
  "starterCredits": 0,
  "lowBalance": [200],
  "models": [{"id": "chat", "usdPer1M": {"input": "3", "output": "15"}}],
  "plans": [{"id": "pro", "quota": 500, "period": "month"}],
  "products": [{"id": "pack.1000", "credits": 1000, "price": "9.99", "currency": "USD"}]
}
END

# calls DAY: two calls of 12 credits: 1,200 tokens in and 500 out cost $0.0111.
calls() {
  local usage='{"inputTokens":1200,"outputTokens":500}'
  printf '{"account":"ben","key":"call-%s-%d","model":"chat","usage":%s}\n' \
    "$1" 1 "$usage" "$1" 2 "$usage"
}

# bill DAY: charges the day's calls. The write that leaves less than 200 credits reports it, and buys
# a pack under a key made from the report, so that a repeat buys none.
bill() {
  local id low
  calls "$1" | credit-charge --get authorization.id,crossed.0 |
    while IFS=$'\t' read -r id low; do
      [[ ! $low ]] || credit-topup --account ben --key "crossed:$id:$low" --product pack.1000
    done
}

# month: plays January, and prints its events.
month() {
  at 2026-01-01T08:00:00Z
  credit-account --account ben --plan pro
  for day in $(printf "%02d " {1..31}); do
    bill "$day"
    later 1m
    bill "$day" # what was delivered again
    later 1d
  done
  credit-history --account ben --limit 0
}

section 'January'

run month # in a subshell: the clock stays where it is
january=$output
at 2026-01-31T12:00:00Z

criterion 'Each call is billed once'
run credit-history --account ben --type usage --page --get total
expect_output 62
run credit-history --account ben --type usage --limit 1
expect '"credits":-12,"balance":756,' '"usd":"0.0111"'

criterion 'A low balance buys one pack, on the day it gets low'
run credit-history --account ben --type purchase --get timestamp,credits,balance
expect_lines $'2026-01-13T08:12:00.000Z\t1000\t1188'

criterion 'The quota is used up, and the pack pays for the rest'
run credit-balance --account ben
expect '"balance":756' '"used":500,"remaining":0' '"buckets":[{"kind":"purchased","credits":756}]'

criterion 'What an answer took is given back, once'
run credit-refund --account ben --key call-31-2 --reason 'a bad answer'
expect '"creditsRefunded":12,"newBalance":768'
run credit-refund --account ben --key call-31-2 --reason 'a bad answer'
expect '"newBalance":768' '"replayed":true'

criterion 'A refunded pack is taken back, and what was spent of it is owed'
run credit-history --account ben --type purchase --get id
run credit-refund --transaction "$output"
expect '"creditsRefunded":1000,"newBalance":-232'
refuse 10 credit-authorize --account ben
expect '"code":"insufficient_credits"'

section 'February'

criterion 'The new quota settles what is owed first'
at 2026-02-01T00:00:00Z
run credit-balance --account ben
expect '"balance":268' '"buckets":[{"kind":"quota","credits":268,'
run credit-authorize --account ben

criterion 'The books add up'
expect_balanced

section 'January again'

criterion 'The same month prints the same transcript'
run credit-store init --store again --policy policy.json
CREDIT_STORE=$folder/again
run month
expect_output "$january"

done_testing
