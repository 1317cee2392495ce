# A connection ends while its COMMIT is on its way. A server that waits for a standby, of which there is
# none, has committed by then, without an answer: the tool must find the outcome by its ids.

# lose_commit COUNT: charges COUNT keys in one batch, whose COMMIT is answered by the session's end.
lose_commit() {
  local pid
  requests "$1" 3 >requests
  standby_wanted yes
  charge <requests >results.1 &
  pid=$(at_commit) || fail "commits: none is waited for"
  # What comes after it is to go through.
  standby_wanted no
  ask "SELECT pg_terminate_backend($pid)" >/dev/null
  wait $! || fail "a lost COMMIT of $1: $(tail -1 messages) $(head -c 300 results.1)"
  settled "a lost COMMIT of $1" "$1" $(($1 < 3 ? $1 : 3))
  ((cases += 1))
}

# replay_late: a receipt that is told again waits for the standby like the commit that was not told of.
replay_late() {
  local pid
  requests 1 1 >requests
  standby_wanted yes
  # Its shell reports the killed call.
  charge <requests >results.1 2>/dev/null &
  pid=$(at_commit) || fail "commits: none is waited for"
  pkill -KILL -g 0 -x credit-charge
  ask "SELECT pg_terminate_backend($pid)" >/dev/null
  wait $!
  wait_seconds=1 charge <requests >results.1
  [[ $? == 69 ]] || fail "a replay does not wait for a standby: $(head -c 300 results.1)"
  standby_wanted no
  ask "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'" >/dev/null
  charge <requests >results.1 || fail "a late replay: $(tail -1 messages)"
  [[ $(jq .replayed results.1) == true ]] || fail "a late replay: $(head -c 300 results.1)"
  settled "a late replay" 1 1
  ((cases += 1))
}

server commits
for count in 1 2 100; do
  new_store
  rm -f results.*
  lose_commit "$count"
done
new_store
rm -f results.*
replay_late
"$cluster" stop "$scratch/commits"
