# Readers of a damaged journal: they give the same output as before, or report the damage. And a
# sound store is never called damaged during writes, kills and copies.

cat >shared.json <<'END'
{"clock":"simulated","starterCredits":20,"overdraft":"allow","models":[{"id":"unit","creditsPerUnit":1}],
"plans":[{"id":"pro","quota":300,"period":"subscription"}],
"products":[{"id":"pro.monthly","plan":"pro","price":"9.99","currency":"USD"},{"id":"pack","credits":90}]}
END
export CREDIT_STORE=$scratch/shared
credit-store init --policy shared.json >/dev/null || fail "init"
{
  credit-topup --account acme --product pro.monthly --transaction p1 --expires-at 2026-03-19
  credit-topup --account acme --product pack --transaction pack1 --expires-in 300d
  credit-topup --account acme --type bonus --credits 500 --transaction grant1 --models unit --expires-in 10d
  for member in ana ben cem; do credit-account --account $member --parent acme; done
  credit-authorize --account ana --hold 3 --expires-in 30d
  awk 'BEGIN { for (i = 1; i <= 60; i++) {
    split("ana ben cem acme dora", names, " ")
    printf "{\"account\":\"%s\",\"key\":\"k%d\",\"model\":\"unit\",\"usage\":{\"units\":%d},\"tags\":{\"job\":\"%d\"}}\n",
      names[i % 5 + 1], i, i % 9 + 1, i % 3 } }' | while read -r request; do
    credit-charge <<<"$request"
  done
  credit-authorize --account ben --hold 2 --expires-in 30d
  credit-charge --account ana --key k60 --model unit --units 12 --amend
  credit-refund --account ben --key k61
  credit-refund --transaction pack1 --credits 10
  credit-transfer --from dora --to cem --credits 1 --key t1
  credit-topup --account dora --product pack --transaction pack2
} >made 2>&1
unset CREDIT_STORE
verified shared "the shared store"

readers=(
  'credit-balance --account ana'
  'credit-balance --account acme --model unit'
  'credit-balance --account ben --at 2026-02-19T10:00:00Z'
  'credit-balance --all'
  'credit-balance --all --at 2026-02-19T10:00:00Z'
  'credit-balance --all --total'
  'credit-account --all'
  'credit-history --account ana --limit 0'
  'credit-history --account ben --since 2026-02-01 --limit 0'
  'credit-history --account acme --limit 2 --offset 9 --page'
  'credit-history --account cem --type usage --tag job=1 --limit 0'
  'credit-history --account dora --search k'
  'credit-history --grant grant1 --limit 0'
  'credit-history --account ana --open'
  'credit-history --all --open'
  'credit-history --transaction grant1'
  'credit-history --transaction pack1'
  'credit-history --all --limit 0'
  'credit-history --all --month 2026-02 --page'
  'credit-history --account acme --after ""'
  'credit-history --all --after ""'
)
# reader NUMBER STORE: one of the ways to read it.
reader() { eval "${readers[$1]} --store $2" 2>/dev/null; }
for number in "${!readers[@]}"; do
  reader "$number" shared >"said.$number" || fail "${readers[number]}: refused of a sound store"
  [[ -s said.$number ]] || fail "${readers[number]}: says nothing"
done

# tried WHAT: compares each reader's output with that for the sound store. If no index is left, the
# journal's last append may have become a torn one, and verify reports it.
tried() {
  local number status found
  found=$(credit-store verify --store store 2>/dev/null)
  status=$?
  for number in "${!readers[@]}"; do
    ((cases += 1))
    reader "$number" store >output
    case $? in
    0)
      cmp -s output "said.$number" || [[ $index == gone && $found == *'"torn":['* ]] ||
        fail "$1: ${readers[number]} leaves something out: $(head -c 300 output)"
      ;;
    70) ((status == 70)) || fail "$1: ${readers[number]} is refused, and verify says $found" ;;
    *) fail "$1: ${readers[number]}: $(head -c 300 output)" ;;
    esac
  done
}

journal=shared/journal.jsonl
end=$(wc -c <$journal)
first=$((end > 65536 ? end - 65536 : 0))
step=${quick:+41} step=${step:-1}
# damaged WHAT COMMAND...: tries the readers after a command has damaged a copy of the store.
damaged() {
  rm -rf store && cp -a shared store
  [[ $index == there ]] || rm store/index
  "${@:2}"
  truncate -s "$end" store/journal.jsonl
  cmp -s store/journal.jsonl $journal || tried "index $index, $1"
}
# change SOURCE PLACE TO: puts a sector of a file in the place of another one of the journal.
change() { dd if="$1" of=store/journal.jsonl bs=512 skip="$2" seek="$3" count=1 conv=notrunc status=none; }
lose_newline() { printf x | dd of=store/journal.jsonl bs=1 seek="$1" conv=notrunc status=none; }
for index in there gone; do
  number=0
  for place in $(LC_ALL=C grep -abo '}$' $journal | cut -d : -f 1); do
    ((number += 1, place + 1 < first || number % step)) && continue
    damaged "newline $number" lose_newline $((place + 1))
  done
  for ((sector = first / 512; sector * 512 < end; sector += step)); do
    damaged "sector $sector zeroed" change /dev/zero 0 $sector
    damaged "sector $sector doubled" change $journal $sector $((sector + 1))
  done
done

# Eight writers, killed at random, and a check after the other: none of them cries wolf, of the store
# nor of a copy whose index is older than its journal.
rm -rf store
credit-store init --store store --policy policy.json >/dev/null
printf '%s\n' go >going
for worker in 1 2 3 4 5 6 7 8; do
  while [[ -e going ]]; do
    charges "w$worker-$RANDOM-" $((RANDOM % 40 + 1)) "a$((RANDOM % 50))" |
      credit-charge --store store --lock-timeout 30
  done >/dev/null 2>&1 &
done
workers=$(jobs -rp | paste -sd,)
(
  while [[ -e going ]]; do
    sleep 0.0$((RANDOM % 5 + 1))
    tools=($(pgrep -P "$workers" -x credit-charge 2>/dev/null))
    ((${#tools[@]})) && kill -KILL "${tools[RANDOM % ${#tools[@]}]}" 2>/dev/null
  done
) 2>/dev/null &
rounds=${quick:+30}
for ((round = 0; round < ${rounds:-400}; round++)); do
  ((cases += 2))
  credit-store verify --store store >output 2>/dev/null || fail "a store in use: $(head -c 400 output)"
  rm -rf copy && mkdir copy && cp store/lock store/policy.json copy/
  cp store/index copy/ 2>/dev/null
  cp store/journal.jsonl copy/
  credit-store verify --store copy >output 2>/dev/null || fail "a copy of a store in use: $(head -c 400 output)"
  credit-doctor --store copy >output 2>/dev/null || fail "a copy of a store in use: $(head -c 400 output)"
done
rm going
wait
verified store "after the writers"
