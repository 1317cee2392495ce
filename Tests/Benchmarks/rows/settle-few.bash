title='20,000 settles'
operations=20000
wanted=0.25
runs=3
source "$here/parts/settles.bash"
ordered() { cat; }
