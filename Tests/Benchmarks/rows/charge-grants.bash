title='charges of 20 grants each, against plain ones'
operations=150000
wanted=2
source "$here/parts/against-plain.bash"
give_accounts() {
  for grant in {1..20}; do
    lines 1000 '{"account":"user@","key":"grant-'$grant'","type":"bonus","credits":1000,"expiresIn":"'$grant'00d"}'
  done | credit-topup --store "$1" >/dev/null
}
