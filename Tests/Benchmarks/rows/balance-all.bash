title='credit-balance --all of 190,000 accounts'
operations=190000
wanted=1.0
runs=3
prepare() {
  local accounts=$count
  make_charges "$count" >charges
  new_store store
  credit-charge --store store <charges >/dev/null
  transaction store.db charges "$(keyed_sql)"
}
reset() { rm -f balances rows; }
credit() { credit-balance --all --store store >balances; }
sqlite() {
  sqlite3 store.db \
    "select json_object('account',id,'balance',bal) from acct order by id" >rows
}
same() { diff <(jq -c '[.account,.balance]' balances) <(jq -c '[.account,.balance]' rows); }
