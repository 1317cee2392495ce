title='settled authorizations, in order'
operations=300000
wanted=0.25
source "$here/parts/settles.bash"
ordered() { cat; }
