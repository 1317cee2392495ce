# Many processes at once on one and on many accounts, killed at random: what was acknowledged is there
# once, and the rest when it is repeated.

# storm WORKERS ACCOUNTS KILLS
storm() {
  local worker number account kills=$3
  rm -rf store requests.* results.*
  credit-store init --store store --policy policy.json >/dev/null
  for ((worker = 1; worker <= $1; worker++)); do
    for ((number = 1; number <= 300; number++)); do
      account=$((RANDOM % $2))
      printf '{"account":"a%d","key":"w%d-%d","model":"unit","usage":{"units":1}}\n' \
        "$account" "$worker" "$number"
    done >"requests.$worker"
    : >"results.$worker"
    # Until all is served, from the start: what is done already is replayed.
    {
      for ((number = 0; number < 100; number++)); do
        credit-charge --store store --lock-timeout 30 <"requests.$worker" >>"results.$worker" && break
      done
    } 2>>storm.errors &
  done
  local tools
  while ((kills > 0)); do
    sleep 0.0$((RANDOM % 9 + 1))
    [[ $(jobs -rp) ]] || break
    tools=($(pgrep -P "$(jobs -rp | paste -sd,)" credit-charge 2>/dev/null))
    ((${#tools[@]})) || continue
    kill -KILL "${tools[RANDOM % ${#tools[@]}]}" 2>/dev/null && ((kills -= 1, cases += 1))
  done
  wait
  verified store "storm of $1 on $2"
  local charged
  charged=$(grep -c '"event":"charge"' store/journal.jsonl)
  [[ $charged == $(($1 * 300)) ]] || fail "storm of $1 on $2: $charged charges"
  local total registered
  registered=$(grep -c '"event":"registration"' store/journal.jsonl)
  total=$(credit-balance --store store --all --total | grep -Eo -- '-?[0-9]+' | head -n 1)
  [[ $total == $((registered * 100000 - $1 * 300)) ]] || fail "storm of $1 on $2: total $total"
  # Each receipt that was printed, whole, says what its record says.
  cat results.* | grep '}$' | grep -v '"error"' | grep -o '"id":"[^"]*"' | sort -u >acknowledged
  grep -o '"id":"[^"]*"' store/journal.jsonl | sort -u >recorded
  [[ -z $(comm -23 acknowledged recorded) ]] || fail "storm of $1 on $2: acknowledged and lost"
}

if [[ $quick ]]; then
  storm 3 1 6
  storm 3 50 6
else
  for round in 1 2 3 4 5; do
    storm 8 1 40
    storm 8 1000 40
  done
fi
