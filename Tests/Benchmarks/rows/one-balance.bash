title='one balance, the whole process'
operations=1
wanted=0.50
source "$here/parts/one.bash"
credit() { process balance credit-balance --store store --account user0; }
sqlite() {
  process row sqlite3 store.db "select json_object('account',id,'balance',bal) from acct
    where id='user0'"
}
