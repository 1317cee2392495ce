#!/bin/bash
# Plays a company's November, day by day, in seconds: 1,000 members in 20 teams, each of which pays for its
# members. Members have limits, and some a gift; teams buy packs, of which the first ones come with a bonus. 20
# members who work alone pay by the week: one late, one no longer, one with a refund.
# Each tool is killed in the middle of its work and started again. In the end the bills of two providers must
# agree with the books, but for one call that went past them.
#
#   month.sh [FOLDER]    leaves the page and a statement in the folder
[[ ! ${1-} ]] || out=$(mkdir -p "$1" && cd "$1" && pwd) || exit
. "$(dirname "$0")/../qa/harness.bash"

store "$here/policy.json"

# interrupted TOOL INPUT OUTPUT: runs a tool that is killed after 1 to 9 ms, and then once more, whole: the
# second run finds the first one's work done.
interrupted() {
  "$1" <"$2" >killed 2>/dev/null &
  sleep "0.00$((RANDOM % 9 + 1))"
  { kill -KILL $! && wait $!; } 2>/dev/null
  (($? != 137)) || ((kills += 1))
  "$1" <"$2" >"$3" 2>/dev/null
}
kills=0

# lines FORMAT: a request a line, of the tab-separated words of standard input.
lines() { awk -F '\t' -v format="$1\n" '{ printf format, $1, $2, $3, $4, $5, $6 }'; }

# numbers N: 01 to N, also for the bash of macOS, whose {01..20} begins with 1.
numbers() { printf '%02d ' $(seq "$1"); }

# The teams, and 50 members of each.
accounts() {
  local team member
  for team in $(numbers 20); do
    printf '{"account":"team-%s"}\n' "$team"
    for member in $(numbers 50); do
      printf '{"account":"m%s%s","parent":"team-%s","plan":"member"}\n' "$team" "$member" "$team"
    done
  done
}

# gifts: 30 credits for the first ten members of each team, from the 10th to the 20th.
gifts() {
  local team member
  for team in $(numbers 20); do
    for member in $(numbers 10); do
      printf '{"account":"m%s%s","key":"gift","type":"bonus","credits":30,"priority":10,%s,%s}\n' "$team" "$member" \
        '"startsAt":"2026-11-10"' '"expiresAt":"2026-11-20"'
    done
  done
}

# packs DAY: a pack for each team of standard input, once a day.
packs() { sort -u | awk -v day="$1" '{
  printf "{\"account\":\"%s\",\"product\":\"pack.10000\",\"transaction\":\"%s-%s\"}\n", $1, $1, day }'; }

# weeks DD: the payments of a day by members who work alone, each for a week from eight o'clock on. One pays for the
# third week two days late; another does not pay after it.
weeks() {
  local alone start=$1 end
  case $1 in
    01 | 08 | 15 | 22 | 29) ;;
    17) start=15 ;;
    *) return ;;
  esac
  end=$((10#$start + 7))
  end=$(printf '2026-%d-%02dT08:00:00Z' $((end > 30 ? 12 : 11)) $((end > 30 ? end - 30 : end)))
  for alone in $(numbers 20); do
    case $1-$alone in
      15-02 | 22-03 | 29-03) continue ;;
      17-02) ;;
      17-*) continue ;;
    esac
    printf '{"account":"s%s","product":"solo.weekly","transaction":"s%s-%s","expiresAt":"%s"}\n' "$alone" "$alone" \
      "$start" "$end"
  done
}

# round DD TIME CALLS: members with credits work; their usage is charged; pools that run low buy a pack.
round() {
  at "2026-11-$1T$2Z"
  lines '{"authorization":"%s","account":"%s","model":"%s"}' <"$3" >asked
  interrupted credit-authorize asked answers
  # The provider serves every authorized member, and keeps its own log.
  grep -o '"authorization":{"id":"[^"]*"' answers | cut -d '"' -f 6 | sort >allowed
  sort "$3" | join -t $'\t' - allowed >worked
  sed "s/^/2026-11-$1"$'\t/' worked >>provider
  lines '{"authorization":"%s","account":"%s","model":"%s","usage":{"inputTokens":%s,"cacheReadTokens":%s,"outputTokens":%s}}' \
    <worked >used
  interrupted credit-charge used receipts
  grep -o '"account":"team-[0-9]*"[^}]*"crossed":\[2000\]' receipts | cut -d '"' -f 4 | packs "$1" >bought
  interrupted credit-topup bought grants
  grep -c '"code":"spend_limit"' answers >>refused
}

# day DD: most calls are made at nine; the third ones of a member at three, if its limit lets it.
day() {
  at "2026-11-$1T08:00:00Z"
  weeks "$1" >due
  [[ ! -s due ]] || interrupted credit-topup due paid
  cat due >>weeks
  [[ $1 != 24 ]] || credit-refund --transaction s04-22 --quiet >refund
  awk -v day="$((10#$1))" -f "$here/calls.awk" >calls
  grep -v -e '^call-[^-]*-[^-]*-3' calls >morning
  grep -e '^call-[^-]*-[^-]*-3' calls >afternoon
  round "$1" 09:00:00 morning
  round "$1" 15:00:00 afternoon
}

# sums: the granted, used, expired, refunded and remaining credits of each grant of standard input.
sums() { sed 's/.*"granted":\([0-9]*\),"used":\([0-9]*\),"expired":\([0-9]*\),"refunded":\([0-9]*\),"left":\([0-9]*\).*/\1 \2 \3 \4 \5/'; }

