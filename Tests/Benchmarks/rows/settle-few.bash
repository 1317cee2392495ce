title='20,000 settles'
operations=20000
wanted=0.30
runs=3
source "$here/parts/settles.bash"
ordered() { cat; }
