#!/usr/bin/env bash
# The jobs of examples/cron with names that clients choose: quotes, options, pipes, paths.

. "$(dirname "$0")/harness.bash"
jobs=$here/../cron/jobs
needs "$jobs"

names=(plain bob@example.com -x '|touch pwned' /tmp/x 'a","account":"plain' 'back\slash' '$(touch pwned)'
  '`touch pwned`' "q'uote" ../up '{}' é)

store <<'END'
{"lowBalance": [995], "products": [{"id": "pack.1000", "credits": 1000}],
 "models": [{"id": "unit", "creditsPerUnit": 1}]}
END
mkdir bin
cat >bin/mail <<'END'
#!/bin/sh
cat >/dev/null
[ ! -e fail ] || exit 1
for last; do :; done
printf '%s\n' "$last" >>mails
END
chmod +x bin/mail
PATH=$PWD/bin:$PATH

# quoted TEXT: the text as JSON.
quoted() {
  local text=${1//\\/\\\\}
  printf '"%s"' "${text//\"/\\\"}"
}

number=0
for name in "${names[@]}"; do
  ((number += 1))
  printf '{"account":%s,"key":"k%d","model":"unit","usage":{"units":10}}\n' "$(quoted "$name")" $number
done >log.ndjson
# An id may have 256 bytes, and then no room is left in a key that is made of it.
long=$(printf 'é%.0s' {1..128})
printf '{"account":"long","key":"%s","model":"unit","usage":{"units":10}}\n' "$long" >>log.ndjson
printf '%s\n' long 'a","account":"plain' 'back\slash' >auto-top-up

criterion 'each account is billed once, and its crossing is noted'
run "$jobs/bill" log.ndjson
expect_equal "$(wc -l <crossings)" $((${#names[@]} + 1))

criterion 'a mail that fails is sent by the next run'
touch fail
refuse 1 "$jobs/low-balance"
rm fail
run "$jobs/low-balance"
expect_equal "$(sort mails)" $'bob@example.com\nplain'
run "$jobs/bill" log.ndjson
run "$jobs/low-balance"
expect_equal "$(sort mails)" $'bob@example.com\nplain'

criterion 'a name is never an option, a file or a command, and tops up no other account'
expect_equal "$(find . -name pwned)" ''
for name in "${names[@]}"; do
  case $name in
    'a"'* | back*) expect_balance "$name" 1990 ;;
    -*) expect_equal "$(credit-balance --account="$name" --get balance)" 990 ;;
    *) expect_balance "$name" 990 ;;
  esac
done

expect_balance long 1990

criterion 'a charge of a member that takes its payer below a threshold buys a pack for the payer, once'
run credit-account --account pool
run credit-account --account kim --parent pool
echo '{"account":"kim","key":"t1","model":"unit","usage":{"units":10}}' >team.ndjson
echo pool >>auto-top-up
for _ in 1 2; do
  run "$jobs/bill" team.ndjson
  expect_equal "$(cut -f 1,3,4 crossings)" $'pool\t990\t995'
  run "$jobs/low-balance"
  expect_balance pool 1990
done

criterion 'a closed account gets no mail and no pack'
for name in buyer other; do
  run credit-account --account $name
  echo '{"account":"'$name'","key":"g","model":"unit","usage":{"units":10}}' >>closed.ndjson
done
echo buyer >>auto-top-up
run "$jobs/bill" closed.ndjson
for name in buyer other; do run credit-account --account $name --closed true; done
run "$jobs/low-balance"
expect_balance buyer 990
expect_equal "$(grep -c other mailed)" 0

criterion 'a backup that is cut short takes nobody'"'"'s place'
run "$jobs/backup"
day=$(ls backups)
cp "backups/$day" whole
cat >bin/gzip <<'END'
#!/bin/sh
exit 1
END
chmod +x bin/gzip
refuse 1 "$jobs/backup"
run cmp whole "backups/$day"
rm bin/gzip
run "$jobs/backup"
run credit-store import --store again <<<"$(gunzip -c "backups/$day")"
expect '"records":'

done_testing
