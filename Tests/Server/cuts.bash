# The network between a client and the server is cut: for a moment, for longer than a client waits, and
# while a COMMIT is on its way. Both are in networks of their own, which have only a cable.

# new_network: two ends of a cable, each in a space of its own.
new_network() {
  spaces=("credit-server-$$" "credit-client-$$")
  ip netns add "${spaces[0]}" 2>/dev/null && ip netns add "${spaces[1]}" 2>/dev/null &&
    ip -n "${spaces[0]}" link add server type veth peer name client netns "${spaces[1]}" &&
    ip -n "${spaces[0]}" address add 192.0.2.1/30 dev server &&
    ip -n "${spaces[1]}" address add 192.0.2.2/30 dev client &&
    ip -n "${spaces[0]}" link set server up && ip -n "${spaces[1]}" link set client up
}

# network up|down: packets pass, or are lost without a word.
network() { ip -n "${spaces[0]}" link set server "$1"; }

# tcp: `store` as it is reached through the network.
tcp() {
  local name=${store##*@/}
  store="postgres://nobody@192.0.2.1/${name%%\?*}?sslmode=disable"
}

# cut_at_commit: the server commits without telling the client, whose outcome is unknown. The same
# request gets it later.
cut_at_commit() {
  local pid
  requests 1 1 >requests
  standby_wanted yes
  wait_seconds=3 charge <requests >unsure &
  at_commit >/dev/null || fail "cuts: no COMMIT is waited for"
  network down
  standby_wanted no
  wait $! && fail "a cut COMMIT: it is acknowledged"
  [[ $(jq -r '.error.code + " " + .error.outcome' unsure) == 'unavailable unknown' ]] ||
    fail "a cut COMMIT: $(head -c 300 unsure)"
  network up
  charge <requests >results.1 || fail "a cut COMMIT: $(tail -1 messages)"
  [[ $(jq .replayed results.1) == true ]] || fail "a cut COMMIT is not replayed"
  settled "a cut COMMIT" 1 1
  ((cases += 1))
}

# cut_network COUNT: cuts it that many times.
cut_network() {
  local count
  for ((count = 0; count < $1; count++)); do
    is_stormy || return 0
    sleep 0.3
    pause
    network down
    # Each second one is longer than the clients wait.
    sleep $((count % 2 ? 12 : 1))
    network up
    ((cases += 1))
  done
}

cut_all() {
  local count
  beside="ip netns exec ${spaces[0]}" server cuts listen_addresses=192.0.2.1
  echo 'host all all 192.0.2.0/30 trust' >>"$scratch/cuts/data/pg_hba.conf"
  ask 'SELECT pg_reload_conf()' >/dev/null
  within="ip netns exec ${spaces[1]}"
  for count in $(seq $((quick ? 1 : 3))); do
    new_store
    tcp
    rm -f results.*
    cut_at_commit
  done
  new_store
  tcp
  wait_seconds=3
  storm "a cut network" "$charges" 10 cut_network $((quick ? 2 : 20))
  wait_seconds=20 within=
  "$cluster" stop "$scratch/cuts"
}

if ((EUID)); then
  skip "cuts: only root makes networks"
elif new_network; then
  cut_all
  remove_network
else
  skip "cuts: this system lets nobody make networks"
fi
