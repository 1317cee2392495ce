title='authorizations'
operations=300000
wanted=0.25
prepare() { make_authorizations "$count" >authorizations; }
reset() {
  new_store store
  rm -f store.db* results rows
}
credit() { credit-authorize --store store <authorizations >results; }
sqlite() { transaction store.db authorizations "$authorize_sql"; }
same() { [[ $(wc -l <results) == "$(sqlite3 store.db 'select count(*) from auth')" ]]; }
