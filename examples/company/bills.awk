# The bills of two providers, from a log of calls: day, id, member, model, input, cached and output tokens.
# Writes anthropic-usage.json, anthropic-cost.json, openai-usage.json and openai-cost.json.
#
#   awk -F '\t' -v first=1793491200 -f bills.awk provider

# money VALUE DIGITS: a whole number of the DIGITS-th decimal place as decimal text.
function money(value, digits, text) {
  text = sprintf("%.0f", value)
  while (length(text) <= digits) text = "0" text
  return substr(text, 1, length(text) - digits) "." substr(text, length(text) - digits + 1)
}

{
  calls[$1, $4]++
  input[$1, $4] += $5
  cached[$1, $4] += $6
  output[$1, $4] += $7
}

END {
  for (number = 1; number <= 30; number++) {
    day = sprintf("2026-11-%02d", number)
    anthropic(day, number < 30 ? sprintf("2026-11-%02d", number + 1) : "2026-12-01")
    openai(day, first + (number - 1) * 86400)
  }
  close_pages()
}

function anthropic(day, next_day, model, bucket, cents) {
  model = "claude-haiku-4.5"
  bucket = (day > "2026-11-01" ? "," : "") "{\"starting_at\":\"" day "T00:00:00Z\",\"ending_at\":\"" next_day "T00:00:00Z\",\"results\":["
  usage_a = usage_a bucket sprintf("{\"model\":\"%s\",\"uncached_input_tokens\":%d,\"cache_read_input_tokens\":%d,\"output_tokens\":%d}]}", model, input[day, model], cached[day, model], output[day, model])
  cost_a = cost_a bucket cost(model, "uncached_input_tokens", input[day, model] * 100) "," cost(model, "cache_read_input_tokens", cached[day, model] * 10) "," cost(model, "output_tokens", output[day, model] * 500) "]}"
}

function cost(model, kind, value) {
  return "{\"amount\":\"" money(value, 6) "\",\"currency\":\"USD\",\"cost_type\":\"tokens\",\"token_type\":\"" kind "\",\"model\":\"" model "\",\"description\":\"" model "\"}"
}

function openai(day, start, model, bucket) {
  model = "gpt-5.4-mini"
  bucket = (day > "2026-11-01" ? "," : "") sprintf("{\"object\":\"bucket\",\"start_time\":%d,\"end_time\":%d,\"results\":[", start, start + 86400)
  usage_o = usage_o bucket sprintf("{\"object\":\"organization.usage.completions.result\",\"model\":\"%s\",\"num_model_requests\":%d,\"input_tokens\":%d,\"input_cached_tokens\":%d,\"output_tokens\":%d}]}", model, calls[day, model], input[day, model] + cached[day, model], cached[day, model], output[day, model])
  cost_o = cost_o bucket amount(model ", input", input[day, model] * 750) ","
  cost_o = cost_o amount(model ", cached input", cached[day, model] * 75) ","
  cost_o = cost_o amount(model ", output", output[day, model] * 4500) "]}"
}

function amount(item, value) {
  return sprintf("{\"object\":\"organization.costs.result\",\"amount\":{\"value\":%s,\"currency\":\"usd\"},\"line_item\":\"%s\"}", money(value, 9), item)
}

function close_pages() {
  printf "{\"data\":[%s],\"has_more\":false,\"next_page\":null}\n", usage_a >"anthropic-usage.json"
  printf "{\"data\":[%s],\"has_more\":false,\"next_page\":null}\n", cost_a >"anthropic-cost.json"
  printf "{\"object\":\"page\",\"data\":[%s],\"has_more\":false,\"next_page\":null}\n", usage_o >"openai-usage.json"
  printf "{\"object\":\"page\",\"data\":[%s],\"has_more\":false,\"next_page\":null}\n", cost_o >"openai-cost.json"
}
