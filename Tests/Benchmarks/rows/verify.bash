title='credit-store verify of 1,000,000 charges (sqlite3: integrity_check)'
operations=1000000
wanted='0.8 s'
source "$here/parts/whole.bash"
credit() { credit-store verify --store store >summary; }
sqlite() { sqlite3 store.db 'pragma integrity_check' >check; }
