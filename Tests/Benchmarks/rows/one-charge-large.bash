title='one charge in a store of 10,000,000, against a new one'
operations=10000000
wanted=1.3
kind=process
runs=20
prepare() {
  new_store new
  settle_policy new
  large_store "$count"
}
reset() { key=one-$1; }
charge_in() {
  process receipt credit-charge --store "$1" --account user0 --key "$key" \
    --model claude-sonnet-4.5 --input-tokens 1200 --output-tokens 500
}
credit() { charge_in "$large_path"; }
# What it is compared with is no database here.
sqlite() { charge_in new; }
