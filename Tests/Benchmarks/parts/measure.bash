# Time. What is compared runs in turns, so that a busy machine slows both.

microseconds() {
  local start=$EPOCHREALTIME
  "$@"
  local end=$EPOCHREALTIME
  echo $((${end/[.,]/} - ${start/[.,]/}))
}

# process FILE COMMAND...: runs one command, its output to a file, and prints how many microseconds
# that took.
process() {
  [[ -x $work/process ]] || "${CC:-clang}" -O2 -o "$work/process" "$here/parts/process.c"
  "$work/process" "$@"
}

# A run of a side that is a function; a side that is a whole process prints its own time.
time_of() { if [[ $kind == process ]]; then "$1"; else microseconds "$1"; fi; }

# User time of a command, in microseconds.
user_time() {
  local TIMEFORMAT=%3U seconds
  seconds=$({ time "$@" >/dev/null 2>&1; } 2>&1)
  echo "$((10#${seconds/[.,]/} * 1000))"
}

# The most memory that a tool had, in KiB: the system keeps it until the tool ends.
peak_memory() {
  local peak=0 now process
  "$@" >/dev/null &
  process=$!
  while now=$(awk '/^VmHWM/ { print $2 }' "/proc/$process/status" 2>/dev/null) && [[ $now ]]; do
    peak=$now
    sleep 0.02
  done
  wait "$process"
  echo "$peak"
}

median() { sort -g | awk '{ v[NR] = $1 } END { if (NR) print v[int((NR + 1) / 2)] }'; }
extremes() { sort -g | awk 'NR == 1 { low = $1 } END { printf "%.2f–%.2f", low, $1 }'; }

# One row: credit.us, sqlite.us and ratios in its directory.
time_row() {
  local round a b
  prepare
  for ((round = 0; round < rounds * runs; round++)); do
    reset "$round"
    sync
    a=$(time_of credit)
    echo "$a" >>credit.us
    declare -F sqlite >/dev/null || continue
    sync
    b=$(time_of sqlite)
    echo "$b" >>sqlite.us
    awk -v a="$a" -v b="$b" 'BEGIN { printf "%.4f\n", a / b }' >>ratios
  done
  same || { echo "$1: the two did not come to the same" >&2; return 1; }
}
