#!/usr/bin/env bash
# One credit-charge serves many charges of a script: it is started once, answers each line with a line, and
# every answer is on disk before it is printed.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export CREDIT_STORE=$folder/store
credit-store init >/dev/null

coproc charge { credit-charge --account ana --quiet; }
# Bash forgets the number as soon as the process has ended.
process=$charge_PID

for call in 1 2 3 3; do
  printf '{"key":"call-%s","model":"gpt-4o","usage":{"inputTokens":900,"outputTokens":300}}\n' "$call" >&"${charge[1]}"
  read -r receipt <&"${charge[0]}"
  printf '%s\n' "$receipt" | grep -o '"newBalance":.*[0-9]\|"replayed":true' | sed 's/,.*//'
done

input=${charge[1]}
exec {input}>&-
wait "$process"
