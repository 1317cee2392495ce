# Clients are killed at random moments.

# kill_clients COUNT: kills that many.
kill_clients() {
  local count=$1 tools
  while ((count > 0)) && is_stormy; do
    pause
    mapfile -t tools < <(pgrep -g 0 -x credit-charge)
    ((${#tools[@]})) || continue
    kill -KILL "${tools[RANDOM % ${#tools[@]}]}" 2>/dev/null && ((count -= 1, cases += 1))
  done
}

server clients
for accounts in 1 50; do
  new_store
  storm "clients killed on $accounts" "$charges" "$accounts" kill_clients $((quick ? 20 : 100))
done
"$cluster" stop "$scratch/clients"
