# A harness for QA scripts, in one file. Copy it beside a script that begins with
#
#     . "$(dirname "$0")/harness.bash"
#
# The script plays a scenario, criterion by criterion, with its own store in a temporary folder,
# in which it runs; $here is the folder of the script. The report is TAP
# (https://testanything.org), so `prove` runs many of them. The tools are those of
# CREDIT_TOOLS_BIN, else of PATH, else of the release build around the script. QA_KEEP=1 keeps
# the folder, and prints its path.

set -uo pipefail
# `requests | run COMMAND` and `| refuse …` check in this shell: a fault in another one would be lost.
shopt -s lastpipe 2>/dev/null
exec </dev/null
here=$(cd "$(dirname "${BASH_SOURCE[1]}")" && pwd)
if [[ ${CREDIT_TOOLS_BIN-} ]]; then
  PATH=$(cd "$CREDIT_TOOLS_BIN" && pwd):$PATH
elif ! command -v credit-charge >/dev/null; then
  PATH=$PATH:$here/../../.build/release
fi
if ! command -v credit-charge >/dev/null; then
  echo 'Bail out! no credit-charge in PATH, nor in CREDIT_TOOLS_BIN'
  exit 1
fi
folder=$(mktemp -d)
if [[ ${QA_KEEP-} ]]; then echo "# $folder"; else trap 'rm -rf "$folder"' EXIT; fi
cd "$folder" || exit
unset CREDIT_NOW
export CREDIT_STORE=$folder/store

criterion=
skipped=
criteria=0
failures=0
# How many checks the criterion has had so far.
checks=0
# Whether a command that is not there is a reason to skip, not a misspelt helper.
probing=
faults=
output=
ran=

# A command that is not there fails the criterion: most of them are misspelt helpers. Bash calls this in
# a process of its own, so the name goes to a file.
command_not_found_handle() {
  [[ $probing ]] || printf '%s\n' "$1" >>"$folder/unknown-commands"
  printf '%s: command not found\n' "$1" >&2
  return 127
}

## The scenario

# needs FILE...: skips the script if a file is not there, such as an example beside its folder.
needs() {
  local file
  for file; do
    if [[ ! -e $file ]]; then
      echo "1..0 # SKIP no $file"
      exit
    fi
  done
}

# store [FILE]: makes the store. Its policy is in the file, else on standard input, and stays in
# policy.json.
store() {
  cat -- "${1--}" >policy.json
  if ! credit-store init --policy policy.json >/dev/null; then
    echo 'Bail out! no store'
    exit 1
  fi
}

# policy EXPRESSION: gives the store its first policy, edited with sed; '' takes the edits back.
policy() {
  sed "$1" policy.json >edited.json
  run credit-store policy --set edited.json
}

# at TIME: sets the time from here on, if the policy has "clock": "simulated".
at() { export CREDIT_NOW=$1; }

# later DURATION: time passes: 90s, 15m, 1h, 30d or 2w. The time before it is in UTC.
later() {
  local unit=0
  case $1 in *s) unit=1 ;; *m) unit=60 ;; *h) unit=3600 ;; *d) unit=86400 ;; *w) unit=604800 ;; esac
  if [[ ! ${1%?} || ${1%?} == *[!0-9]* || $unit == 0 || ${CREDIT_NOW-} == *T*[!Z] || ! ${CREDIT_NOW-} ]]; then
    echo "Bail out! later $1: it takes 90s, 15m, 1h, 30d or 2w, after a time in UTC"
    exit 1
  fi
  at "$(timestamp $(($(seconds "$CREDIT_NOW") + ${1%?} * unit)))"
}

# section TITLE: a heading of the report.
section() {
  report
  printf '# %s\n' "$1"
}

