# Sectors and ranges of a journal's end zeroed, doubled, swapped and cut, with and without its index:
# acknowledged records are never dropped in silence, all readers agree, and the store can
# be continued on request.

new_store whole
for ((batch = 0; batch < 40; batch++)); do
  charges "s$batch-" $((RANDOM % 4 + 1)) "acct$((RANDOM % 9))" | credit-charge --store whole >/dev/null
done
journal=whole/journal.jsonl
size=$(wc -c <$journal)

# piece FROM COUNT: bytes of the journal.
piece() { tail -c +$(($1 + 1)) $journal | head -c "$2"; }

turns=600
[[ -z $quick ]] || turns=60
for ((turn = 0; turn < turns; turn++)); do
  ((cases += 1))
  if ((RANDOM % 2)); then
    count=512 start=$((RANDOM % (size / 512) * 512))
  else
    count=$((RANDOM % 60 + 1)) start=$((size - 1 - (RANDOM * 7) % (size < 65536 ? size / 2 : 65536)))
  fi
  ((start >= count)) || start=$count
  ((start + count <= size)) || count=$((size - start))
  before=$((start - count)) behind=$((start + count))
  ways=(zeroed doubled swapped cut)
  way=${ways[RANDOM % 4]}
  rm -rf store dropped && cp -a whole store
  {
    case $way in
    zeroed) piece 0 $start && head -c $count /dev/zero ;;
    doubled) piece 0 $start && piece $before $count ;;
    swapped) piece 0 $before && piece $start $count && piece $before $count ;;
    cut) piece 0 $start ;;
    esac
    piece $behind $size
  } >store/journal.jsonl
  cmp -s store/journal.jsonl $journal && continue
  has_index=$((RANDOM % 2))
  ((has_index)) || rm store/index
  what="seed $seed, turn $turn: $way $start+$count, index $has_index"
  cp store/journal.jsonl changed
  credit-store verify --store store >found 2>/dev/null
  status=$?
  cmp -s store/journal.jsonl changed || fail "$what: verify changed the journal"
  if ((status == 0)); then
    ((!has_index)) || fail "$what: the index knows more, and verify says $(<found)"
    charges new 1 | credit-charge --store store >output 2>&1 || fail "$what: $(<output)"
    verified store "$what"
    continue
  fi
  [[ $status == 70 ]] || fail "$what: verify ends with $status: $(head -c 300 found)"
  credit-store rebuild --store store >output 2>&1
  # Whole lines that are missing or too many are only noticed by a replay of all records.
  if [[ $way == zeroed ]]; then
    cmp -s store/journal.jsonl changed || fail "$what: rebuild changed the journal"
    credit-store export --store store >output 2>&1 && fail "$what: exported"
  fi
  credit-store rebuild --store store --drop-damaged dropped >output 2>errors
  status=$?
  if ((status == 0)); then
    verified store "$what, dropped"
    charges new 2 | credit-charge --store store >output 2>&1 || fail "$what, dropped: $(<output)"
    verified store "$what, dropped, and gone on with"
  elif [[ $way == zeroed ]]; then
    fail "$what: could not be dropped: $(<errors)"
  else
    [[ $status == 70 && ! -e dropped ]] || fail "$what: $status $(<errors)"
    cmp -s store/journal.jsonl changed || fail "$what: changed the journal, and failed: $(<errors)"
  fi
done
