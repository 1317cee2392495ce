title='top-ups'
operations=300000
wanted=0.30
source "$here/parts/topups.bash"
make_lines() { make_topups "$1"; }
