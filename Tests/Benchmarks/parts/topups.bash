# Top-ups into a new store: `make_lines` makes them.

prepare() { make_lines "$count" >topups; }
reset() {
  new_store store
  rm -f store.db* results rows
}
credit() { credit-topup --store store <topups >results; }
sqlite() { transaction store.db topups "$topup_sql"; }
same() { [[ $(store_sum store) == "$(database_sum store.db)" ]]; }
