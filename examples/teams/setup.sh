#!/bin/sh
# A company with two teams, three people and an intern's key; it may run again without effect.
set -eu
credit-account --account acme
credit-topup --account acme --transaction invoice-1 --credits 100000
credit-account --account research --parent acme --limit month=60000
credit-account --account support --parent acme --limit month=20000
credit-account --account ana --parent research --plan member
credit-account --account ben --parent research --plan member
credit-account --account cai --parent support --plan member
credit-account --account intern-key --parent research --plan intern
