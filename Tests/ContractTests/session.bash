# Runs the commands of one transcript, in order and in this one shell, so that variables, functions,
# co-processes and the working directory carry over from one command to the next.
#
#   bash session.bash STEPS     STEPS/0001.command … → STEPS/0001.output, .errors and .status

# new_store [POLICY]: makes a new store and sends every later command to it. POLICY is a policy file or
# the policy's own JSON text; without it the built-in default holds. For a gate other than the local
# directory set CREDIT_CONTRACT_STORE to a command that makes a store, with the policy file as its one
# optional argument, and prints the store's address.
new_store() {
  local policy=${1-}
  ((_stores += 1))
  if [[ $policy == '{'* ]]; then
    printf '%s\n' "$policy" >"policy-$_stores.json"
    policy="policy-$_stores.json"
  fi
  if [[ ${CREDIT_CONTRACT_STORE-} ]]; then
    CREDIT_STORE=$("$CREDIT_CONTRACT_STORE" ${policy:+"$policy"}) || return
  else
    CREDIT_STORE="$PWD/store-$_stores"
    credit-store init --store "$CREDIT_STORE" ${policy:+--policy "$policy"} --quiet >/dev/null || return
  fi
  export CREDIT_STORE
}

# terminal COMMAND: the output of a shell command on a terminal of 80 columns, or of $COLUMNS.
terminal() (
  set -o pipefail
  COLUMNS=${COLUMNS-80} TERM=${TERM-dumb} script -qec "$*" /dev/null </dev/null | tr -d '\r'
)

_stores=0
_steps=$1
set --
for _step in "$_steps"/*.command; do
  _step=${_step%.command}
  eval "$(<"$_step.command")" >"$_step.output" 2>"$_step.errors" </dev/null
  echo $? >"$_step.status"
done

# What a transcript left running ends with its shell.
kill -KILL -$$
