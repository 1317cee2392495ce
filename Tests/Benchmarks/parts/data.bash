# The data of the rows. Requests of 1000 accounts, unless a row has others.

make_policy() {
  cat >policy.json <<'JSON'
{"version":1,"starterCredits":100000000,"models":[{"id":"claude-sonnet-4.5","tokens":
{"inputUSDPer1M":3000000,"outputUSDPer1M":15000000}}]}
JSON
}

new_store() {
  rm -rf "$1"
  credit-store init --store "$1" --policy policy.json >/dev/null
}

# lines COUNT FORM: lines of a form in which # is the line's number, @ that of an account, < and >
# counts of tokens.
lines() {
  awk -v n="$1" -v accounts="${accounts:-1000}" -v form="$2" 'BEGIN {
    while (match(form, /[#@<>]/)) {
      text[++parts] = substr(form, 1, RSTART - 1)
      mark[parts] = substr(form, RSTART, 1)
      form = substr(form, RSTART + 1)
    }
    for (i = 0; i < n; i++) {
      value["#"] = i
      value["@"] = i * 7919 % accounts
      value["<"] = 100 + i % 900
      value[">"] = 50 + i % 450
      line = ""
      for (part = 1; part <= parts; part++) line = line text[part] value[mark[part]]
      print line form
    }
  }'
}

bill='"model":"claude-sonnet-4.5","usage":{"inputTokens":<,"outputTokens":>}'
make_charges() { lines "$1" "{\"account\":\"user@\",\"key\":\"req-#\",$bill}"; }
make_authorizations() { lines "$1" '{"authorization":"auth-#","account":"user@"}'; }
make_settles() { lines "$1" "{\"account\":\"user@\",\"authorization\":\"auth-#\",$bill}"; }
make_topups() { lines "$1" '{"account":"user@","key":"top-#","credits":<}'; }

# Lines in an order that a seed decides.
shuffled() {
  awk 'BEGIN { srand(7) } { printf "%.12f\t%s\n", rand(), $0 }' | sort -n | cut -f2-
}

# The sum of all balances in a store and in a database.
store_sum() { credit-balance --all --total --get balance --store "$1"; }
database_sum() { sqlite3 "$1" 'select sum(bal) from acct'; }
