title='charges corrected to another usage'
operations=300000
wanted=0.45
prepare() {
  make_charges "$count" >charges
  lines "$count" '{"account":"user@","key":"req-#","model":"claude-sonnet-4.5","usage":{"inputTokens":>,"outputTokens":<}}' >amends
  new_store charged
  credit-charge --store charged <charges >/dev/null
  transaction charged.db charges "$(keyed_sql)"
}
reset() {
  rm -rf store store.db* receipts rows
  cp -r charged store
  cp charged.db store.db
}
credit() { credit-charge --amend --store store <amends >receipts; }
sqlite() { transaction store.db amends "$amend_sql"; }
same() { [[ $(store_sum store) == "$(database_sum store.db)" ]]; }
