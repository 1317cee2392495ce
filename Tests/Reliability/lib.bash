# What the parts share. A part counts its cases in `cases` and reports through `fail`.

failures=0
cases=0
mounts=()

# fail TEXT...: reports a broken promise.
fail() {
  ((failures += 1))
  printf 'FAIL: %s\n' "$*"
  ((failures < 40)) || { echo "too many failures" && exit 1; }
}

# skip TEXT...: notes a check that this machine does not allow.
skip() { printf 'skipped: %s\n' "$*"; }

# leave: takes away everything that the run made.
leave() {
  local mount
  for mount in "${mounts[@]}"; do umount -l "$mount" 2>/dev/null; done
  chmod -R u+rwX "$scratch" 2>/dev/null
  rm -rf "$scratch"
}

policy='{"starterCredits":100000,"clock":"simulated","models":[{"id":"unit","creditsPerUnit":1}],
"plans":[{"id":"daily","quota":20,"period":"day"}]}'
printf '%s\n' "$policy" >policy.json

# new_store DIR: makes a store with an account and some records.
new_store() {
  rm -rf "$1"
  credit-store init --store "$1" --policy "$scratch/policy.json" >/dev/null || fail "init $1"
  charges a 3 | credit-charge --store "$1" >/dev/null || fail "charges to $1"
}

# charges PREFIX N [ACCOUNT]: N requests with keys of their own, of one credit each.
charges() {
  awk -v prefix="$1" -v count="$2" -v account="${3:-alice}" 'BEGIN {
    for (i = 1; i <= count; i++)
      printf "{\"account\":\"%s\",\"key\":\"%s%d\",\"model\":\"unit\",\"usage\":{\"units\":1}}\n",
        account, prefix, i }'
}

# ids: the authorizations of the results or records on standard input that are no errors. An id is whole:
# the line that a killed tool tore is continued by the next tool's first line.
ids() {
  grep '}$' | grep -v '"error"' | grep -Eo '"authorization":{"id":"[0-9a-f-]{36}"' | cut -d '"' -f 6 | sort
}

# state STORE: a store's whole output, without the ids that the tools make.
state() {
  credit-history --store "$1" --all --limit 0 2>&1 |
    sed -E 's/"id":"[0-9a-f]{8}-[0-9a-f-]{27}",//' | sort
  credit-balance --store "$1" --all 2>&1
}

# verified STORE WHAT: checks all of a store, and that an export has all of it.
verified() {
  local records lines
  records=$(credit-store verify --store "$1" --get records 2>&1) ||
    { fail "$2: verify says $records" && return; }
  lines=$(set -o pipefail && credit-store export --store "$1" 2>errors | wc -l) ||
    fail "$2: export: $(<errors)"
  ((lines == records + 2)) || fail "$2: an export of $lines lines of $records records"
}

# acknowledged_once FIRST SECOND WHAT: every result of FIRST that is no error, and has an id, is in
# SECOND as a replay.
acknowledged_once() {
  local lost
  lost=$(grep '"id":.*}$' "$1" | grep -v '"error"' |
    sed 's/,"replayed":true}$/}/; s/}$/,"replayed":true}/' | grep -Fxvf "$2")
  [[ -z $lost ]] || fail "$3: acknowledged and not replayed: $lost; but $(head -c 300 "$2")"
}
