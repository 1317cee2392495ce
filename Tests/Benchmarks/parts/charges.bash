# Direct charges into a new store: `make_lines` makes them.

prepare() { make_lines "$count" >charges; }
reset() {
  new_store store
  rm -f store.db receipts
}
credit() { credit-charge --store store <charges >receipts; }
sqlite() { charge_with '$.usage' inputTokens outputTokens; }

# charge_with USAGE INPUT OUTPUT: the charges in sqlite3, whose usage is at a path and has the members
# of a provider.
charge_with() {
  local sql=${charge_sql//'$.usage'/"$1"}
  sql=${sql//inputTokens/$2}
  transaction store.db charges "$register_sql ${sql//outputTokens/$3}"
}
same() { [[ $(store_sum store) == "$(database_sum store.db)" ]]; }
