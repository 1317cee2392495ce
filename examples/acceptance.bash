# What the acceptance scripts of the profiles share: a new store with the profile's policy in a temporary
# folder, commands whose outcome is checked, faults, and a report in TAP (https://testanything.org). The
# tools are those of CREDIT_TOOLS_BIN, else of PATH, else of the package's release build.

set -uo pipefail
exec </dev/null
. "$(dirname "${BASH_SOURCE[0]}")/appstore.bash"
profile=$(cd "$(dirname "${BASH_SOURCE[1]}")" && pwd)
if [[ ${CREDIT_TOOLS_BIN-} ]]; then
  PATH=$(cd "$CREDIT_TOOLS_BIN" && pwd):$PATH
elif ! command -v credit-charge >/dev/null; then
  PATH=$profile/../../.build/release:$PATH
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit
unset CREDIT_NOW
export CREDIT_STORE=$folder/store
if ! credit-store init --policy "$profile/policy.json" >/dev/null; then
  echo 'Bail out! no store'
  exit 1
fi

criterion=
skipped=
criteria=0
failures=0
faults=

# section TITLE: a heading of the document.
section() {
  report
  printf '# %s\n' "$1"
}

# criterion NAME [COMMAND...]: begins a criterion, named as the document does; it holds if no check before
# the next one fails. If it needs a command that fails here, it is skipped and the status is 1.
criterion() {
  report
  criterion=$1
  shift
  if (($#)) && ! "$@" >/dev/null 2>&1; then
    skipped=$1
    return 1
  fi
}

# run COMMAND...: runs a command that must succeed; $output is what it printed.
run() { refuse 0 "$@"; }

# refuse STATUS COMMAND...: runs a command that must end with this status.
refuse() {
  local expected=$1 status
  shift
  output=$("$@" 2>errors)
  status=$?
  if [[ $status != "$expected" ]]; then
    fault "$* ended with $status instead of $expected: $output $(<errors)"
  fi
}

# has TEXT...: each text is in the last output.
has() {
  local text
  for text; do
    if [[ $output != *"$text"* ]]; then fault "no $text in: $output"; fi
  done
}

# lacks TEXT...: none of the texts is in the last output.
lacks() {
  local text
  for text; do
    if [[ $output == *"$text"* ]]; then fault "$text in: $output"; fi
  done
}

# is ACTUAL EXPECTED: two texts are the same.
is() {
  if [[ $1 != "$2" ]]; then fault "$1 instead of $2"; fi
}

# balance ACCOUNT: the balance that an account has now.
balance() { credit-balance --account "$1" --get balance --quiet; }

# books ACCOUNT: the sum of the account's history, which is its balance.
books() {
  local status credits sum=0
  for status in completed refunded; do
    for credits in $(credit-history --account "$1" --limit 0 --status $status --get credits); do
      ((sum += credits))
    done
  done
  printf '%s\n' $sum
}

# balanced: every account has what its history sums to, and no record of the store is wrong.
balanced() {
  local account
  for account in $(credit-account --all --get account); do
    is "$(books "$account")" "$(balance "$account")"
  done
  run credit-store verify
  has '"ok":true'
}

# policy EXPRESSION: gives the store the profile's policy, edited with sed; '' takes the edits back.
policy() {
  sed "$1" "$profile/policy.json" >policy.json
  run credit-store policy --set policy.json
}

# interrupt FILE COMMAND...: serves the requests of a file, and kills the command when it has answered some
# and the others have just been sent. Its answers are in the file `answers`.
interrupt() {
  local half process
  half=$(($(wc -l <"$1") / 2))
  rm -f requests
  mkfifo requests
  "${@:2}" <requests >answers 2>errors &
  process=$!
  exec 3>requests
  head -n $half "$1" >&3
  for _ in {1..200}; do
    if [[ -s answers ]]; then break; fi
    sleep 0.01
  done
  tail -n +$((half + 1)) "$1" >&3
  { kill -9 $process && wait $process; } 2>/dev/null
  if (($? != 137)); then fault "$2 ended before it was killed: $(<errors)"; fi
  exec 3>&-
}

# unrecorded ACCOUNT: the ids of answers that are not in the account's history.
unrecorded() {
  grep -o '"id":"[^"]*"' answers | cut -d '"' -f 4 |
    grep -vxF -f <(credit-history --account "$1" --limit 0 --get id)
}

# fill FILE COMMAND...: serves the requests of a file where the journal may only grow by 1 KiB.
fill() (
  ulimit -f $(($(wc -c <"$CREDIT_STORE/journal.jsonl") / 1024 + 1))
  trap '' XFSZ
  "${@:2}" <"$1"
)

# fault TEXT: notes what failed, and the line of the script.
fault() {
  local frame=1 text
  while [[ ${BASH_SOURCE[frame]} == *.bash ]]; do ((frame += 1)); done
  text=${1//$'\n'/ }
  faults+="#   line ${BASH_LINENO[frame - 1]}: ${text:0:500}"$'\n'
}

# report: tells the outcome of the criterion at hand.
report() {
  local result=ok
  [[ $criterion ]] || return 0
  if [[ $skipped ]]; then criterion+=" # SKIP no $skipped"; fi
  if [[ $faults ]]; then
    result='not ok'
    ((failures += 1))
  fi
  ((criteria += 1))
  printf '%s %d - %s\n%s' "$result" "$criteria" "$criterion" "$faults"
  criterion=
  skipped=
  faults=
}

# done_testing: reports the last criterion and the plan; ends the script.
done_testing() {
  report
  printf '1..%d\n' "$criteria"
  ((failures == 0))
  exit
}
