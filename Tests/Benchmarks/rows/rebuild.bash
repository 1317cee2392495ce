title='credit-store rebuild of 1,000,000 charges (sqlite3: vacuum)'
operations=1000000
wanted='1 s'
source "$here/parts/whole.bash"
credit() { credit-store rebuild --store store >result; }
sqlite() { sqlite3 store.db 'pragma synchronous=full; vacuum'; }
