#!/bin/bash
# The followers of this folder work correctly, however often they are killed.
. "$(dirname "$0")/../qa/harness.bash"
PATH=$here:$folder/bin:$PATH
mkdir bin

store <<'END'
{
  "version": 1,
  "starterCredits": 0,
  "lowBalance": [50],
  "models": [{"id": "unit", "creditsPerUnit": 1}],
  "products": [{"id": "pack", "credits": 100, "price": "4.99", "currency": "USD"}]
}
END

section 'A mirror in sqlite3'

# writer NUMBER: buys, spends and gives back, in small batches of its own and of a shared account.
writer() {
  local round
  for round in 1 2 3 4 5 6; do
    printf '{"account":"a%d","transaction":"t-%d-%d","product":"pack"}\n' "$1" "$1" $round "$1" "$1" $((round + 100)) |
      sed "\$s/.*/&\n{\"account\":\"shared's\",\"key\":\"b-$1-$round\",\"credits\":5,\"type\":\"bonus\"}/" |
      credit-topup
    for call in 1 2 3 4 5; do
      printf '{"account":"a%d","key":"c-%d-%d","model":"unit","usage":{"units":%d}}\n' "$1" $round $call $call
      printf '{"account":"shared'\''s","key":"c-%d-%d-%d","model":"unit","usage":{"units":1}}\n' "$1" $round $call
    done | credit-charge
    credit-topup --account "a$1" --transaction "t-$1-p-$round" --product pack --status pending
    credit-refund --transaction "t-$1-$round"
    credit-topup --account "a$1" --transaction "t-$1-p-$round" --product pack
    credit-refund --account "a$1" --key "c-$round-3"
  done >/dev/null
}

# lines QUERY: the mirror's answer.
lines() { sqlite3 "$folder/mirror.db" "$1"; }

