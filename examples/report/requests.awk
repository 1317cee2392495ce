# The requests of one week for a made-up shop of credits: with what=topup the customers' purchases,
# with what=charge their usage. They are the same each time: the numbers come from a generator of
# Lehmer's, not from the system.
#
#   awk -v what=charge -v week=3 -f requests.awk

function random(n) { seed = (seed * 16807) % 2147483647; return seed % n }

# The week's days, from Monday 2026-05-04 on.
function time(day, second,    days, month, lengths, i) {
  split("31 30 31 31 30 31 30 31", lengths, " ")
  days = 3 + week * 7 + day
  for (i = 1; days >= lengths[i]; i++) days -= lengths[i]
  month = 4 + i
  return sprintf("2026-%02d-%02dT%02d:%02d:%02d.000Z", month, days + 1, second / 3600,
    second % 3600 / 60, second % 60)
}

BEGIN {
  seed = 20260504 + week * 7919 + (what == "topup")
  count = split("acme,bauhaus,cedar,delta,ember,fjord,globex,harbor,initech,juno,koala,lumen," \
    "meridian,nimbus,orchid,pioneer,quartz,rivet,saffron,tundra,umbra,vertex,willow,zephyr",
    accounts, ",")
  split("claude-opus-4.8,claude-sonnet-4.6,claude-sonnet-4.6,claude-haiku-4.5,gpt-5.5,gpt-5-mini," \
    "gpt-5-mini,gemini-3-flash-preview", models, ",")
  split("search,support,agents,reports,onboarding", projects, ",")
  split("prod,prod,prod,staging", stages, ",")
  # The shop grows: each week another customer comes, and each uses more.
  present = week + 4 < count ? week + 4 : count
  if (what == "topup") topups(); else charges()
}

function topups(    n, account, product) {
  for (n = 1; n <= present; n++) {
    account = accounts[n]
    if (week + 4 > n && random(n == 1 ? 2 : 4)) continue
    product = n % 5 == 2 ? "pack.25000.eur" : n == 1 ? "pack.25000" : random(3) ? "pack.5000" : \
      n % 3 ? "pack.25000" : "pack.100000"
    printf "{\"account\":\"%s\",\"transaction\":\"order-%d\",\"product\":\"%s\",\"now\":\"%s\"}\n",
      account, 10000 + week * 100 + n, product, time(0, 21600 + n * 61)
  }
}

function charges(    day, call, calls, n, model, input) {
  for (day = 0; day < 7; day++) {
    calls = (day < 5 ? 14 : 4) + week / 2 + random(6)
    for (call = 0; call < calls; call++) {
      n = 1 + (random(present) * random(present)) / present
      n = int(n)
      model = models[1 + random(8)]
      input = 2000 + random(60000)
      printf "{\"account\":\"%s\",\"key\":\"call-%d-%d-%d\",\"model\":\"%s\",\"usage\":{" \
        "\"inputTokens\":%d,\"outputTokens\":%d,\"cacheReadTokens\":%d},\"tags\":{" \
        "\"project\":\"%s\",\"stage\":\"%s\"},\"now\":\"%s\"}\n",
        accounts[n], week, day, call, model, input, 400 + random(9000), random(3) * input,
        projects[1 + (n * 7 + random(2)) % 5], stages[1 + random(4)],
        time(day, 30000 + int(call * 50000 / calls) + random(1000))
    }
  }
}