# criterion NAME [COMMAND...]: begins a criterion; it is met if no check before the next one fails.
# If it needs a command that fails here, it is skipped and the status is 1.
criterion() {
  report
  criterion=$1
  checks=0
  shift
  if (($#)); then
    probing=1
    "$@" >/dev/null 2>&1 || skipped=$1
    probing=
    [[ ! $skipped ]] || return 1
  fi
}

# run COMMAND...: runs a command that must succeed. $output is its standard output, the file
# `errors` its standard error.
run() { refuse 0 "$@"; }

# refuse STATUS COMMAND...: runs a command that must end with this status.
refuse() {
  local expected=$1 status
  ((checks += 1))
  shift
  ran=$*
  output=$("$@" 2>errors)
  status=$?
  if [[ $status != "$expected" ]]; then
    fault "$ran" "expected: exit status $expected" "got:      $status" \
      "output:   $output" "errors:   $(<errors)"
  fi
}

# done_testing: reports the last criterion and the plan; ends the script.
done_testing() {
  report
  printf '1..%d\n' "$criteria"
  ((failures == 0))
  exit
}

## What is expected

# expect TEXT...: each text is in the last output.
expect() {
  local text length
  ((checks += $#))
  for text; do
    length=${#text}
    while [[ $output != *"${text:0:length}"* ]]; do ((length -= 1)); done
    if ((length < ${#text})); then
      differ "$ran" "$text" "${text:0:length}${output#*"${text:0:length}"}"
    fi
  done
}

# expect_no TEXT...: none of the texts is in the last output.
expect_no() {
  local text
  ((checks += $#))
  for text; do
    if [[ $output == *"$text"* ]]; then fault "$ran" "expected: no $text" "got:      $output"; fi
  done
}

# expect_output TEXT: the last output is this.
expect_output() { same "$ran" "$output" "$1"; }

# expect_lines LINE...: the last output has these lines, and no other.
expect_lines() { same "$ran" "$output" "$(printf '%s\n' "$@")"; }

# expect_error TEXT...: standard error of the last command has each text; '' is for
# silence.
expect_error() {
  local text said
  ((checks += $#))
  said=$(<errors)
  for text; do
    if [[ $said != *"$text"* || ! $text && $said ]]; then
      fault "$ran" "expected on standard error: $text" "got: $said"
    fi
  done
}

# expect_balance ACCOUNT CREDITS: the account has this balance now.
expect_balance() { same "balance of $1" "$(balance "$1")" "$2"; }

# expect_equal ACTUAL EXPECTED: two texts are the same.
expect_equal() { same '' "$1" "$2"; }

# expect_balanced: each account's balance is the sum of its history, and the store is sound.
expect_balanced() {
  local account
  for account in $(credit-account --all --get account); do
    same "books of $account" "$(books "$account")" "$(balance "$account")"
  done
  run credit-store verify
  expect '"ok":true'
}

## What may be asked

# seconds TIME: the seconds from 1970 to a time in UTC, a day or a month. Like the one below it
# counts days in years that begin with March; no two systems have the same `date`.
seconds() {
  local year=$((10#${1:0:4})) month=$((10#${1:5:2})) day=${1:8:2} clock=${1:11:8} era
  ((month > 2)) || ((year -= 1, month += 12))
  ((era = year / 400, year %= 400))
  day=$((era * 146097 + year * 365 + year / 4 - year / 100 + (153 * month - 457) / 5 +
    10#${day:-01} - 719469))
  clock=${clock:-00:00:00}
  echo $((day * 86400 + 10#${clock:0:2} * 3600 + 10#${clock:3:2} * 60 + 10#${clock:6:2}))
}

# timestamp SECONDS: that time.
timestamp() {
  local day=$(($1 / 86400 + 719468)) clock=$(($1 % 86400)) era year month
  ((era = day / 146097, day %= 146097))
  ((year = (day - day / 1460 + day / 36524 - day / 146096) / 365))
  ((day -= year * 365 + year / 4 - year / 100, month = (5 * day + 2) / 153))
  ((day -= (153 * month + 2) / 5, month += month < 10 ? 3 : -9, year += era * 400 + (month <= 2)))
  printf '%04d-%02d-%02dT%02d:%02d:%02dZ\n' $year $month $((day + 1)) \
    $((clock / 3600)) $((clock / 60 % 60)) $((clock % 60))
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

## Faults

# interrupt FILE COMMAND...: serves the requests of a file, and kills the command when it has
# answered some and the others have just been sent. Its answers are in the file `answers`.
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
  if (($? != 137)); then fault "$2 ended before it was killed" "$(<errors)"; fi
  exec 3>&-
}

# unrecorded ACCOUNT: the ids of answers that are not in the account's history.
unrecorded() {
  grep -o '"id":"[^"]*"' answers | cut -d '"' -f 4 |
    grep -vxF -f <(credit-history --account "$1" --limit 0 --get id)
}

# fill FILE COMMAND...: serves the requests of a file while the journal may only grow by 1 KiB.
fill() (
  ulimit -f $(($(wc -c <"$CREDIT_STORE/journal.jsonl") / 1024 + 1))
  trap '' XFSZ
  "${@:2}" <"$1"
)

## The report

# same WHAT ACTUAL EXPECTED: fails if the texts differ, and notes the place.
same() {
  ((checks += 1))
  if [[ $2 != "$3" ]]; then differ "$1" "$3" "$2"; fi
}

# differ WHAT EXPECTED GOT: notes both, one below the other, from just before their first
# difference.
differ() {
  local expected=${2//$'\n'/\\n} got=${3//$'\n'/\\n} place=0 from=0 before=
  while ((place < ${#expected})) && [[ ${expected:place:1} == "${got:place:1}" ]]; do
    ((place += 1))
  done
  if ((place > 40)); then from=$((place - 37)) before=...; fi
  expected=$before${expected:from}
  got=$before${got:from}
  ((${#expected} <= 120)) || expected=${expected:0:117}...
  ((${#got} <= 120)) || got=${got:0:117}...
  fault "$1" "expected: $expected" "got:      $got" \
    "$(printf '%*s^' $((10 + ${#before} + place - from)) '')"
}

# fault WHAT [LINE...]: notes a failure ('' is for the script's own line), with its place in the
# script.
fault() {
  local name=${0##*/} number=${BASH_LINENO[${#BASH_LINENO[@]} - 2]} line
  line="$name:$number: ${1:-$(sed -n "${number}p" "$here/$name")}"
  faults+="#   ${line//$'\n'/ }"$'\n'
  for line in "${@:2}"; do
    line=${line//$'\n'/ }
    faults+="#     ${line:0:500}"$'\n'
  done
}

# report: prints the outcome of the current criterion.
report() {
  local result=ok
  [[ $criterion ]] || return 0
  # A number sign of the name is no directive of TAP.
  criterion=${criterion//#/\\#}
  if [[ $skipped ]]; then
    criterion+=" # SKIP no $skipped"
  elif ((checks == 0)) && [[ ! $faults ]]; then
    faults="#   nothing was checked"$'\n'
  fi
  if [[ -s $folder/unknown-commands ]]; then
    faults+="#   no such command: $(sort -u "$folder/unknown-commands" | tr '\n' ' ')"$'\n'
    rm "$folder/unknown-commands"
  fi
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
