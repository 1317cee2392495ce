# Direct charges into a new store: `make_lines` makes them. Where their members are other ones than
# the compact form's, `sql` says where sqlite3 finds them.

prepare() { make_lines "$count" >charges; }
reset() {
  new_store store
  rm -f store.db receipts
}
credit() { credit-charge --store store <charges >receipts; }
sql() { printf '%s' "$charge_sql"; }
sqlite() { transaction store.db charges "$register_sql $(sql)"; }
same() { [[ $(store_sum store) == "$(database_sum store.db)" ]]; }
