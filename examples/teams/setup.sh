#!/bin/sh
# A company with two teams, three people and an intern's key; it may run again without effect.
set -eu
# It stops here in a store without the plans.
for plan in member intern; do credit-account --account acme --plan $plan --dry-run --quiet >/dev/null; done
credit-account --account acme
credit-topup --account acme --transaction invoice-1 --credits 100000
credit-account --account research --parent acme --limit month=60000
credit-account --account support --parent acme --limit month=20000
credit-account --account ana --parent research --plan member
credit-account --account ben --parent research --plan member
credit-account --account cai --parent support --plan member
credit-account --account intern-key --parent research --plan intern
