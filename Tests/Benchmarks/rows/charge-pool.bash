title='charges of a pool with limits, against plain ones'
operations=150000
wanted=2.2
source "$here/parts/against-plain.bash"
give_accounts() {
  credit-account --store "$1" --account pool --limit month=1000000000000 >/dev/null
  lines 1000 '{"account":"user@","parent":"pool","limits":{"day":100000000,"week":100000000}}' |
    credit-account --store "$1" >/dev/null
}
