title='1,000,000 charges whose keys come in random order'
operations=1000000
wanted=0.25
source "$here/parts/charges.bash"
make_lines() { make_charges "$1" | shuffled; }
