title='top-ups of bonus credits, with a reason'
operations=300000
wanted=0.30
source "$here/parts/topups.bash"
make_lines() {
  lines "$1" '{"account":"user@","key":"top-#","type":"bonus","credits":<,"reason":"launch week"}'
}
