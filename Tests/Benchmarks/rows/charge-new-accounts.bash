title='direct charges, nearly each to a new account'
operations=200000
wanted=0.60
source "$here/parts/charges.bash"
make_lines() {
  local accounts=$(($1 * 19 / 20))
  make_charges "$1"
}
