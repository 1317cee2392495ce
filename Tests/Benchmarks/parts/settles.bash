# Authorizations that are there already, settled in the order that `ordered` brings them to.

prepare() {
  make_authorizations "$count" >authorizations
  make_settles "$count" | ordered >settles
  new_store authorized
  credit-authorize --store authorized <authorizations >/dev/null
}
reset() {
  rm -rf store store.db* receipts rows
  cp -r authorized store
}
credit() { credit-charge --store store <settles >receipts; }
sqlite() { transaction store.db settles "$(settle_sql)"; }
same() { [[ $(store_sum store) == "$(database_sum store.db)" ]]; }
