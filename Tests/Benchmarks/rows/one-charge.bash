title='one charge, the whole process'
operations=1
wanted=0.50
source "$here/parts/one.bash"
reset() { key=one-$1; }
credit() {
  process receipt credit-charge --store store --account user0 --key "$key" \
    --model claude-sonnet-4.5 --input-tokens 1200 --output-tokens 500
}
sqlite() {
  process row sqlite3 store.db "pragma synchronous=full; begin immediate;
    insert into tx values('$key','user0',-12,null);
    update acct set bal=bal-12 where id='user0'; commit;"
}
