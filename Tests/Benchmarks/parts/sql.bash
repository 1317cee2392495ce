# The same work in sqlite3: the tools' data, in tables with only the necessary columns.

# A database with the tables, and lines of a file in the table raw.
begin_sql() {
  cat <<SQL
pragma synchronous=full;
create table if not exists account(name text primary key, balance integer) without rowid;
create table if not exists charge(account text, key text, receipt text, primary key(account,key))
  without rowid;
create table if not exists auth(id text primary key, account text, state text, receipt text)
  without rowid;
create temp table raw(line text);
.mode ascii
.separator "\t" "\n"
.import $1 raw
SQL
}

register_sql="insert into account
  select distinct json_extract(line,'\$.account'), 100000000 from raw where true on conflict do nothing;"
price_sql="(json_extract(line,'\$.usage.inputTokens')*3000
  +json_extract(line,'\$.usage.outputTokens')*15000+999999)/1000000"
authorize_sql="insert into auth select json_extract(line,'\$.authorization'), a.name, 'open', null
  from raw join account a on a.name=json_extract(line,'\$.account') where a.balance>0;"
charge_sql="insert into charge
  select a, k, json_object('account',a,'key',k,'credits',c,'usage',u) from
  (select json_extract(line,'\$.account') a, json_extract(line,'\$.key') k,
   json_extract(line,'\$.usage') u, $price_sql c from raw);
update account set balance=balance-s.c from (select json_extract(line,'\$.account') a,
  sum($price_sql) c from raw group by 1) s where name=s.a;"
amend_sql="update charge set receipt=json_object('account',account,'key',key,'credits',r.c,'usage',r.u)
  from (select json_extract(line,'\$.account') a, json_extract(line,'\$.key') k,
    json_extract(line,'\$.usage') u, $price_sql c from raw) r where account=r.a and key=r.k;
update account set balance=100000000-s.c from (select account, sum(json_extract(receipt,'\$.credits')) c
  from charge group by 1) s where name=s.account;"
settle_sql="update auth set state='charged',
  receipt=json_object('account',account,'credits',r.c,'usage',r.u)
  from (select json_extract(line,'\$.authorization') id, json_extract(line,'\$.usage') u,
    $price_sql c from raw) r where auth.id=r.id and state='open';
update account set balance=balance-s.c from (select auth.account a, sum(r.c) c
  from (select json_extract(line,'\$.authorization') id, $price_sql c from raw) r
  join auth on auth.id=r.id group by 1) s where name=s.a;"
topup_sql="insert into charge select a, k, json_object('account',a,'key',k,'credits',c) from
  (select json_extract(line,'\$.account') a, json_extract(line,'\$.key') k,
   json_extract(line,'\$.credits') c from raw);
update account set balance=balance+s.c from (select json_extract(line,'\$.account') a,
  sum(json_extract(line,'\$.credits')) c from raw group by 1) s where name=s.a;"

# transaction DATABASE FILE SQL...: all of the lines, each SQL a transaction of its own.
transaction() {
  local database=$1 file=$2 sql
  shift 2
  {
    begin_sql "$file"
    for sql; do printf 'begin;\n%s\ncommit;\n' "$sql"; done
  } | sqlite3 "$database" >/dev/null
}
