title='keyed direct charges'
operations=300000
wanted=0.25
source "$here/parts/charges.bash"
make_lines() { make_charges "$1"; }
