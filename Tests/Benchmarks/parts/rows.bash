# The rows in the order of the table.
all_rows=(
  settle-in-order settle-random settle-few charge-keyed charge-random-keys charge-new-accounts
  charge-spaces charge-tags charge-openai charge-anthropic charge-response charge-pretty charge-plan
  charge-grants charge-pool
  charge-arrears amend authorize topup topup-bonus pipeline balance-all one-charge one-response one-balance
  one-charge-large growth
  verify rebuild memory-verify memory-rebuild
)

# A row is a file in rows/ that sets
#
#   title       its name in the table
#   operations  their number in a whole run
#   wanted      the highest ratio to sqlite3 that is wanted, or a figure with its unit
#   runs        its runs per run of the others (1)
#   kind        ratio: many operations; process: one call; memory; growth
#
# and defines prepare (makes inputs and stores that are only read), reset (brings back what a run
# changes, and removes its output: to empty a file of the round before takes the shell up to a
# third of the time), credit and sqlite (one run each; no sqlite if there is no comparison)
# and same (whether both have the same result). They run in a directory of the row's own. If a
# row is of kind process, credit and sqlite run their command by way of `process`.

# A store with a number of charges, shared by several rows.
large_store() {
  large_path=$work/large-$1
  [[ -d $large_path ]] && return
  new_store "$large_path"
  make_charges "$1" | credit-charge --store "$large_path" >/dev/null
  settle_policy "$large_path"
}

# The policy's index is made by the first call that finds the policy unchanged for a while: after that
# each call costs the same.
settle_policy() {
  sleep 0.1
  credit-balance --store "$1" --account user0 >/dev/null 2>&1 || true
}

# Loads a row for a number of operations, in a directory of its own.
load_row() {
  runs=1 wanted='' kind=ratio
  prepare() { :; }
  reset() { :; }
  same() { :; }
  unset -f sqlite
  source "$here/rows/$1.bash"
  count=${2:-$((operations / divisor))}
  rm -rf "${work:?}/$1"
  mkdir "$work/$1"
  cd "$work/$1"
  make_policy
}

# Where a row's functions find the tools: their own directory, or one of stand-ins that count.
use_tools() { export PATH=$1:$base_path; }
base_path=$PATH
use_tools "$tools"
