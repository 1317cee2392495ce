# The whole run: a table on standard output, and RESULTS.md with a plot.

measure() {
  local row results=$work/results
  printf '%-52s %12s %12s %8s %13s %10s\n' 'medians' credit sqlite3 ratio spread wanted
  for row in "${only[@]}"; do
    load_row "$row"
    "${kind}_figures" "$row" >>"$results"
    tail -n 1 "$results" |
      awk -F'\t' '{ printf "%-52s %12s %12s %8s %13s %10s\n", $1, $2, $3, $4, $5, $6 }'
    rm -rf "${work:?}/$row"
  done
  # A page of some rows, or of little work, would be misleading.
  if ((divisor == 1 && ${#only[@]} == ${#all_rows[@]})); then write_results "$results"; fi
}

# A row's figures: title, credit, sqlite3, ratio, spread, wanted, instructions, system calls.
ratio_figures() {
  time_row "$1"
  local a b='' ratio='' spread='' calls counted=''
  a=$(median <credit.us)
  if [[ -f sqlite.us ]]; then
    b=$(median <sqlite.us)
    ratio=$(median <ratios)
    spread=$(extremes <ratios)
  fi
  reset calls
  calls=$(system_calls)
  # They take longer than a quick run, and the budgets are of them.
  ((divisor > 1)) || counted=$(instructions "$1" || true)
  printf '%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n' "$title" "$(milliseconds "$a")" "$(milliseconds "$b")" \
    "${ratio:+$(printf %.2f "$ratio")}" "$spread" "$wanted" "$counted" "$calls"
}
process_figures() { ratio_figures "$1"; }

memory_figures() {
  prepare
  local peak
  peak=$(peak_memory "${command[@]}")
  printf '%s\t%d MB\t\t\t\t%s\t\t\n' "$title" $((peak / 1024)) "$wanted"
}

# A row of points: user time for an operation as the store grows; of each the median of nine, as
# the system counts user time by its ticks, to a twentieth of a point. The first two points are
# the first million.
growth_figures() {
  local pass
  for ((pass = 1; pass <= 9; pass++)); do
    prepare
    grow
  done | sort -k 1,1n -k 2,2n | awk 'NR % 9 == 5' >"$work/growth.points"
  printf '%s\t%s\t\t%s\t\t%s\t\t\n' "$title" "$(awk 'END { printf "%.2f µs", $2 }' "$work/growth.points")" \
    "$(awk 'NR <= 2 { first += $2 / 2 } END { printf "%.2f", $2 / first }' "$work/growth.points")" "$wanted"
}

milliseconds() { [[ ! $1 ]] || awk -v us="$1" 'BEGIN { printf "%.2f ms", us / 1000 }'; }

# The commands of each row, from its file. SQL is in sql.bash.
write_commands() {
  local row part
  printf '\n## Commands\n\n`process` runs a command with its output in a file; `transaction` has sqlite3 do each SQL\n'
  printf 'in one transaction, over the lines of a file. What makes the files is in rows/ and parts/.\n'
  for row in "${only[@]}"; do
    (
      unset -f credit sqlite prepare charge_in charge_part
      kind=ratio
      source "$here/rows/$row.bash"
      printf '\n%s:\n\n```sh\n' "$title"
      for part in charge_in charge_part credit sqlite; do
        ! declare -F "$part" >/dev/null || declare -f "$part" | sed '1,2d; $d; s/^    //'
      done
      [[ $kind != memory ]] || declare -f prepare | sed -n 's/^ *command=(\(.*\));*$/\1/p'
      printf '```\n'
    )
  done
}

write_results() {
  {
    echo '# What the tools take'
    echo
    echo 'Written by `Tests/Benchmarks/run`, which runs each row in turns with `sqlite3` doing the'
    echo 'same work: durable, unique keys, a receipt a row. Medians of' "$rounds" 'rounds; the'
    echo 'spread is that of the ratios. Instructions are those of one operation in user mode,'
    echo 'system calls those of the whole run.'
    echo
    printf -- '- machine: %s, %s cores, %s\n' \
      "$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -1)" "$(nproc)" "$(uname -srm)"
    printf -- '- sqlite3 %s; instructions by %s\n' \
      "$(sqlite3 --version | cut -d' ' -f1)" "$(counter)"
    printf -- '- commit %s\n\n' "$commit"
    echo '| what | credit | sqlite3 | ratio | spread | wanted | instructions | system calls |'
    echo '|---|---:|---:|---:|---:|---:|---:|---:|'
    sed 's/|/\\|/g; s/\t/ | /g; s/^/| /; s/$/ |/' "$1"
    [[ ! -s $work/growth.points ]] ||
      printf '\n![User time a charge, by the size of the store](growth.svg)\n'
    printf '\nOne row alone: `Tests/Benchmarks/run --only %s`.\n' "${only[0]}"
    write_commands
  } >"$here/RESULTS.md"
  [[ ! -s $work/growth.points ]] ||
    awk -f "$here/parts/plot.awk" "$work/growth.points" >"$here/growth.svg"
}
