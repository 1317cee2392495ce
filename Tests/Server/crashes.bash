# The server is killed with all of its processes, and started again.

# crash COUNT: kills it that many times.
crash() {
  local count
  for ((count = 0; count < $1; count++)); do
    is_stormy || return 0
    sleep 0.3
    pause
    "$cluster" kill "$scratch/crashes"
    pause
    "$cluster" start "$scratch/crashes" >/dev/null || fail "the server does not start again"
    ((cases += 1))
  done
}

server crashes
for accounts in 1 50; do
  new_store
  storm "server killed on $accounts" "$charges" "$accounts" crash $((quick ? 2 : 20))
done
"$cluster" stop "$scratch/crashes"
