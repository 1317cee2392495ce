# The calls of a company's members, and of those who work alone, on one day, one a line: id, member, model, input, cached and
# output tokens. A day has the same calls each time.
#
#   awk -v day=1 -f calls.awk

# random N: a whole number from 0 to N - 1, of a sequence that every awk computes alike.
function random(n) {
  state = (state * 16807) % 2147483647
  return int(state / 2147483647 * n)
}

BEGIN {
  state = day * 7919 + 17
  for (burn = 0; burn < 5; burn++) random(2)
  for (team = 1; team <= 20; team++) {
    for (member = 1; member <= 50; member++) work(sprintf("m%02d%02d", team, member), random(4))
  }
  for (alone = 1; alone <= 20; alone++) work(sprintf("s%02d", alone), random(3))
}

function work(member, count, call, model, input, cached) {
  for (call = 1; call <= count; call++) {
    model = random(3) ? "gpt-5.4-mini" : "claude-haiku-4.5"
    input = 500 + random(8000)
    cached = random(2) ? random(input) : 0
    printf "call-%02d-%s-%d\t%s\t%s\t%d\t%d\t%d\n", day, member, call, member, model,
      input - cached, cached, 50 + random(1500)
  }
}
