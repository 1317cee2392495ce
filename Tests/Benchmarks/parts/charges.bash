# Direct charges into a new store: `make_lines` makes them.

prepare() { make_lines "$count" >charges; }
reset() {
  new_store store
  rm -f store.db* receipts rows
}
credit() { credit-charge --store store <charges >receipts; }
sqlite() { transaction store.db charges "$(keyed_sql)"; }
same() { [[ $(store_sum store) == "$(database_sum store.db)" ]]; }
