#!/usr/bin/env bash
# examples/agents/guard, as Claude Code calls it.

. "$(dirname "$0")/harness.bash"
guard=$here/../agents/guard
statusline=$here/../agents/statusline
export CREDIT_GUARD_STATE=$PWD/state
unset CREDIT_GUARD

store <<'END'
{"starterCredits": 100, "models": [{"id": "m", "creditsPerToken": {"input": "1", "output": "0"}}]}
END

# message ID INPUT: a line as Claude Code writes it.
message() {
  printf '{"type":"assistant","sessionId":"s1","cwd":"/a","timestamp":"2026-02-19T10:00:00.000Z",'
  printf '"message":{"id":"%s","model":"m","stop_reason":"end_turn","usage":{"input_tokens":%d,"output_tokens":1}}}\n' \
    "$1" "$2"
}

# hook EVENT [SESSION]: calls the guard; what it printed is in `answer`.
hook() {
  answer=$(printf '{"hook_event_name":"%s","session_id":"%s","transcript_path":"%s"}' \
    "$1" "${2-s1}" "$PWD/s1.jsonl" | "$guard" ana 2>message)
  status=$?
}

criterion 'a session that has not begun may begin'
hook UserPromptSubmit
expect_equal "$status:$answer" 0:
expect_balance ana 100

criterion 'each exchange is billed once'
message m1 30 >s1.jsonl
hook PreToolUse
hook Stop
expect_equal "$status:$answer" 0:
expect_balance ana 70
message m2 20 >>s1.jsonl
mkdir -p s1/subagents
message m3 10 >s1/subagents/agent-1.jsonl
hook UserPromptSubmit
hook PreToolUse
expect_equal "$status:$answer" 0:
expect_balance ana 40

criterion 'eight calls at once bill once'
message m4 5 >>s1.jsonl
for _ in 1 2 3 4 5 6 7 8; do (hook PreToolUse) & done
wait
expect_balance ana 35

criterion 'what could not be charged is charged by the next call'
mkdir bin
printf '#!/bin/sh\nexit 75\n' >bin/credit-charge
chmod +x bin/credit-charge
message m5 5 >>s1.jsonl
PATH=$PWD/bin:$PATH hook PreToolUse
expect_equal "${answer%%,*}" '{"continue":false'
rm bin/credit-charge
hook PreToolUse
expect_equal "$status:$answer" 0:
expect_balance ana 30

criterion 'a session without credits is stopped, and its end is not'
message m6 60 >>s1.jsonl
hook PreToolUse
expect_equal "$status:$answer" '0:{"continue":false,"stopReason":"There are no credits left for this session."}'
expect_balance ana -30
hook Stop
expect_equal "$status:$answer" 0:

criterion 'what is not understood stops the session, unless the guard is open'
for session in '' ../up 'a\nb' '$(touch pwned)' '-x' "$(printf 'x%.0s' {1..200})"; do
  hook PreToolUse "$session"
  case $session in -x) continue ;; esac
  expect_equal "${answer%%,*}" '{"continue":false'
done
for input in '' '{' '[]' 'null' '{"session_id":7}' $'{"session_id":"s\xff"}'; do
  expect_equal "$("$guard" ana <<<"$input" 2>/dev/null | cut -d, -f1)" '{"continue":false'
done
export CREDIT_GUARD=open
hook PreToolUse ../up
expect_equal "$status:$answer" 0:
unset CREDIT_GUARD
expect_equal "$(find . -name 'pwned*')" ''

criterion 'the status line says what is left'
expect_equal "$(echo '{}' | "$statusline" ana)" 'credits: -30'
expect_equal "$(echo '{}' | CREDIT_STORE=/nowhere "$statusline" ana)" 'credits: unknown'

done_testing