section 'November'

criterion 'A company has 20 teams and 1,000 members'
at 2026-11-01T00:00:00Z
accounts >requests
interrupted credit-account requests made
run credit-balance --all --get account
expect_equal "$(wc -l <<<"$output")" 1020
run credit-balance --account team-07 --children --get account
expect_equal "$(wc -l <<<"$output")" 50

criterion 'Teams buy packs, with a tenth more on the first day; members get gifts'
for team in $(numbers 20); do echo "team-$team"; done | packs 01 >requests
interrupted credit-topup requests made
run credit-balance --account team-20 --get balance
expect_output 11000
gifts >requests
interrupted credit-topup requests made
run credit-balance --account m0303 --at 2026-11-11 --get balance
expect_output 30

criterion 'Each day is worked, with a process killed at each step'
for number in $(numbers 30); do
  day "$number"
  # A call that was made without asking, and is not in the books.
  [[ $number != 17 ]] || printf '2026-11-17\tcall-x\tm0101\tgpt-5.4-mini\t40000\t0\t900\n' >>provider
  # The machine is started again: the index is of no use any more.
  [[ $number != 2[05] ]] || rm -f "$CREDIT_STORE/index"
done
run credit-store verify
expect '"ok":true'
((kills > 4)) || fault 'kills' "only $kills processes were killed in their work"

section 'December'

at 2026-12-01T08:00:00Z

criterion 'Each call of the providers is billed once, and none of them twice'
sort -u provider | grep -vc call-x >expected
run credit-history --all --type usage --limit 0
history=$output
expect_equal "$(grep -c '"account":"[ms]' <<<"$history")" "$(<expected)"
expect_equal "$(grep '"account":"[ms]' <<<"$history" | grep -o '"id":"call-[^"]*"' | sort | uniq -d)" ''

criterion 'The first bill agrees with the books to the last cent'
sort -u provider | awk -F '\t' -v first=1793491200 -f "$here/bills.awk"
run credit-reconcile anthropic anthropic-usage.json anthropic-cost.json --since 2026-11-01 --until 2026-12-01 \
  --format json < <(grep '"model":"claude' <<<"$history")
expect '"ok":true' '"differenceUSD":"0"'

criterion 'The second has one line that differs, and the call that went past the books is in it'
refuse 15 credit-reconcile openai openai-usage.json openai-cost.json --since 2026-11-01 --until 2026-12-01 \
  --format json < <(grep '"model":"gpt' <<<"$history")
expect_equal "$(grep -vc '"cause":"equal"\|"total":true' <<<"$output")" 1
expect '"day":"2026-11-17","model":"gpt-5.4-mini"' '"cause":"quantity"' '"differenceUSD":"0.03405"'

criterion 'Each week that was paid has its quota, and one that was not, or was refunded, none'
run credit-history --all --type subscription --limit 0 --get id,status
expect_equal "$(wc -l <<<"$output")" 98
expect_equal "$(grep refunded <<<"$output" | cut -f 1)" 's04-22'
used() { credit-history --account "$1" --type usage --since "$2" --until "$3" --limit 0 --get id | wc -l; }
(($(used s02 2026-11-15T08:00:00Z 2026-11-17T08:00:00Z) > 0)) || fault 's02' 'did not work in its days of grace'
(($(used s03 2026-11-22T08:00:00Z 2026-11-25T08:00:00Z) > 0)) || fault 's03' 'did not work in its days of grace'
expect_equal "$(used s03 2026-11-25T08:00:00Z 2026-12-01T08:00:00Z)" 0
expect_equal "$(used s04 2026-11-24T08:00:00Z 2026-11-29T08:00:00Z)" 0
run credit-balance --account s03 --get balance,plan
expect_output $'0\t'
run credit-balance --account s04 --get plan,planUntil
expect_output $'solo\t2026-12-06T08:00:00.000Z'

criterion 'All payments once more, the last one first, change nothing'
credit-balance --all >before
awk '{ week[NR] = $0 } END { while (NR) print week[NR--] }' weeks | credit-topup --get replayed >again
expect_equal "$(sort again | uniq -c | tr -s ' ')" ' 98 true'
expect_equal "$(credit-balance --all | cmp - before)" ''

criterion 'Of each grant, what was granted is used, expired, refunded or left'
run credit-report --by grant < <(credit-history --all --limit 0 | grep -v '"account":"s')
expect_equal "$(($(wc -l <<<"$output") > 240))" 1 # 200 gifts, 20 bonuses, and 20 packs at least
expect_equal "$(sums <<<"$output" | awk '$1 != $2 + $3 + $4 + $5' | head -n 3)" ''
expect_equal "$(sums <<<"$output" | awk '{ left += $5 } END { print left }')" \
  "$(credit-balance --all --get account,balance | awk '!/^s/ { sum += $2 } END { print sum }')"

criterion 'The books add up'
run credit-store verify
expect '"ok":true'

if [[ ${out-} ]]; then
  credit-history --all --limit 0 --month 2026-11 | credit-report --format html --title 'A company' >"$out/page.html"
  credit-history --account team-01 --limit 0 --month 2026-11 |
    credit-report --format statement --account team-01 --month 2026-11 >"$out/statement.html"
fi

done_testing
