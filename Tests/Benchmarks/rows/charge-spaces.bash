title='keyed direct charges, with spaces'
operations=300000
wanted=0.25
source "$here/parts/charges.bash"
make_lines() {
  lines "$1" '{ "account": "user@", "key": "req-#", "model": "claude-sonnet-4.5", "usage": { "inputTokens": <, "outputTokens": > } }'
}
