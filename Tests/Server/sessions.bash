# The server ends sessions of the tools at random moments (pg_terminate_backend).

server sessions
for accounts in 1 50; do
  new_store
  storm "sessions ended on $accounts" "$charges" "$accounts" end_sessions 30
done
"$cluster" stop "$scratch/sessions"
