title='settled authorizations, in random order'
operations=300000
wanted=0.25
source "$here/parts/settles.bash"
ordered() { shuffled; }
