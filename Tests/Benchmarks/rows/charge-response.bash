title='keyed direct charges, with whole responses'
operations=300000
wanted=0.30
source "$here/parts/charges.bash"
make_lines() {
  lines "$1" '{"account":"user@","key":"req-#","response":{"id":"msg_#","type":"message","role":"assistant","model":"claude-sonnet-4.5","content":[{"type":"text","text":"A short answer, in one sentence."}],"stop_reason":"end_turn","stop_sequence":null,"usage":{"input_tokens":<,"cache_creation_input_tokens":0,"cache_read_input_tokens":0,"output_tokens":>}}}'
}
sqlite() {
  transaction store.db charges "$(charge_sql key '$.response.usage' input_tokens output_tokens \
    cache_read_input_tokens 300 cache_creation_input_tokens 3750)"
}
