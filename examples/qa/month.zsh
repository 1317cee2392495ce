#!/usr/bin/env zsh
# A scenario for zsh, without the harness: a store in a temporary folder, a clock that the script sets, and a
# report in TAP. The tools are those of PATH.
emulate -L zsh
setopt no_unset
folder=$(mktemp -d) || exit
trap 'rm -rf "$folder"' EXIT
export CREDIT_STORE=$folder/store CREDIT_NOW=2026-03-10T09:00:00Z

cat > $folder/policy.json <<'END'
{
  "version": 1,
  "clock": "simulated",
  "starterCredits": 0,
  "models": [{"id": "image", "creditsPerRequest": 1}],
  "plans": [{"id": "basic", "quota": 100, "period": "month"}]
}
END
credit-store init --policy $folder/policy.json > /dev/null || exit

integer count=0 failures=0

# expect OUTPUT COMMAND...: what the command prints.
expect() {
  local wanted=$1 got
  shift
  got=$("$@" 2>&1)
  if [[ $got == "$wanted" ]]; then
    print -r -- "ok $((++count)) - $*"
  else
    print -r -- "not ok $((++count)) - $*"
    print -rl -- "#   expected: $wanted" "#   got:      $got"
    ((++failures))
  fi
}

expect 100 credit-account --account ana --plan basic --get balance
expect 99 credit-charge --account ana --key k1 --model image --flat --get newBalance
expect $'99\ttrue' credit-charge --account ana --key k1 --model image --flat --get newBalance,replayed
CREDIT_NOW=2026-04-01T00:00:00Z
expect $'100\t0' credit-balance --account ana --get balance,quota.used

print "1..$count"
exit $((failures > 0))
