#!/bin/bash
# Plays the close of a month: three days of calls are billed, the provider's bill differs from them,
# the books are corrected, and a second comparison finds no difference.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export CREDIT_STORE=$folder/store CREDIT_NOW=2026-11-05T00:00:00Z
cp "$here"/*.json "$folder"
cd "$folder"
credit-store init --policy policy.json >/dev/null

# call KEY TIME MODEL INPUT OUTPUT [FLAG...]: bills one call.
call() {
  credit-charge --account ana --key "$1" --used-at "$2" --model "$3" --input-tokens "$4" \
    --output-tokens "$5" "${@:6}" >/dev/null
}

# reconcile [FLAG...]: compares the bill with the books. Differences end with 15: any other status than
# that and 0 is a failure.
reconcile() {
  credit-history --all --type usage --limit 0 |
    credit-reconcile anthropic usage.json cost.json --catalog catalog.json --format text "$@" 2>&1 ||
    (($? == 15))
}

call msg_01 2026-11-01T09:30:00Z claude-opus-4.7 1400000 300000
# A client that does not read cache_creation: half of the one-hour cache writes are missing.
call msg_02 2026-11-02T10:00:00Z claude-opus-4.7 1000000 160000 --cache-write-1h-tokens 50000
call msg_03 2026-11-03T11:00:00Z claude-haiku-4.5 500000 0
echo '# The bill and the books'
reconcile

echo '# What was counted wrong is charged again under its key; what was missed is charged in arrears.'
call msg_02 2026-11-02T10:00:00Z claude-opus-4.7 1000000 160000 --cache-write-1h-tokens 100000 --amend --arrears
printf '%s\n' '{"account":"ana","key":"code-2026-11-03","model":"code-execution",
  "usage":{"inputTokens":0,"outputTokens":0},"reportedUSD":"0.25","usedAt":"2026-11-03T00:00:00Z"}' |
  credit-charge --arrears >/dev/null
echo '# The price is put right in the catalog. A call takes the new one when it is amended: to nothing, and back.'
sed 's/"0.8", "output": "4", "cacheRead": "0.08", "cacheWrite": "1"/"1", "output": "5", "cacheRead": "0.1", "cacheWrite": "1.25"/' catalog.json >new.json
mv new.json catalog.json
credit-store policy --set policy.json >/dev/null
call msg_03 2026-11-03T11:00:00Z claude-haiku-4.5 0 0 --amend --arrears
call msg_03 2026-11-03T11:00:00Z claude-haiku-4.5 500000 0 --amend --arrears
reconcile --map 'Code Execution=code-execution'
