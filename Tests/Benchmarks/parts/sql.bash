# The same work in sqlite3, as a careful person writes it: one import, one pass over each line,
# unique keys, one transaction, fully synchronous, an answer a line.

# A database with the tables, and lines of a file in the table inbox.
begin_sql() {
  cat <<SQL
pragma journal_mode=wal;
pragma synchronous=full;
create table if not exists acct(id text primary key, bal integer) without rowid;
create table if not exists tx(key text primary key, acct text, amount integer, usage text)
  without rowid;
create table if not exists auth(key text primary key, acct text, bal integer) without rowid;
create temp table inbox(line text);
.mode ascii
.separator "\t" "\n"
.import $1 inbox
SQL
}

# charge_sql KEY USAGE INPUT OUTPUT [COUNT PRICE]...: charges whose unique key, usage and counts are
# at paths. New accounts begin with `starter` credits.
charge_sql() {
  local key=$1 usage=$2 price="coalesce(json_extract(line,'$2.$3'),0)*3000"
  price+="+coalesce(json_extract(line,'$2.$4'),0)*15000"
  shift 4
  while (($#)); do
    price+="+coalesce(json_extract(line,'$usage.$1'),0)*$2"
    shift 2
  done
  cat <<SQL
begin;
insert into tx select json_extract(line,'\$.$key'), json_extract(line,'\$.account'),
  -(($price+999999)/1000000), json_extract(line,'$usage') from inbox;
insert into acct select acct, ${starter:-100000000}+sum(amount) from tx where true group by acct
  on conflict do update set bal=bal+excluded.bal-${starter:-100000000};
commit;
select json_object('key',key,'creditsCharged',-amount,'usage',json(usage)) from tx;
SQL
}

# Charges with the usage that the tools print, by key, and by authorization.
keyed_sql() { charge_sql key '$.usage' inputTokens outputTokens; }
settle_sql() { charge_sql authorization '$.usage' inputTokens outputTokens; }

amend_sql="begin;
update tx set amount=-r.c, usage=r.u from (select json_extract(line,'\$.key') k,
  json_extract(line,'\$.usage') u, (coalesce(json_extract(line,'\$.usage.inputTokens'),0)*3000
  +coalesce(json_extract(line,'\$.usage.outputTokens'),0)*15000+999999)/1000000 c from inbox) r
  where key=r.k;
update acct set bal=100000000+s.c from (select acct, sum(amount) c from tx group by 1) s where id=s.acct;
commit;
select json_object('key',key,'creditsCharged',-amount,'usage',json(usage)) from tx;"

authorize_sql="begin;
insert into acct select distinct json_extract(line,'\$.account'), 100000000 from inbox;
insert into auth select json_extract(line,'\$.authorization'), a.id, a.bal from inbox
  join acct a on a.id=json_extract(line,'\$.account');
commit;
select json_object('authorization',json_object('id',key,'account',acct),'balance',bal) from auth;"

topup_sql="begin;
insert into tx select json_extract(line,'\$.key'), json_extract(line,'\$.account'),
  json_extract(line,'\$.credits'), null from inbox;
insert into acct select acct, 100000000+sum(amount) from tx where true group by acct
  on conflict do update set bal=bal+excluded.bal-100000000;
commit;
select json_object('transaction',json_object('id',key,'account',acct),'creditsAdded',amount) from tx;"

# transaction DATABASE FILE SQL: the SQL over all of the lines.
transaction() {
  {
    begin_sql "$2"
    printf '%s\n' "$3"
  } | sqlite3 "$1" >rows
}
