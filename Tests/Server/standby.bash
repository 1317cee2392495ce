# The server is killed for good, and its synchronous standby takes over.

# take_over: clients find the other server by themselves.
take_over() {
  sleep 1
  pause
  "$cluster" kill "$scratch/primary"
  "$cluster" promote "$scratch/standby" || fail "the standby does not take over"
  ((cases += 1))
}

for round in $(seq $((quick ? 1 : 5))); do
  server primary
  new_store
  "$cluster" standby "$scratch/primary" "$scratch/standby" >/dev/null || fail "no standby"
  store="$store,$scratch/standby&target_session_attrs=read-write"
  books=$store
  storm "a standby" "$charges" 20 take_over
  "$cluster" stop "$scratch/primary"
  "$cluster" stop "$scratch/standby"
done
