title='credit-authorize --pass | credit-charge'
operations=300000
wanted=0.30
prepare() { lines "$count" "{\"authorization\":\"auth-#\",\"account\":\"user@\",$bill}" >requests; }
reset() {
  new_store store
  rm -f store.db receipts
}
credit() {
  credit-authorize --pass --store store <requests | credit-charge --store store >receipts
}
sqlite() { transaction store.db requests "$register_sql $authorize_sql" "$settle_sql"; }
same() { [[ $(store_sum store) == "$(database_sum store.db)" ]]; }
