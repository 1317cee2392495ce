#!/bin/bash
# Shows both on logs of its own, with an agent that is none.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export HOME=$folder/home CREDIT_STORE=$folder/store
unset CLAUDE_CONFIG_DIR CODEX_HOME
claude=$HOME/.claude/projects/-home-ana-app codex=$HOME/.codex/sessions/2026/02/19
mkdir -p "$claude" "$codex"

# message ID INPUT OUTPUT: a line as Claude Code writes it.
message() {
  printf '{"type":"assistant","sessionId":"s1","cwd":"/home/ana/app","message":{"id":"%s","model":"claude-sonnet-4-5",' "$1"
  printf '"stop_reason":"end_turn","usage":{"input_tokens":%d,"output_tokens":%d}},' "$2" "$3"
  printf '"timestamp":"2026-02-19T10:00:00.000Z"}\n'
}

{ message msg_1 20000 3000 && message msg_2 30000 1500; } >"$claude/s1.jsonl"
cat >"$codex/rollout-1.jsonl" <<'END'
{"timestamp":"2026-02-19T10:00:00.000Z","type":"session_meta","payload":{"id":"s2","timestamp":"2026-02-19T10:00:00.000Z","cwd":"/home/ana/app"}}
{"timestamp":"2026-02-19T10:00:01.000Z","type":"turn_context","payload":{"model":"gpt-5"}}
{"timestamp":"2026-02-19T10:00:09.000Z","type":"event_msg","payload":{"type":"token_count","info":{"total_token_usage":{"input_tokens":50000,"cached_input_tokens":40000,"output_tokens":3000,"reasoning_output_tokens":0,"total_tokens":53000},"last_token_usage":{"input_tokens":50000,"cached_input_tokens":40000,"output_tokens":3000,"reasoning_output_tokens":0,"total_tokens":53000}}}}
END

credit-store init >/dev/null
echo '# The night bills the logs; the next one finds nothing new.'
"$here/nightly" ana
"$here/nightly" ana

echo '# A session with credits runs, and pays for what it logged.'
message msg_3 250000 4000 >"$folder/logged"
printf '#!/bin/sh\ncat "%s" >>"%s"\n' "$folder/logged" "$claude/s1.jsonl" >"$folder/agent"
chmod +x "$folder/agent"
"$here/with-credits" ana "$folder/agent" 2>&1

echo '# Without credits it does not start.'
"$here/with-credits" ana "$folder/agent" 2>&1 || echo "exit status $?"
