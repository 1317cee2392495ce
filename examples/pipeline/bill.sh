#!/bin/bash
# Bills a log of calls: each customer starts with 1,000 credits, is refused once they are used up, buys
# more, and is billed for the rest. Every step can be run again, after a crash or by mistake; this script
# runs them all twice.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export CREDIT_STORE=$folder/store
cd "$folder"

credit-store init >/dev/null
"$here/spend-log.sh" >spend.ndjson

# bill: charges the log. The keys are made of the log's own ids, so a call that was billed is not billed
# again. A refusal ends with 10: any other status is a failure.
bill() {
  credit-usage litellm --account-from user <spend.ndjson |
    credit-charge --quiet >results.ndjson || (($? == 10))
  printf '%s charged, %s charged before, %s refused\n' \
    "$(grep '"creditsCharged"' results.ndjson | grep -vc '"replayed"')" \
    "$(grep -c '"replayed"' results.ndjson)" "$(grep -c '"insufficient_credits"' results.ndjson)"
}

# order NAME: customers without credits buy 20,000 for $20. NAME makes it count once a customer.
order() {
  credit-balance --all --below 1 |
    credit-topup --credits 20000 --price 20.00 --currency USD --key "$1" --quiet \
      --get transaction.account,newBalance
}

echo '# The log is billed as far as the credits go.'
bill
credit-balance --all --get account,balance

echo '# Who has none left buys more, and the rest is billed.'
order order-1
bill
credit-balance --all --get account,balance

echo '# All of it again: nothing moves.'
order order-1
bill
credit-balance --all --get account,balance

echo '# What was it for, and what did it cost?'
credit-history --all --limit 0 >history.ndjson
credit-report --by account,type --format text <history.ndjson
credit-report --by model --month 2026-02 --format text <history.ndjson
credit-report <history.ndjson >report.html
credit-store verify --get ok,records
