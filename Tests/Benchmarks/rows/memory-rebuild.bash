title='memory of credit-store rebuild, 10,000,000 charges'
operations=10000000
wanted='128 MB'
kind=memory
prepare() {
  large_store "$count"
  command=(credit-store rebuild --store "$large_path")
}
