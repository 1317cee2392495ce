#!/bin/bash
# Prints a LiteLLM proxy's log: 2,000 calls of five customers in February 2026, always the same.
awk 'BEGIN {
  split("acme globex hooli initech umbrella", customers)
  split("claude-sonnet-4-5 gpt-4o gpt-4o-mini claude-haiku-4-5", models)
  seed = 7
  for (call = 1; call <= 2000; call++) {
    who = customers[1 + int(random() * random() * 5)]
    model = models[1 + int(random() * 4)]
    second = call * 1200
    printf "{\"request_id\":\"chatcmpl-%04d\",\"call_type\":\"acompletion\",\"model\":\"%s\",", call, model
    printf "\"prompt_tokens\":%d,\"completion_tokens\":%d,", 200 + random() * 4000, 20 + random() * 900
    printf "\"startTime\":\"2026-02-%02dT%02d:%02d:00Z\",", 1 + second / 86400, second / 3600 % 24, second / 60 % 60
    printf "\"user\":\"%s\",\"status\":\"success\"}\n", who
  }
}
# The same numbers on every machine: Park and Miller'"'"'s generator.
function random() { seed = seed * 16807 % 2147483647; return seed / 2147483647 }'
