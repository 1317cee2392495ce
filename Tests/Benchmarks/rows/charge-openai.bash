title="keyed direct charges, with OpenAI's usage"
operations=300000
wanted=0.30
source "$here/parts/charges.bash"
make_lines() {
  lines "$1" '{"account":"user@","key":"req-#","model":"claude-sonnet-4.5","usage":{"prompt_tokens":<,"completion_tokens":>,"prompt_tokens_details":{"cached_tokens":0},"completion_tokens_details":{"reasoning_tokens":0}}}'
}
sqlite() {
  transaction store.db charges "$(charge_sql key '$.usage' prompt_tokens completion_tokens)"
}
