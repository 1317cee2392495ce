#!/bin/bash
# Makes half a year of a shop that sells credits to 24 customers, and reports it: history.ndjson,
# report.html, statement.html, products.html and focus.csv in FOLDER. They are the same each time.
#
#   examples/report/make.sh FOLDER
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
folder=${1:?usage: make.sh FOLDER}
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
export CREDIT_STORE=$folder/store
credit-store init --policy "$here/policy.json" >/dev/null

# requests WHAT WEEK: the customers' purchases or usage in a week.
requests() { awk -v what="$1" -v week="$2" -f "$here/requests.awk"; }

for week in {0..25}; do
  requests topup "$week" | credit-topup --no-sync >/dev/null
  requests charge "$week" | credit-charge --arrears --no-sync >/dev/null
done
export CREDIT_NOW=2026-11-02
credit-refund --transaction order-12505 --get creditsRefunded >/dev/null

credit-history --all --limit 0 >"$folder/history.ndjson"
cd "$folder"
credit-report --title 'Credits of the shop' <history.ndjson >report.html
credit-report --format statement --account acme --month 2026-10 --title 'Example Shop' \
  --from-address "$here/from.txt" --to-address "$here/to.txt" <history.ndjson >statement.html
credit-report --format focus --month 2026-10 <history.ndjson >focus.csv
credit-price --products --format html --title 'Credits of the shop' >products.html
