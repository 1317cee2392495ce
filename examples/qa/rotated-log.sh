#!/usr/bin/env bash
# A log that is renamed while it is written and billed: every line is charged once.

. "$(dirname "$0")/harness.bash"
bill=$here/../cron/jobs/bill
needs "$bill"

store <<'END'
{"starterCredits": 1000, "models": [{"id": "unit", "creditsPerUnit": 1}]}
END

# write FROM TO: lines of the log, opened again for each, as a logger does after a rotation.
write() {
  local line
  for ((line = $1; line <= $2; line++)); do
    printf '{"account":"ana","key":"call-%d","model":"unit","usage":{"units":1}}\n' $line >>usage.ndjson
  done
}

criterion 'a log that is not there fails, and bills nothing'
refuse 66 "$bill" usage.ndjson.1 usage.ndjson
expect_equal "$(credit-history --all --type usage --limit 0 | wc -l)" 0

criterion 'each line of a rotated log is charged once'
write 1 400 &
writer=$!
for ((turn = 1; turn <= 4; turn++)); do
  run "$bill" usage.ndjson.1 usage.ndjson
  if [ -e usage.ndjson ]; then mv usage.ndjson usage.ndjson.1; fi
  run "$bill" usage.ndjson.1 usage.ndjson
done
wait $writer
run "$bill" usage.ndjson.1 usage.ndjson
run "$bill" usage.ndjson.1 usage.ndjson
expect_equal "$(credit-history --all --type usage --limit 0 --get key | sort -u | wc -l)" 400
expect_balance ana 600

criterion 'a line that is still being written waits'
printf '{"account":"ana","key":"call-401","mod' >>usage.ndjson
run "$bill" usage.ndjson.1 usage.ndjson
expect_balance ana 600
printf 'el":"unit","usage":{"units":1}}\n' >>usage.ndjson
run "$bill" usage.ndjson.1 usage.ndjson
expect_balance ana 599

done_testing
