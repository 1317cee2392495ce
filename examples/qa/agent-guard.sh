#!/usr/bin/env bash
# examples/agents/guard, as Claude Code calls it.

. "$(dirname "$0")/harness.bash"
guard=$here/../agents/guard
statusline=$here/../agents/statusline
needs "$guard" "$statusline"
export CREDIT_GUARD_STATE=$PWD/state
unset CREDIT_GUARD

store <<'END'
{"starterCredits": 100, "models": [{"id": "m", "creditsPerToken": {"input": "1", "output": "0"}}]}
END

# message ID INPUT [TIME]: a line as Claude Code writes it.
message() {
  printf '{"type":"assistant","sessionId":"s1","cwd":"/a","timestamp":"%s",' "${3-2026-02-19T10:00:00.000Z}"
  printf '"message":{"id":"%s","model":"m","stop_reason":"end_turn","usage":{"input_tokens":%d,"output_tokens":1}}}\n' \
    "$1" "$2"
}

# hook EVENT [SESSION [TRANSCRIPT]]: calls the guard for `whom`; its output is in `answer`.
whom=(ana)
hook() {
  answer=$(printf '{"hook_event_name":"%s","session_id":"%s","transcript_path":"%s"}' \
    "$1" "${2-s1}" "$PWD/${3-s1}.jsonl" | "$guard" "${whom[@]}" 2>message)
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

whom=(team 50)
criterion 'with a pool a session needs the account that pays for it'
hook UserPromptSubmit p1 p1
expect_equal "${answer%%,*}" '{"continue":false'

criterion 'each session is an account that spends so much of the pool'
credit-topup --account team --transaction t1 --credits 900 --quiet >/dev/null
hook UserPromptSubmit p1 p1
hook UserPromptSubmit p2 p2
expect_equal "$status:$answer" 0:
now=$(date -u +%Y-%m-%dT%H:%M:%S.999Z)
message p1a 30 "$now" >p1.jsonl
message p2a 20 "$now" >p2.jsonl
hook PreToolUse p1 p1
hook PreToolUse p2 p2
expect_equal "$status:$answer" 0:
expect_balance team 950
expect_equal "$(credit-balance --account team --children --get account,available | tr '\t\n' ': ')" \
  'team/p1:20 team/p2:30 '

criterion 'a session at its limit is stopped, and the others go on'
message p1b 25 "$now" >>p1.jsonl
for _ in 1 2 3 4 5 6 7 8; do (hook PreToolUse p1 p1) & done
wait
hook PreToolUse p1 p1
expect_equal "$status:$answer" '0:{"continue":false,"stopReason":"There are no credits left for this session."}'
hook PreToolUse p2 p2
expect_equal "$status:$answer" 0:
expect_balance team 925

criterion 'a limit that was raised by hand stays raised'
credit-account --account team/p1 --limit total=60 --quiet >/dev/null
hook PreToolUse p1 p1
expect_equal "$status:$answer" 0:
expect_equal "$(echo '{"session_id":"p1"}' | "$statusline" team 50)" 'credits: 5'

criterion 'a session that began as a copy does not pay what the other has paid'
message p0 40 2026-02-19T10:00:00.000Z >p3.jsonl
hook UserPromptSubmit p3 p3
message p3a 10 "$(date -u +%Y-%m-%dT%H:%M:%S.999Z)" >>p3.jsonl
hook Stop p3 p3
expect_balance team 915

criterion 'a number that is none stops the session'
for whom in '-1' '5x' '1.5' '99999999999999999999'; do
  whom=(team "$whom")
  hook UserPromptSubmit p4 p4
  expect_equal "${answer%%,*}" '{"continue":false'
done
expect_equal "$(credit-store verify --get ok)" true

done_testing
