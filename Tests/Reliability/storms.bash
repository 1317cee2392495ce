# Many processes at once on one and on many accounts, killed at random: acknowledged requests are recorded
# once, and the others when they are repeated.

# storm WORKERS ACCOUNTS KILLS REQUESTS STREAMED: half of the workers charge one by one, the others in
# streams, which are long enough to be killed.
storm() {
  local worker request kills=$3 tools total registered charged asked=$(($1 / 2 * ($4 + $5)))
  rm -rf store requests.* results.*
  printf '%s\n' "${policy/100000/1000000}" >storm.json
  credit-store init --store store --policy storm.json >/dev/null
  for ((worker = 1; worker <= $1; worker++)); do
    awk -v worker="$worker" -v accounts="$2" -v count=$((worker % 2 ? $4 : $5)) -v seed=$RANDOM 'BEGIN {
      srand(seed)
      for (i = 1; i <= count; i++)
        printf "{\"account\":\"a%d\",\"key\":\"w%d-%d\",\"model\":\"unit\",\"usage\":{\"units\":1}}\n",
          rand() * accounts, worker, i }' >"requests.$worker"
    if ((worker % 2)); then
      while read -r request; do
        until credit-charge --store store --lock-timeout 30 <<<"$request"; do :; done
      done <"requests.$worker" >"results.$worker" 2>/dev/null &
    else
      # From the start again: finished requests are replayed.
      until credit-charge --store store --lock-timeout 30 <"requests.$worker"; do :; done \
        >"results.$worker" 2>/dev/null &
    fi
  done
  while ((kills > 0)) && [[ $(jobs -rp) ]]; do
    sleep 0.0$((RANDOM % 4 + 1))
    tools=($(pgrep -P "$(jobs -rp | paste -sd,)" -x credit-charge 2>/dev/null))
    ((${#tools[@]})) || continue
    kill -KILL "${tools[RANDOM % ${#tools[@]}]}" 2>/dev/null && ((kills -= 1, cases += 1))
  done
  wait
  verified store "storm of $1 on $2"
  charged=$(grep -c '"event":"charge"' store/journal.jsonl)
  [[ $charged == "$asked" ]] || fail "storm of $1 on $2: $charged charges"
  registered=$(grep -c '"event":"registration"' store/journal.jsonl)
  total=$(credit-store verify --store store --get credits)
  [[ $total == $((registered * 1000000 - asked)) ]] || fail "storm of $1 on $2: total $total"
  # Each result that was printed, whole, is in the journal.
  ids <store/journal.jsonl >kept
  [[ -z $(uniq -d kept) ]] || fail "storm of $1 on $2: charged twice"
  [[ -z $(cat results.* | ids | uniq | comm -23 - kept) ]] || fail "storm of $1 on $2: lost"
}

if [[ $quick ]]; then
  storm 4 1 10 200 40000
  storm 4 50 10 200 40000
else
  for round in 1 2 3 4 5; do
    storm 16 1 60 1500 60000
    storm 16 1000 60 1500 60000
  done
fi
