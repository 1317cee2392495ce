#!/bin/bash
# Shows a cap in dollars over resumed runs of `claude -p`, on the results of four: each gets what is left,
# and none starts once the cap is spent.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export HOME=$folder/home CREDIT_STORE=$folder/store RUNS=$here/recorded/runs
mkdir -p "$folder/bin" "$HOME"
PATH=$folder/bin:$PATH
# The place of Claude Code: it says its budget, and prints the result of the run that its prompt names.
cat >"$folder/bin/claude" <<'SCRIPT'
#!/bin/bash
while [[ $# -gt 0 ]]; do
  case $1 in
    --max-budget-usd) echo "claude runs with \$$2" >&2 ;;
    run-*) result=$RUNS/${1#run-}.json ;;
  esac
  shift
done
cat "$result"
SCRIPT
chmod +x "$folder/bin/claude"

cap='{"id": "cap", "period": "total", "unit": "usd", "usd": "5.00"}'
credit-store init >/dev/null
credit-store policy | jq --argjson cap "$cap" '.starterCredits = 100000 | .plans = [{id: "agent", limits: [$cap]}]' |
  credit-store policy --set - --quiet >/dev/null
credit-account --account job --plan agent --quiet >/dev/null

run() {
  "$here/capped" job claude -p "$@" >"$folder/result" 2>"$folder/said" || echo "exit status $?"
  sed 's/; it resets.*//' "$folder/said"
  printf 'spent: $%s\n' "$(credit-balance --account job --get limits.0.used)"
}

echo '# A session, resumed until its five dollars are spent.'
run run-1
run --resume s1 run-2
run --resume s1 run-3
echo '# The last run ended above what was left, and is paid for. Now none starts.'
run --resume s1 run-4
echo '# A new session has no new budget.'
run run-4
