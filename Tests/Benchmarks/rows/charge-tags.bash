title='keyed direct charges, with two tags and a time of use'
operations=300000
wanted=0.30
source "$here/parts/charges.bash"
make_lines() {
  lines "$1" "{\"account\":\"user@\",\"key\":\"req-#\",$bill,\"usedAt\":\"2026-01-01T00:00:00Z\",\"tags\":{\"customer\":\"acme\",\"feature\":\"chat\"}}"
}
