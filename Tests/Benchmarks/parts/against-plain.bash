# Keyed direct charges of accounts that have more than most, against as many of accounts that have
# nothing: `give_accounts STORE` makes them in a store. No database is compared with here.

prepare() {
  make_charges "$count" >charges
  new_store plain
  credit-charge --store plain <<<'{"account":"user0","key":"first","model":"claude-sonnet-4.5","usage":{"inputTokens":1,"outputTokens":1}}' >/dev/null
  new_store given
  give_accounts given
}
reset() {
  rm -rf store other receipts
  cp -r given store
  cp -r plain other
}
credit() { credit-charge --store store <charges >receipts; }
sqlite() { credit-charge --store other <charges >receipts; }
