# What the acceptance scripts of the profiles share: a new store with the profile's policy in a temporary
# folder, commands whose outcome is checked, and a report in TAP (https://testanything.org). The tools are
# those of CREDIT_TOOLS_BIN, else of PATH, else of the package's release build.

set -uo pipefail
exec </dev/null
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
criteria=0
failures=0
faults=

# section TITLE: a heading of the document.
section() {
  report
  printf '# %s\n' "$1"
}

# criterion NAME: begins a criterion, named as the document does; it holds if no check before the next one
# fails.
criterion() {
  report
  criterion=$1
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
balance() { credit-balance --account "$1" --get balance; }

# jws PAYLOAD: a signed transaction as StoreKit's local testing sends it, in whose signature nobody trusts.
jws() {
  local part
  for part in '{"alg":"ES256","typ":"JWT"}' "$1" "$(printf '%064d' 0)"; do
    printf '%s' "$part" | base64 | tr '+/' '-_' | tr -d '=\n'
    printf .
  done | sed 's/\.$//'
}

# fault TEXT: notes what failed, and the line of the script.
fault() {
  local frame=1
  while [[ ${BASH_SOURCE[frame]} == "${BASH_SOURCE[0]}" ]]; do ((frame += 1)); done
  faults+="#   line ${BASH_LINENO[frame - 1]}: ${1//$'\n'/ }"$'\n'
}

# report: tells the outcome of the criterion at hand.
report() {
  local result=ok
  [[ $criterion ]] || return 0
  if [[ $faults ]]; then
    result='not ok'
    ((failures += 1))
  fi
  ((criteria += 1))
  printf '%s %d - %s\n%s' "$result" "$criteria" "$criterion" "$faults"
  criterion=
  faults=
}

# done_testing: reports the last criterion and the plan; ends the script.
done_testing() {
  report
  printf '1..%d\n' "$criteria"
  ((failures == 0))
  exit
}
