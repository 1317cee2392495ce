#!/bin/bash
# Builds the tools and bills two provider responses in a store of its own, which it then deletes: once
# from authorization to receipt, once in a single step. Shows each command with its output, and fails
# if one prints other output than expected.
#
# QUICKSTART_BIN=DIR takes the tools from DIR instead of building them. A copy of this folder without the
# sources beside it takes those of PATH.
set -euo pipefail
cd "$(dirname "$0")"
examples=${PWD##*/}
cd ..

if [[ ! ${QUICKSTART_BIN-} && ! -e Sources/credit/Main.swift ]]; then
  if ! tool=$(command -v credit-store); then
    echo 'quickstart.sh: there are neither sources beside this folder nor a credit-store on PATH;' >&2
    echo 'INSTALL.md says how to install the tools; QUICKSTART_BIN=DIR takes built ones.' >&2
    exit 69
  fi
  QUICKSTART_BIN=$(dirname "$tool")
fi
printf -v responses %q "$examples/responses"
if [[ ! ${QUICKSTART_BIN-} ]] && ! command -v swift >/dev/null; then
  echo 'quickstart.sh: there is no swift: to build takes Swift 6.2 or later (https://www.swift.org/install).' >&2
  echo 'INSTALL.md has packages without it; QUICKSTART_BIN=DIR takes built tools.' >&2
  exit 69
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
if [[ ! ${QUICKSTART_BIN-} ]]; then
  swift build --configuration release --product credit
  QUICKSTART_BIN=$folder/bin
  mkdir "$QUICKSTART_BIN"
  for page in man/credit-*.1; do
    tool=${page##*/}
    ln -s "$PWD/.build/release/credit" "$QUICKSTART_BIN/${tool%.1}"
  done
fi
PATH=$QUICKSTART_BIN:$PATH
export CREDIT_STORE=$folder/store
unset CREDIT_NOW

# show COMMAND: prints a command, runs it and prints its output, which is then in $output.
show() {
  printf '$ %s\n' "$1"
  output=$(eval "$1")
  printf '%s\n\n' "$output"
}

# expect PATTERN: fails unless the last output matches the shell pattern.
expect() {
  # shellcheck disable=SC2053
  if [[ $output != $1 ]]; then
    printf 'quickstart.sh: expected %s\n' "$1" >&2
    exit 1
  fi
}

printf '%s\n' '# Make a store. A new account starts with 1,000 credits of $0.001 each.'
show 'credit-store init'
expect '*"created":true}'

echo '# May this account start? Nothing is deducted yet.'
show 'credit-authorize --account me --get authorization.id'
authorization=$output

echo '# The work is done and the response is here: charge what it really took, and keep the receipt.'
charge="credit-charge --authorization $authorization --response < $responses/message.json"
show "$charge"
expect '*"usage":{"inputTokens":1200,"outputTokens":500},"creditsCharged":12,"newBalance":988,*'

show 'credit-balance --account me'
expect '{"account":"me","balance":988,"available":988,"held":0,*'

echo '# Run it again, as after a crash: the same receipt, and nothing moves.'
show "$charge"
expect '*"creditsCharged":12,"newBalance":988,*"replayed":true}'

show 'credit-balance --account me --get balance'
expect 988

echo '# Or check and charge in one step, once under a key of your own.'
charge="credit-charge --account me --key call-2 --response < $responses/completion.json"
show "$charge"
expect '*"creditsCharged":4,"newBalance":984,*'

show "$charge"
expect '*"newBalance":984,*"replayed":true}'

echo '# Buy a pack: the id of the payment makes sure that it counts once.'
show 'credit-topup --account me --credits 1000 --transaction 2000000123'
expect '*"creditsAdded":1000,"newBalance":1984}'

echo '# Check every record of the store.'
show 'credit-store verify'
expect '{"ok":true,*'

echo 'All as expected. The store was temporary and is removed.'
