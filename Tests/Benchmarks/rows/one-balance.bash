title='one balance, the whole process'
operations=1
wanted=0.45
source "$here/parts/one.bash"
credit() { credit-balance --store store --account user0 >balance; }
sqlite() {
  sqlite3 store.db "select json_object('account',name,'balance',balance) from account
    where name='user0'" >row
}
