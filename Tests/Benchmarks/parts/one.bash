# One call, the whole process, with a new store and database.

kind=process
runs=20

prepare() {
  make_charges 1 >charges
  new_store store
  credit-charge --store store <charges >/dev/null
  settle_policy store
  transaction store.db charges "$(keyed_sql)"
}
