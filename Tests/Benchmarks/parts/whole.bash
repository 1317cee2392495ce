# A whole store with a number of charges, beside a database that checks itself or its indexes.

prepare() {
  make_charges "$count" >charges
  new_store store
  credit-charge --store store <charges >/dev/null
  transaction store.db charges "$(keyed_sql)"
}
