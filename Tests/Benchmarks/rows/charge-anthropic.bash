title="keyed direct charges, with Anthropic's usage"
operations=300000
wanted=0.30
source "$here/parts/charges.bash"
make_lines() {
  lines "$1" '{"account":"user@","key":"req-#","model":"claude-sonnet-4.5","usage":{"input_tokens":<,"cache_creation_input_tokens":0,"cache_read_input_tokens":0,"output_tokens":>}}'
}
sqlite() {
  transaction store.db charges "$(charge_sql key '$.usage' input_tokens output_tokens \
    cache_read_input_tokens 300 cache_creation_input_tokens 3750)"
}
