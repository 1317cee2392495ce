# Journals cut at every byte of their last batch, with every byte of a record changed, and a failed
# sync.

new_store whole
charges batch 3 bob | credit-charge --store whole >acknowledged
journal=whole/journal.jsonl
end=$(wc -c <$journal)
last=$(tail -n 4 $journal | wc -c)
state whole >expected

# Records in the index were acknowledged: a journal that was cut below them is damaged, and stays as
# it is.
for ((length = end - last; length < end; length += last / 4)); do
  ((cases += 1))
  rm -rf store && cp -a whole store && truncate -s "$length" store/journal.jsonl
  cp store/journal.jsonl changed
  credit-store verify --store store >output 2>/dev/null
  [[ $? == 70 ]] || fail "acknowledged, cut at $length: $(<output)"
  grep -q '"lost":[1-4]}' output || fail "acknowledged, cut at $length: $(<output)"
  charges batch 3 bob | credit-charge --store store >output 2>&1 &&
    fail "acknowledged, cut at $length: charged"
  cmp -s store/journal.jsonl changed || fail "acknowledged, cut at $length: the journal was changed"
done

# An append that was cut short and is in no index: a cut anywhere in the last batch takes all of
# it, and repeating it brings all of it back.
start=$((end - last))
for ((length = start; length < end; length += ${quick:+20}+1)); do
  ((cases += 1))
  rm -rf store && cp -a whole store && truncate -s "$length" store/journal.jsonl && rm store/index
  [[ $(credit-balance --store store --account bob --get registered) == false ]] ||
    fail "cut at $length: half a batch is there"
  verified store "cut at $length, before anything else"
  charges batch 3 bob | credit-charge --store store >second 2>errors || fail "$length: $(<errors)"
  ! grep -q replayed second || fail "cut at $length: $(<second)"
  verified store "cut at $length"
  if ((length > start)); then
    cmp -s <(tail -c +$((start + 1)) $journal | head -c $((length - start))) \
      store/journal.torn-"$start" || fail "cut at $length: not kept aside"
  fi
  state store >found
  cmp -s found expected || fail "cut at $length: $(diff found expected | head -n 3)"
done

# A changed byte is damage at any place, and the store stays as it is.
last=$(tail -n 1 $journal | wc -c)
for ((place = end - last; place < end; place += ${quick:+9}+1)); do
  for byte in '\001' '\012' x; do
    rm -rf store && cp -a whole store
    printf "$byte" | dd of=store/journal.jsonl bs=1 seek="$place" conv=notrunc status=none
    cmp -s store/journal.jsonl $journal && continue
    ((cases += 1))
    cp store/journal.jsonl changed
    credit-store verify --store store >output 2>/dev/null
    [[ $? == 70 ]] || fail "byte $place changed to $byte: $(<output)"
    grep -q "\"code\":\"corrupt_store\"" output || fail "byte $place to $byte: $(<output)"
    credit-charge --store store --account bob --key new --model unit --units 1 >output 2>&1 &&
      fail "byte $place changed to $byte: charged"
    cmp -s store/journal.jsonl changed || fail "byte $place to $byte: the journal was changed"
  done
done

# Damage further up is found by verify with its line and offset.
for line in 1 2 3 5; do
  ((cases += 1))
  rm -rf store && cp -a whole store
  offset=$(head -n $((line - 1)) $journal | wc -c)
  printf '!' | dd of=store/journal.jsonl bs=1 seek=$((offset + 20)) conv=notrunc status=none
  credit-store verify --store store >output 2>/dev/null
  grep -q "\"line\":$line,\"offset\":$offset" output || fail "line $line: $(<output)"
  # The index was made before: damage in its records is found too, or not read.
  rm store/index
  credit-balance --store store --account alice >output 2>&1 && fail "line $line: $(<output)"
done

# An index of nonsense is made anew.
for bytes in 0 1 100 4096 22528; do
  for source in /dev/zero /dev/urandom whole/journal.jsonl; do
    ((cases += 1))
    rm -rf store && cp -a whole store && head -c "$bytes" $source >store/index
    state store >found
    cmp -s found expected || fail "index of $bytes bytes of $source: $(head -c 300 found)"
    charges batch 3 bob | credit-charge --store store >second 2>errors
    [[ $(grep -c replayed second) == 3 ]] || fail "index of $bytes bytes of $source: $(<second)"
    verified store "index of $bytes bytes of $source"
  done
done

# A sync that fails leaves a mark: no request is served until the store is rebuilt.
if strace -qq -e trace=none true 2>/dev/null; then
  ((cases += 1))
  rm -rf store && cp -a whole store
  request=(--account alice --model unit --units 1 --store store --key)
  strace -qq -o trace -e inject=fdatasync:error=EIO credit-charge "${request[@]}" s >first 2>/dev/null
  grep -q '"outcome":"unknown"' first || fail "a failed sync: $(<first)"
  for key in s t; do
    credit-charge "${request[@]}" "$key" >output 2>/dev/null
    [[ $? == 74 ]] || fail "after a failed sync: $(<output)"
    grep -q 'credit-store rebuild' output || fail "after a failed sync: $(<output)"
  done
  credit-store rebuild --store store >/dev/null || fail "rebuild after a failed sync"
  credit-charge "${request[@]}" s >second || fail "repeated after a failed sync"
  verified store "a failed sync"
  # It had reached the journal, or it was made now: once, in any case.
  [[ $(grep -c '"key":"s"' store/journal.jsonl) == 1 ]] || fail "a failed sync: charged twice"
fi
