#!/bin/bash
# Shows that a cap holds over resumed sessions, subagents and compaction, on recorded transcripts: each call
# counts once, and a resumed session begins with the credits that are left.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export HOME=$folder/home CREDIT_STORE=$folder/store
unset CLAUDE_CONFIG_DIR CREDIT_GUARD CREDIT_GUARD_STATE XDG_STATE_HOME
recorded=$here/recorded/-home-ana-app projects=$HOME/.claude/projects/-home-ana-app
mkdir -p "$projects"
# The recorded day is now.
credit-store init >/dev/null
credit-store policy | jq '.clock = "simulated"' | credit-store policy --set - --quiet >/dev/null
export CREDIT_NOW=2026-02-19T10:00:00Z
credit-account --account job --limit total=480 --quiet >/dev/null

# event NAME SESSION: what Claude Code gives the hook, and what the hook says.
event() {
  export CREDIT_NOW=2026-02-19T10:10:00Z
  printf '{"hook_event_name":"%s","session_id":"%s","transcript_path":"%s"}\n' "$1" "$2" "$projects/$2.jsonl" |
    "$here/guard" job 2>/dev/null
  printf "%s, %s: %s credits left\n" "$2" "$1" "$(credit-balance --account job --get available)"
}

echo '# A session, its compaction and its subagent.'
head -n 3 "$recorded/s1.jsonl" >"$projects/s1.jsonl"
event UserPromptSubmit s1
cp "$recorded/s1.jsonl" "$projects/s1.jsonl"
event PreToolUse s1
cp -r "$recorded/s1" "$projects/s1"
event PreToolUse s1

echo '# Resumed: the copies of its messages cost nothing again, its new call does.'
cp "$recorded/s2.jsonl" "$projects/s2.jsonl"
event PreToolUse s2

echo '# Resumed once more: the cap is spent, whatever the session is called.'
cp "$recorded/s3.jsonl" "$projects/s3.jsonl"
event UserPromptSubmit s3

echo '# More credits are a decision of whoever owns the account.'
credit-account --account job --limit total=700 --quiet >/dev/null
event UserPromptSubmit s3
