title='keyed direct charges of accounts with a plan'
operations=300000
wanted=0.30
source "$here/parts/charges.bash"
prepare() {
  sed -i 's/"starterCredits":100000000/"starterCredits":0,"plans":[{"id":"pro","quota":100000000,"period":"month"}]/' policy.json
  make_charges "$count" >charges
  new_store planned
  lines 1000 '{"account":"user@","plan":"pro"}' | credit-account --store planned >/dev/null
}
reset() {
  rm -rf store store.db* receipts rows
  cp -r planned store
}
