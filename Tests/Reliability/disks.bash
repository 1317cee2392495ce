# Disks that are full, too small, read-only or out of bounds, names that are something else, and a
# lock that is never released.

# expect STATUS CODE WHAT COMMAND...: runs a tool that must fail in this way, with an error in JSON.
expect() {
  local status=$1 code=$2 what=$3 got
  shift 3
  ((cases += 1))
  timeout 20 "$@" >output 2>errors
  got=$?
  [[ $got == "$status" ]] || fail "$what: exit $got, not $status: $(<errors)"
  [[ -z $code ]] || grep -q "\"code\":\"$code\"" output || fail "$what: $(<output)"
}

charge=(credit-charge --account alice --model unit --units 1)

# A file size limit, in units of 1 KiB: no half request at any limit.
new_store limited
before=$(wc -c <limited/journal.jsonl)
for ((size = 0; size < 64; size += ${quick:+7}+1)); do
  ((cases += 1))
  rm -rf store && cp -a limited store
  (ulimit -f "$size" && trap '' XFSZ && charges l 100 | credit-charge --store store) >first 2>errors
  charges l 100 | credit-charge --store store >second 2>errors || fail "ulimit $size: $(<errors)"
  acknowledged_once first second "ulimit -f $size"
  verified store "ulimit -f $size"
  [[ $(credit-balance --store store --account alice --get balance) == 99897 ]] ||
    fail "ulimit -f $size: balance $(credit-balance --store store --account alice --get balance)"
done
((before > 0)) || fail "no journal"

# A limit of addresses, which leaves a stream no thread beside its own.
for ((limit = 60000; limit <= 140000; limit += 20000)); do
  ((cases += 1))
  rm -rf store && cp -a limited store
  charges v 20000 | (ulimit -v "$limit" && credit-charge --store store) >first 2>errors ||
    fail "ulimit -v $limit: $(<errors)"
  (($(wc -l <first) == 20000)) || fail "ulimit -v $limit: $(wc -l <first) results"
  verified store "ulimit -v $limit"
done

# The same with each request of the plain form followed by another one, and with
# long records of the account.
((cases += 2))
rm -rf store && cp -a limited store
awk 'BEGIN { for (i = 0; i < 20000; i++) print i % 2 ? "{\"account\":\"alice\"}" : "{ }" }' |
  (ulimit -v 80000 && credit-authorize --store store) >first 2>errors ||
  fail "short runs under ulimit -v: $(<errors)"
(($(wc -l <first) == 20000)) || fail "short runs under ulimit -v: $(wc -l <first) results"
verified store "short runs under ulimit -v"
awk 'BEGIN {
  for (i = 1; i <= 400; i++)
    printf "{\"account\":\"alice\",\"key\":\"b%d\",\"credits\":9,\"expiresAt\":\"2%03d-01-01T00:00:00Z\"}\n",
      i, 100 + i }' | credit-topup --store store >/dev/null
charges w 1000 | (ulimit -v 60000 && credit-charge --store store) >first 2>errors ||
  fail "long records under ulimit -v: $(<errors)"
(($(wc -l <first) == 1000)) || fail "long records under ulimit -v: $(wc -l <first) results"
verified store "long records under ulimit -v"

if mkdir small && mount -t tmpfs -o size=256k tmpfs small 2>/dev/null; then
  mounts+=("$PWD/small")
  # A full disk: charges until it is, then room, then all of them again.
  credit-store init --store small/store --policy policy.json >/dev/null
  charges s 2000 >requests
  credit-charge --store small/store <requests >first 2>errors && fail "256 KiB hold everything"
  grep -q '"code":"io_error"' first || fail "a full disk: $(tail -n 1 first)"
  verified small/store "a full disk"
  expect 74 io_error "a full disk's doctor" credit-doctor --store small/store
  mount -o remount,size=16m small
  credit-charge --store small/store <requests >second 2>errors || fail "room again: $(<errors)"
  acknowledged_once first second "a full disk"
  [[ $(credit-balance --store small/store --account alice --get balance) == 98000 ]] ||
    fail "a full disk: $(credit-balance --store small/store --account alice)"
  verified small/store "room again"
  # A read-only one: reading goes on.
  mount -o remount,ro small
  expect 77 permission_denied "read-only charge" "${charge[@]}" --key r --store small/store
  expect 0 "" "read-only balance" credit-balance --account alice --store small/store
  expect 0 "" "read-only history" credit-history --account alice --store small/store
  expect 0 "" "read-only verify" credit-store verify --store small/store
  expect 77 permission_denied "read-only init" credit-store init --store small/other
  umount small
else
  skip "full and read-only disks: no mount here"
fi

# Somebody else's store.
if [[ $(id -u) == 0 ]] && setpriv --reuid 65534 --clear-groups true 2>/dev/null; then
  nobody=(setpriv --reuid 65534 --regid 65534 --clear-groups)
  new_store private
  chmod 755 .
  expect 77 permission_denied "another's store" \
    "${nobody[@]}" "$(command -v credit-charge)" --account alice --key p --model unit --units 1 \
    --store private
  expect 77 permission_denied "another's balance" \
    "${nobody[@]}" "$(command -v credit-balance)" --account alice --store private
  verified private "another's store"
else
  skip "permissions: not root"
fi

# Something else in the place of a file: refused, never followed, never waited for.
for name in journal.jsonl lock index policy.json; do
  for kind in directory link dangling fifo; do
    rm -rf store && cp -a limited store && mv "store/$name" elsewhere
    cp elsewhere kept
    case $kind in
    directory) mkdir "store/$name" ;;
    link) ln -s ../elsewhere "store/$name" ;;
    dangling) ln -s ../nowhere "store/$name" ;;
    fifo) mkfifo "store/$name" ;;
    esac
    ((cases += 1))
    timeout 20 "${charge[@]}" --key x --store store >output 2>errors </dev/null
    status=$?
    [[ $status == 70 || $status == 74 || $status == 78 ]] ||
      fail "$name is a $kind: exit $status, $(<output)"
    cmp -s elsewhere kept || fail "$name is a $kind: it was followed"
    [[ ! -e nowhere ]] || fail "$name is a $kind: it was made"
    rm -rf elsewhere
  done
done

# A lock held for ever.
exec 9<>limited/lock
flock -x 9
for tool in charge topup; do
  clock=${EPOCHREALTIME/./}
  case $tool in
  charge) request=("${charge[@]}" --key held) ;;
  topup) request=(credit-topup --account alice --key held --credits 5) ;;
  esac
  expect 75 store_locked "held lock, $tool" "${request[@]}" --store limited --lock-timeout 1
  took=$(((${EPOCHREALTIME/./} - clock) / 1000))
  ((took >= 900 && took < 3000)) || fail "held lock: gave up after $took ms"
done
expect 75 store_locked "no waiting" "${charge[@]}" --key held --store limited --lock-timeout 0
expect 75 store_locked "held lock, balance" \
  credit-balance --account alice --store limited --lock-timeout 0
exec 9>&-
expect 0 "" "a lock given up" "${charge[@]}" --key held --store limited
