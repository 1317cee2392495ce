title='top-ups of bonus credits, with a reason'
operations=300000
wanted=0.45
prepare() {
  lines "$count" '{"account":"user@","key":"top-#","type":"bonus","credits":<,"reason":"launch week"}' >topups
}
reset() {
  new_store store
  rm -f store.db results
}
credit() { credit-topup --store store <topups >results; }
sqlite() { transaction store.db topups "$register_sql $topup_sql"; }
same() { [[ $(store_sum store) == "$(database_sum store.db)" ]]; }
