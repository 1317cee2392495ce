title='keyed direct charges of accounts without credits, as debt'
operations=300000
wanted=0.45
source "$here/parts/charges.bash"
prepare() {
  sed -i 's/"starterCredits":100000000/"starterCredits":0/' policy.json
  make_charges "$count" >charges
}
sqlite() { transaction store.db charges "$(starter=0 keyed_sql)"; }
credit() { credit-charge --arrears --store store <charges >receipts; }
