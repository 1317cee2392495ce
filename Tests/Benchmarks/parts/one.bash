# One call, the whole process, with a new store and database.

kind=process
runs=20

prepare() {
  make_charges 1 >charges
  new_store store
  credit-charge --store store <charges >/dev/null
  # The policy's index is made by whoever finds that the policy has not just been changed.
  sleep 0.1
  credit-balance --store store --account user0 >/dev/null
  transaction store.db charges "$register_sql $charge_sql"
}
