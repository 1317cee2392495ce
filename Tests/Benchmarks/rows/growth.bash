title='user time a charge at 4,000,000 in the store, against the first million'
operations=4000000
wanted='1.15'
kind=growth
prepare() { new_store store; }
# Lines of charges in the store and microseconds a charge, by eighths.
grow() {
  local part size=$((count / 8))
  for ((part = 1; part <= 8; part++)); do
    lines "$size" "{\"account\":\"user@\",\"key\":\"part-$part-#\",$bill}" >charges
    awk -v n="$((part * size))" -v us="$(user_time charge_part)" -v size="$size" \
      'BEGIN { printf "%d %.3f\n", n, us / size }'
  done
}
charge_part() { credit-charge --store store <charges; }
