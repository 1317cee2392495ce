# Instructions and system calls: they do not depend on how busy a machine is, nor on the caller's
# variables, of which the C library reads each when a process starts.
#
# The tools are run by way of stand-ins of their names, which count. What a run costs beyond its
# operations is left out by two runs of different size, unless a row is about one whole process.

small=1000 large=3000

# Whether perf or valgrind counts instructions here.
counter() {
  if perf stat -x, -e instructions:u true 2>&1 | grep -q '^[0-9]'; then
    echo perf
  elif command -v valgrind >/dev/null; then
    echo valgrind
  else
    echo none
  fi
}

# make_stand_ins DIRECTORY COMMAND...: each tool runs by way of a command, in which OUT is a new
# file.
make_stand_ins() {
  local directory=$1 tool
  shift
  mkdir -p "$directory"
  for tool in "$tools"/credit*; do
    [[ -f $tool && -x $tool ]] || continue
    printf '#!/bin/sh\nexec env -i PATH="$PATH" %s %s "$@"\n' \
      "${*//OUT/$directory/out.\$\$}" "$tool" >"$directory/${tool##*/}"
  done
  chmod +x "$directory"/credit*
}

# The instructions of everything that a run of the tools takes.
instructions_of_run() {
  local directory=$work/counting
  rm -rf "$directory"
  case $(counter) in
  perf) make_stand_ins "$directory" perf stat -x, -e instructions:u -o OUT -- ;;
  valgrind) make_stand_ins "$directory" valgrind -q --tool=callgrind --callgrind-out-file=OUT ;;
  *) return 1 ;;
  esac
  use_tools "$directory"
  credit >/dev/null
  use_tools "$tools"
  awk -F'[ ,]' '/^(totals|summary):/ { sum += $2; nextfile } /instructions/ { sum += $1 }
    END { printf "%d\n", sum }' "$directory"/out.*
}

counted_run() {
  load_row "$1" "$2"
  prepare
  reset 0
  instructions_of_run
}

# Instructions for one operation of a row.
instructions() {
  local one two
  load_row "$1" "$small"
  if [[ $kind == process ]]; then
    counted_run "$1" "$small"
  else
    one=$(counted_run "$1" "$small")
    two=$(counted_run "$1" "$large")
    echo $(((two - one) / (large - small)))
  fi
}

# System calls of a run of the size that was loaded.
system_calls() {
  local directory=$work/calls
  command -v strace >/dev/null || return 0
  rm -rf "$directory"
  make_stand_ins "$directory" strace -f -c -U calls,name -o OUT --
  use_tools "$directory"
  credit >/dev/null
  use_tools "$tools"
  awk '$2 == "total" || $NF == "total" { sum += $1 } END { printf "%d\n", sum }' "$directory"/out.*
}
