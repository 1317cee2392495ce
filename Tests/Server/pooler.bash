# PgBouncer stands between, which gives each transaction another of its few sessions; some are ended.

server pooled
pool=$("$cluster" pgbouncer "$scratch/pooled" "$scratch/pool") || fail "no pooler"
for accounts in 1 50; do
  new_store
  store=${store/"$scratch/pooled"/"$scratch/pool"}
  books=$store
  storm "a pooler on $accounts" "$charges" "$accounts" end_sessions 20
done
"$cluster" stop "$scratch/pool"
"$cluster" stop "$scratch/pooled"
