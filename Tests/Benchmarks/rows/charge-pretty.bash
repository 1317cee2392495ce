title='keyed direct charges, printed with --pretty'
operations=300000
wanted=0.45
source "$here/parts/charges.bash"
make_lines() { make_charges "$1"; }
credit() { credit-charge --pretty --store store <charges >receipts; }
