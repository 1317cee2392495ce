title='top-ups'
operations=300000
wanted=0.30
prepare() { make_topups "$count" >topups; }
reset() {
  new_store store
  rm -f store.db results
}
credit() { credit-topup --store store <topups >results; }
sqlite() { transaction store.db topups "$register_sql $topup_sql"; }
same() { [[ $(store_sum store) == "$(database_sum store.db)" ]]; }
