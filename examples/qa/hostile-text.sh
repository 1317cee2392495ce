#!/usr/bin/env bash
# Text that clients choose, through the examples that read it: logs of a proxy, transcripts of agents, a
# co-process, and followers. Nothing of it is run, is an option or a path, or reaches another account.

. "$(dirname "$0")/harness.bash"
examples=$here/..
needs "$examples/agents" "$examples/coprocess" "$examples/followers"

texts=(plain "q'uo\"te" -x --help ../up /etc/passwd '|touch pwned' '$(touch pwned)' '`touch pwned`' '; touch pwned;'
  'a","account":"plain' 'back\slash' '%s%n' '*' '{}' é $'\u202egnp.exe' "$(printf 'x%.0s' {1..120})")

store <<'END'
{"starterCredits": 100, "models": [{"id": "m", "creditsPerToken": {"input": "1", "output": "0"}}]}
END

# quoted TEXT: the text as JSON.
quoted() {
  local text=${1//\\/\\\\}
  printf '"%s"' "${text//\"/\\\"}"
}

# expect_all BALANCE: each of the texts is an account that has so much left, and there is no other.
expect_all() {
  expect_equal "$(credit-balance --all --json | wc -l)" "${#texts[@]}"
  for text in "${texts[@]}"; do
    expect_equal "$(credit-balance --account="$text" --get balance)" "$1"
  done
  expect_equal "$(find . "$here/.." -name "pwned*")" ''
}

criterion 'a row of a proxy bills the user that it names, under its own id'
number=0
for text in "${texts[@]}"; do
  ((number += 1))
  printf '{"request_id":%s,"model":"m","prompt_tokens":10,"completion_tokens":1,"user":%s,"startTime":"2026-02-19T10:00:00Z"}\n' \
    "$(quoted "$number$text")" "$(quoted "$text")"
done >rows.ndjson
for _ in 1 2; do
  credit-usage litellm --account-from user <rows.ndjson | credit-charge --quiet >receipts
done
expect_all 90
expect_equal "$(credit-history --all --limit 0 | credit-report --by account --format csv | wc -l)" $((${#texts[@]} + 1))

criterion 'a transcript bills once, whatever folders, sessions and ids are called'
export HOME=$PWD/home
unset CLAUDE_CONFIG_DIR CODEX_HOME OPENCODE_DATA_DIR AMP_DATA_DIR PI_AGENT_DIR
for text in "${texts[@]}"; do
  project=$HOME/.claude/projects/${text//\//-}
  mkdir -p -- "$project"
  printf '{"type":"assistant","sessionId":%s,"cwd":%s,"timestamp":"2026-02-19T10:00:00.000Z","message":{"id":%s,"model":"m","stop_reason":"end_turn","usage":{"input_tokens":4,"output_tokens":1}}}\n' \
    "$(quoted "$text")" "$(quoted "$text")" "$(quoted "msg_$text")" >"$project/s1.jsonl"
done
for text in "${texts[@]}"; do "$examples/agents/nightly" "$text" >nightly.out 2>&1; done
for text in "${texts[@]}"; do "$examples/agents/nightly" "$text" >nightly.out 2>&1; done
expect_all $((90 - 4 * ${#texts[@]}))

criterion 'a co-process answers each line with that line'"'"'s receipt'
if command -v python3 >/dev/null; then
  sed '/^with tempfile/,$d' "$examples/coprocess/charge.py" >charges.py
  cat >>charges.py <<'END'
import sys
charges = Charges()
for text in sys.argv[1:]:
    receipt = charges.charge(text, "key " + text, "m", inputTokens=1, outputTokens=0)
    assert receipt.get("key") == "key " + text, receipt
print(charges.close())
END
  expect_equal "$(python3 charges.py "${texts[@]}")" 0
fi

criterion 'all of it can be read, checked and exported'
expect_equal "$(credit-store verify --get ok)" true
credit-history --all --limit 0 | credit-report >page.html
expect_equal "$(grep -c '<script>' page.html)" "$(grep -c '</script>' page.html)"
run credit-store import --store again <<<"$(credit-store export)"

done_testing
