#!/bin/bash
# Plays a year of 1,000 accounts in under half a minute, by the jobs that cron would run: plans whose quota
# turns each month, usage, automatic top-ups and mails at a threshold, purchases, refunds, allowances,
# reports, backups. The clock is the policy's: "clock":"simulated". The same seed gives the same year.
#
# usage: year.sh [SEED [FOLDER]]     FOLDER: where the store, the reports and the backups are left
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
seed=${1:-1}
if [[ ${2-} ]]; then
  mkdir -p "$2" && cd "$2"
else
  folder=$(mktemp -d)
  trap 'rm -rf "$folder"' EXIT
  cd "$folder"
fi
export NO_SYNC=--no-sync CREDIT_STORE=$PWD/store CREDIT_NOW=2026-01-01T00:00:00Z PATH=$PWD/commands:$PATH

# What is sent by mail is counted, not sent.
mkdir -p commands
printf '#!/bin/sh\ncat >>"%s"\n' "$PWD/outbox" >commands/mail
chmod +x commands/mail
touch outbox

credit-store init --policy "$here/policy.json" >/dev/null

# Three quarters are on the free plan, the others on the paid one; every third of those buys automatically.
awk 'BEGIN { for (n = 1; n <= 1000; n++)
  printf "{\"account\":\"customer-%04d\",\"plan\":\"%s\"}\n", n, n % 4 ? "free" : "pro" }' |
  credit-account --no-sync >accounts.ndjson
awk 'BEGIN { for (n = 12; n <= 1000; n += 12) printf "customer-%04d\n", n }' >auto-top-up

# calls DAY NUMBER: what was used on a day, one request a line, each with its own time.
calls() {
  awk -v day="$1" -v number="$2" -v seed="$seed" '
    function random() { state = state * 16807 % 2147483647; return state / 2147483647 }
    BEGIN {
      state = seed * 100003 + number * 7919 + 1
      for (skip = 0; skip < 10; skip++) random()
      count = 300 + int(random() * 200)
      for (call = 1; call <= count; call++) {
        account = 1 + int(random() * random() * 1000)
        second = int(86400 * call / (count + 1))
        time = sprintf("%sT%02d:%02d:%02dZ", day, second / 3600, second / 60 % 60, second % 60)
        printf "{\"account\":\"customer-%04d\",\"key\":\"call-%d-%d\",\"now\":\"%s\",", account, number, call, time
        if (random() < 0.2)
          printf "\"model\":\"image\",\"usage\":{}}\n"
        else
          printf "\"model\":\"chat\",\"usage\":{\"inputTokens\":%d,\"outputTokens\":%d}}\n", \
            200 + random() * 3000, 50 + random() * 800
      }
    }'
}

# purchases DAY NUMBER: a few buy a pack by hand.
purchases() {
  awk -v day="$1" -v number="$2" -v seed="$seed" '
    function random() { state = state * 16807 % 2147483647; return state / 2147483647 }
    BEGIN {
      state = seed * 200003 + number * 104729 + 1
      for (skip = 0; skip < 10; skip++) random()
      count = int(random() * 6)
      for (order = 1; order <= count; order++)
        printf "{\"account\":\"customer-%04d\",\"product\":\"pack.%d\",\"transaction\":\"order-%d-%d\"}\n", \
          1 + int(random() * 1000), random() < 0.7 ? 1000 : 5000, number, order
    }'
}

# month_end MONTH: what the first day of a month does about the one before.
month_end() {
  "$here/jobs/month-report"
  # One purchase in twenty is returned.
  credit-history --all --limit 0 --type purchase --status completed --month "$1" --get id |
    awk 'NR % 20 == 10 { printf "{\"transaction\":\"%s\",\"reason\":\"returned\"}\n", $0 }' |
    credit-refund --no-sync --quiet --get creditsRefunded >refunds
  "$here/jobs/allowance" >allowances 2>/dev/null
  "$here/jobs/backup" >verified
  awk -F , -v month="$1" -v refunds="$(wc -l <refunds)" -v allowances="$(wc -l <allowances)" \
    -v verified="$(<verified)" -v mails="$(wc -l <outbox)" '
    $1 == "usage" { calls += $4; spent -= $5 }
    $1 == "purchase" { sold += $4; revenue += $6 }
    END { printf "%s  %6d calls %8d credits  %3d sold %9.2f USD  %2d returned  %3d allowances  %3d mails  verified %s\n", \
      month, calls, spent, sold, revenue, refunds, allowances, mails, verified }' "reports/$1.csv"
}

day=2026-01-01
for ((number = 1; number <= 365; number++)); do
  CREDIT_NOW=${day}T00:00:00Z
  if [[ $day == *-01 && $number -gt 1 ]]; then month_end "$month"; fi
  month=${day%-*}
  calls "$day" "$number" >usage.ndjson
  CREDIT_NOW=${day}T23:59:00Z
  "$here/jobs/bill" usage.ndjson
  purchases "$day" "$number" | credit-topup --no-sync --quiet --get newBalance >/dev/null
  if [[ -s crossings ]]; then "$here/jobs/low-balance" >/dev/null 2>&1; fi
  day=$(date -u -d "$day + 1 day" +%F 2>/dev/null || date -j -u -v+1d -f %F "$day" +%F)
done
CREDIT_NOW=2027-01-01T00:00:00Z
month_end "$month"

echo
echo '# The whole year'
credit-history --all --limit 0 >history.ndjson
credit-report <history.ndjson >year.html
credit-report --by type --format csv <history.ndjson
echo
echo '# The books, brought back from the backup'
CREDIT_STORE=$PWD/restored
gunzip -c backups/2027-01-01.ndjson.gz | credit-store import --no-sync --get records
cmp <(credit-balance --all) <(CREDIT_STORE=store credit-balance --all) && echo 'The same 1,000 balances.'
