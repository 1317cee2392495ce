title='credit-authorize --pass | credit-charge'
operations=300000
wanted=0.60
prepare() { lines "$count" "{\"authorization\":\"auth-#\",\"account\":\"user@\",$bill}" >requests; }
reset() {
  new_store store
  rm -f store.db* receipts rows
}
credit() {
  credit-authorize --pass --store store <requests | credit-charge --store store >receipts
}
sqlite() { transaction store.db requests "$(settle_sql)"; }
same() { [[ $(store_sum store) == "$(database_sum store.db)" ]]; }
