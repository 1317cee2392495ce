# Keyed direct charges of accounts with rare settings, against as many of accounts with
# none: `give_accounts STORE` makes them in a store. There is no comparison with a database.

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
