# budgets.txt: the instructions that an operation of each row may take, so that a change which doubles it fails.

budgets=$here/budgets.txt
tolerance=1.25

require_counter() {
  [[ $(counter) != none ]] && return
  echo 'neither perf nor valgrind counts instructions here' >&2
  exit 1
}

write_budgets() {
  require_counter
  local row factor
  {
    echo '# Instructions for one operation of a row, and how many times that is too many.'
    echo '# Written by Tests/Benchmarks/run --write-budgets.'
    for row in "${only[@]}"; do
      load_row "$row"
      [[ $kind == growth || $kind == memory ]] && continue
      factor=$(awk -v row="$row" '$1 == row { print $3 }' "$budgets")
      printf '%-22s %10d %s\n' "$row" "$(instructions "$row")" "${factor:-$tolerance}"
    done
  } >"$work/budgets.txt"
  # Rows that were not asked for stay as they are.
  [[ -f $budgets ]] && awk 'NR == FNR { known[$1]; next } !/^#/ && !($1 in known)' \
    "$work/budgets.txt" "$budgets" >>"$work/budgets.txt"
  { grep '^#' "$work/budgets.txt"; grep -v '^#' "$work/budgets.txt" | sort; } >"$budgets"
  cat "$budgets"
}

check_budgets() {
  require_counter
  local row budget factor counted status=0 verdict
  printf '%-22s %12s %12s\n' row instructions budget
  while read -r row budget factor; do
    [[ $row == \#* || " ${only[*]} " != *" $row "* ]] && continue
    counted=$(instructions "$row")
    verdict=$(awk -v a="$counted" -v b="$budget" -v f="$factor" 'BEGIN {
      print (a <= 0 ? "NOT COUNTED" : a > b * f ? "TOO MANY" : a * f < b ? "fewer: write the budgets anew" : "") }')
    printf '%-22s %12d %12d %s\n' "$row" "$counted" "$budget" "$verdict"
    case $verdict in TOO* | NOT*) status=1 ;; esac
  done <"$budgets"
  return "$status"
}
