#!/bin/bash
# Plays a year of 1,000 accounts in under half a minute, by the jobs that cron would run: plans whose quota
# turns each month, usage, automatic top-ups and mails at a threshold, purchases, refunds, allowances,
# reports, backups. The clock is the policy's: "clock":"simulated". The same seed gives the same year.
#
# usage: year.sh [SEED [FOLDER]]     FOLDER: for the store, the reports and the backups
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

# What happens on each day, in a file each: calls/DAY, one request a line with its own time, and orders/DAY,
# packs that are bought by hand. The generator is Park and Miller's, the same on every machine.
mkdir -p calls orders
awk -v state="$((seed * 16807 % 2147483647 + 1))" '
  function random() { state = state * 16807 % 2147483647; return state / 2147483647 }
  BEGIN {
    split("31 28 31 30 31 30 31 31 30 31 30 31", lengths)
    for (month = 1; month <= 12; month++) for (date = 1; date <= lengths[month]; date++) {
      day = sprintf("2026-%02d-%02d", month, date)
      print day
      count = 150 + int(random() * 100)
      for (call = 1; call <= count; call++) {
        account = 1 + int(random() * random() * 1000)
        second = int(86400 * call / (count + 1))
        time = sprintf("%sT%02d:%02d:%02dZ", day, second / 3600, second / 60 % 60, second % 60)
        line = sprintf("{\"account\":\"customer-%04d\",\"key\":\"%s-%d\",\"now\":\"%s\",", account, day, call, time)
        if (random() < 0.2) line = line "\"model\":\"image\",\"usage\":{}}"
        else line = line sprintf("\"model\":\"chat\",\"usage\":{\"inputTokens\":%d,\"outputTokens\":%d}}", \
          200 + random() * 3000, 50 + random() * 800)
        print line >"calls/" day
      }
      close("calls/" day)
      count = int(random() * 6)
      for (order = 1; order <= count; order++)
        printf "{\"account\":\"customer-%04d\",\"product\":\"pack.%d\",\"transaction\":\"%s-%d\"}\n", \
          1 + int(random() * 1000), random() < 0.7 ? 1000 : 5000, day, order >"orders/" day
      close("orders/" day)
    }
  }' >days

# month_end MONTH: the work of a month's first day for the month before.
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

month=
while read -r day; do
  CREDIT_NOW=${day}T00:00:00Z
  if [[ $month && $month != "${day%-*}" ]]; then month_end "$month"; fi
  month=${day%-*}
  CREDIT_NOW=${day}T23:59:00Z
  "$here/jobs/bill" "calls/$day"
  if [[ -e orders/$day ]]; then credit-topup --no-sync --quiet --get newBalance <"orders/$day" >/dev/null; fi
  if [[ -s crossings ]]; then "$here/jobs/low-balance" >/dev/null 2>&1; fi
done <days
CREDIT_NOW=2027-01-01T00:00:00Z
month_end "$month"

echo
echo '# The whole year'
credit-history --all --limit 0 >history.ndjson
credit-report <history.ndjson >year.html
credit-report --by type --format text <history.ndjson
echo
echo '# The books, brought back from the backup'
CREDIT_STORE=$PWD/restored
gunzip -c backups/2027-01-01.ndjson.gz | credit-store import --no-sync --get records
cmp <(credit-balance --all) <(CREDIT_STORE=store credit-balance --all) && echo 'The same 1,000 balances.'
