# Fails and kills a tool at each of its system calls in turn, once and from there on.

calls=openat,read,pread64,pwrite64,write,fdatasync,fsync,ftruncate,fallocate,mmap,msync,flock
calls+=,fstat,newfstatat,lstat,rename,unlink,mkdir

# An operation is the arguments of a tool, on the store $store, and its input.
operation() {
  op=$1 input=/dev/null
  case $op in
  first) argv=(charge --account alice --key f --model claude-sonnet-4.5 --input-tokens 1200
    --output-tokens 500) ;;
  charge | torn) argv=(charge --account alice --key c --model unit --units 5) ;;
  batch) argv=(charge) input=batch.ndjson ;;
  long) argv=(charge) input=long.ndjson ;;
  topup) argv=(topup --account bob --transaction t1 --credits 50) ;;
  plan) argv=(account --account alice --plan daily) ;;
  init) argv=(store init --policy policy.json) ;;
  policy) argv=(store policy --set policy.json) ;;
  rebuild | marked) argv=(store rebuild) ;;
  esac
  home=$store
  argv[0]=$(command -v "credit-${argv[0]}")
  if [[ $op == first ]]; then
    # The default store, made by its first charge.
    home=$store/credit
    export XDG_DATA_HOME=$store
  else
    argv+=(--store "$store")
  fi
}

new_store plain
cp -a plain torn && printf '{"at":"2026-02-19T10:0' >>torn/journal.jsonl
cp -a plain unindexed && rm unindexed/index
cp -a plain marked && printf 'sync journal.jsonl: Input/output error' >marked/lock
mkdir empty
charges b 50 carol >batch.ndjson
# Two batches, each long enough to be served on another thread and written ahead.
charges l 18000 carol >long.ndjson

# settled WHAT: repairs a store after a fault by its manual, and checks it.
settled() {
  if [[ -s $home/lock ]]; then
    credit-charge --store "$home" --account alice --key c --model unit --units 5 >/dev/null 2>&1 &&
      fail "$1: a marked store serves"
    credit-store rebuild --store "$home" >/dev/null 2>errors || fail "$1: rebuild: $(<errors)"
  fi
  "${argv[@]}" <"$input" >second 2>errors || {
    # A store whose making was not acknowledged can have been made all the same.
    [[ $op == init ]] && cmp -s policy.json "$home/policy.json" && [[ -s $home/journal.jsonl ]]
  } || fail "$1: repeated: $(<errors)"
  acknowledged_once first second "$1"
  verified "$home" "$1"
  state "$home" >found
  cmp -s found expected || fail "$1: $(diff found expected | head -n 5)"
}

# sweep OPERATION TEMPLATE INJECTION...: one run for each system call and injection; N in an injection
# is the call's number.
sweep() {
  local template=$2 injection number
  store=$scratch/store
  operation "$1"
  rm -rf "$store" && cp -a "$template" "$store"
  "${argv[@]}" <"$input" >first 2>errors || fail "$op undisturbed: $(<errors)"
  state "$home" >expected
  for injection in "${@:3}"; do
    for ((number = 1; number < 400; number++)); do
      rm -rf "$store" && cp -a "$template" "$store"
      # The shell reports a killed tool.
      {
        strace -f -qq -o trace -e trace="$calls" -e inject="$calls:${injection/=N/=$number}" \
          "${argv[@]}" <"$input" >first 2>errors
      } 2>/dev/null
      grep -q 'INJECTED\|killed by' trace || break
      ((cases += 1))
      settled "$op, ${injection/=N/=$number}, $(grep -m 1 'INJECTED\|killed' trace | cut -c 1-90)"
    done
  done
}

injections=(error=EIO:when=N signal=KILL:when=N)
if [[ ! $quick ]]; then
  injections+=(error=EIO:when=N+ error=ENOSPC:when=N+ error=ENOSPC:when=N error=EDQUOT:when=N
    error=EINTR:when=N error=EINTR:when=N+2)
fi
if ! strace -qq -e trace=none true 2>/dev/null; then
  skip "faults: strace can't trace here"
  return
fi
sweep first empty "${injections[@]}"
sweep init empty "${injections[@]}"
sweep charge plain "${injections[@]}"
sweep batch plain "${injections[@]}" error=ENOSPC:when=N+
sweep long plain error=EIO:when=N error=ENOSPC:when=N+ signal=KILL:when=N
sweep topup plain "${injections[@]}"
sweep plan plain "${injections[@]}"
sweep policy plain "${injections[@]}"
sweep charge unindexed "${injections[@]}"
sweep rebuild plain "${injections[@]}"
sweep marked marked "${injections[@]}"
sweep torn torn "${injections[@]}"
