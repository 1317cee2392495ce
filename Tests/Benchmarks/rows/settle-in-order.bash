title='settled authorizations, in order'
operations=300000
wanted=0.30
source "$here/parts/settles.bash"
ordered() { cat; }