if criterion 'Eight writers, and a mirror that is killed again and again: no line is missed or doubled' \
  command -v sqlite3; then
  for number in 1 2 3 4 5 6 7 8; do writer $number & done
  kills=0
  while [[ $(jobs -rp) ]]; do
    setsid mirror "$folder/mirror.db" --follow 2>/dev/null &
    follower=$!
    disown $follower
    sleep 0.$((RANDOM % 9 + 1))
    until kill -KILL -- -$follower 2>/dev/null; do sleep 0.01; done
    ((kills += 1))
  done
  wait
  run mirror "$folder/mirror.db"
  credit-history --all --limit 0 | sort >expected
  lines 'SELECT json FROM line' | sort >mirrored
  run cmp expected mirrored
  expect_equal "$(lines 'SELECT count(*) FROM line')" "$(wc -l <expected)"
  for account in $(credit-account --all --get account | tr ' ' '?'); do
    name=${account//\'/\'\'}
    expect_equal "$account $(lines "SELECT sum(credits) FROM line WHERE account = '$name'
      AND status IN ('completed', 'refunded')")" "$account $(balance "$account")"
  done
  run test $kills -gt 0
fi

if criterion 'A second run adds nothing, and the next line is added once' command -v sqlite3; then
  before=$(lines 'SELECT count(*) FROM line')
  run mirror "$folder/mirror.db"
  expect_equal "$(lines 'SELECT count(*) FROM line')" "$before"
  run credit-topup --account a1 --transaction next --product pack
  run mirror "$folder/mirror.db"
  run mirror "$folder/mirror.db"
  expect_equal "$(lines 'SELECT count(*) FROM line')" $((before + 1))
fi

section 'Alerts'

cat >bin/mail <<'END'
#!/bin/sh
printf '%s\n' "$3: $(cat)" >>"$MAILS"
END
chmod +x bin/mail
export MAILS=$folder/mails

criterion 'Each crossing is mailed once, in whichever run'
: >mails
credit-history --all --after '' --cursor --get cursor | tail -n 1 >alerts.place
run credit-topup --account mia --transaction m1 --product pack
run credit-charge --account mia --key m1 --model unit --units 60
run alerts
run alerts
expect_equal "$(<mails)" 'mia: 40 credits are left.'
run credit-charge --account mia --key m2 --model unit --units 1
run credit-topup --account mia --transaction m2 --product pack
run credit-charge --account mia --key m3 --model unit --units 100
run alerts
expect_equal "$(wc -l <mails)" 2

criterion 'A closed account gets no mail'
run credit-topup --account mia --transaction m3 --product pack
run credit-charge --account mia --key m4 --model unit --units 100
run credit-account --account mia --closed true
run alerts
expect_equal "$(wc -l <mails)" 2

section 'Automatic top-ups'

rm -rf store
store <<'END'
{
  "version": 1,
  "clock": "simulated",
  "starterCredits": 0,
  "models": [{"id": "unit", "creditsPerUnit": 1}]
}
END
printf '%s\n' ana '-ben&co' >auto-top-up.accounts
export BELOW=100 TO=1000 CARD=$folder/card PAID=$folder/paid
cat >bin/pay <<'END'
#!/bin/sh
# A bank: it notes each charge once per idempotency key.
status=$(cat "$CARD")
[ "$status" = 0 ] || [ "$status" = 9 ] || exit "$status"
grep -qxF -- "$1 $2 $3" "$PAID" || printf '%s\n' "$1 $2 $3" >>"$PAID"
exit "$status"
END
chmod +x bin/pay
: >paid

# spend ACCOUNT CREDITS KEY
spend() { run credit-charge --account="$1" --key "$3" --model unit --units "$2" --arrears; }

criterion 'Who has too few credits pays for what is missing, once an hour'
at 2026-03-10T09:10:00Z
echo 0 >card
run auto-top-up
expect_balance ana 1000
expect_equal "$(balance '-ben&co')" 1000
spend ana 950 one
at 2026-03-10T09:40:00Z
run auto-top-up
expect_balance ana 50
at 2026-03-10T10:05:00Z
run auto-top-up
expect_balance ana 50
at 2026-03-10T10:15:00Z
run auto-top-up
expect_balance ana 1000
expect_equal "$(cut -d ' ' -f 1 paid | sort | uniq -c | tr -s ' ' | tr '\n' ';')" ' 1 -ben&co; 2 ana;'

criterion 'After a decline there is a pause of a day'
spend ana 950 two
echo 1 >card
at 2026-03-10T12:15:00Z
run auto-top-up
expect 'failed'
echo 0 >card
at 2026-03-11T11:00:00Z
run auto-top-up
expect_balance ana 50
at 2026-03-11T12:20:00Z
run auto-top-up
expect_balance ana 1000

criterion 'A payment that nobody knows the end of is made under the same id, and charged once'
spend ana 950 three
: >paid
echo 9 >card
at 2026-03-12T08:00:00Z
refuse 1 auto-top-up
expect_balance ana 50
echo 0 >card
at 2026-03-12T08:10:00Z
run auto-top-up
expect_balance ana 1000
expect_equal "$(wc -l <paid)" 1
expect_equal "$(cut -d ' ' -f 3 paid)" 950

criterion 'Nor is it charged twice where only a later hour knows'
spend ana 950 four
: >paid
echo 9 >card
at 2026-03-12T10:00:00Z
refuse 1 auto-top-up
at 2026-03-12T11:05:00Z
refuse 1 auto-top-up
echo 0 >card
at 2026-03-12T12:10:00Z
run auto-top-up
expect_balance ana 1000
expect_equal "$(wc -l <paid)" 1
spend ana 950 five
at 2026-03-12T12:20:00Z
run auto-top-up
expect_balance ana 50
at 2026-03-12T13:20:00Z
run auto-top-up
expect_balance ana 1000
expect_equal "$(wc -l <paid)" 2

criterion 'The balance is the sum of the history'
expect_balanced

done_testing
