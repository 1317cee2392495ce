#!/bin/bash
# A scenario to copy: a free plan with 20 requests an hour and 1,000,000 tokens a day, whatever they
# cost. Its days begin in Tokyo. Each criterion has its requirement as its name; the clock is the
# scenario's own.
. "$(dirname "$0")/harness.bash"

# A fixed offset needs no zone files; a name such as Asia/Tokyo knows summer time, too. Under
# "overdraft": "deny" no charge exceeds a limit.
store <<'END'
{
  "version": 1,
  "clock": "simulated",
  "timeZone": "+09:00",
  "starterCredits": 1000000,
  "overdraft": "deny",
  "models": [{"id": "chat", "usdPer1M": {"input": "0.10", "output": "0.40"}}],
  "plans": [
    {"id": "free", "limits": [
      {"id": "calls", "period": "hour", "unit": "requests", "credits": 20, "alerts": [80, 100]},
      {"id": "tokens", "period": "day", "unit": "tokens", "credits": 1000000}
    ]}
  ]
}
END

# chat COUNT TOKENS: requests for that many answers for ana, each with a key of its own.
chat() {
  for ((answer = 1; answer <= $1; answer++)); do
    printf '{"account":"ana","key":"%s-%d","model":"chat","usage":{"inputTokens":%d,"outputTokens":10}}\n' \
      "$CREDIT_NOW" $answer $(($2 - 10))
  done
}

section '20 requests an hour'

at 2026-03-10T09:10:00Z

criterion 'The free plan begins with all of its requests and tokens'
run credit-account --account ana --plan free --get limits.0.remaining,limits.1.remaining
expect_output $'20\t1000000'

criterion 'An app is told when 80 percent of the requests are used'
run credit-charge --get limitsCrossed.0.percent < <(chat 16 100)
expect '80'

criterion 'The 21st request of an hour is refused, and says when the next hour begins'
later 10m
run credit-charge < <(chat 4 100)
refuse 14 credit-authorize --account ana
expect '"code":"spend_limit","status":403' '"limit":"calls"' '"resetsAt":"2026-03-10T10:00:00.000Z"'

criterion 'The same request again counts once'
run credit-charge < <(chat 4 100)
expect '"replayed":true'
run credit-balance --account ana --get limits.0.used,limits.1.used
expect_output $'20\t2000'

criterion 'The next hour has 20 requests again'
at 2026-03-10T10:00:00Z
run credit-balance --account ana --get limits.0.remaining,limits.1.remaining
expect_output $'20\t998000'

section '1,000,000 tokens a day'

criterion 'A request that exceeds the tokens of the day is refused, and a smaller one is not'
run credit-charge < <(chat 4 240000)
later 1h
refuse 14 credit-charge --get error.limits.0.limit,error.limits.0.resetsAt < <(chat 1 50000)
expect $'tokens\t2026-03-10T15:00:00.000Z'
run credit-charge --account ana --key short --model chat --input-tokens 30000 --output-tokens 8000 --get creditsCharged
run credit-balance --account ana --get limits.1.used,limits.1.remaining
expect_output $'1000000\t0'

criterion 'The day of the plan begins at midnight in Tokyo'
at 2026-03-10T14:59:59Z
refuse 14 credit-authorize --account ana --get error.limits.0.limit
expect 'tokens'
at 2026-03-10T15:00:00Z
run credit-balance --account ana --get limits.1.used,limits.1.resetsAt
expect_output $'0\t2026-03-11T15:00:00.000Z'

criterion 'An account that pays more has a number of its own'
run credit-account --account ana --limit calls=200 --get limits.0.remaining
expect_output 200

section 'In the end'

criterion 'The books add up'
expect_balanced

done_testing
