"""Random scripts: a policy, and the steps that are run on a store of it, all from one seed."""

import base64
import hashlib
import hmac
import json
import random
from datetime import datetime, timedelta, timezone

MODELS = [
    {"id": "sonnet", "aliases": ["sonnet-DATE"], "usdPer1M": {
        "input": "3", "output": "15", "cacheRead": "0.3", "cacheWrite": "3.75",
        "cacheWrite1h": "6", "webSearchPer1000": "10"}},
    {"id": "mini", "usdPer1M": {
        "input": "0.15", "output": "0.6", "cacheRead": "0.075", "audioInput": "2",
        "tiers": [{"aboveInputTokens": 20000, "input": "0.3", "output": "1.2"}],
        "when": {"serviceTier=batch": {"multiply": "0.5"},
                 "hours=mon-fri 16:30-00:30": {"multiply": "0.75"}}}},
    {"id": "tokens", "creditsPerToken": {"input": 1, "output": 2}},
    {"id": "unit", "creditsPerUnit": 1},
    {"id": "flat", "creditsPerRequest": 7},
    {"id": "gratis", "free": True},
    {"id": "reported", "reportedCost": True},
    {"id": "modèle", "markup": "2", "usdPer1M": {"input": "1.1", "output": "4.4"}},
    {"id": "dated", "from": "2025-01-01", "usdPer1M": {"input": "1", "output": "2"}},
    {"id": "dated", "from": "2025-03-10", "usdPer1M": {"input": "2", "output": "5"}},
]
LIMITS = [
    {"id": "day", "period": "day", "credits": 200, "alerts": [50, 80, 100]},
    {"id": "hour", "period": "hour", "credits": 60},
    {"id": "all", "period": "total", "credits": 5000, "models": ["sonnet", "m*"]},
]
PLANS = [
    {"id": "free", "quota": 100, "period": "day"},
    {"id": "pro", "quota": 600, "period": "month", "rolloverMax": 300, "limits": LIMITS},
    {"id": "week", "quota": 70, "period": {"days": 7}},
    {"id": "member", "limits": LIMITS[:2]},
    {"id": "paid", "quota": 500, "period": "subscription"},
]
PRODUCTS = [
    {"id": "pack", "credits": 1000, "price": "9.99", "currency": "USD"},
    {"id": "promo", "credits": 100, "price": "1.99", "currency": "EUR", "bonuses": [
        {"id": "tenth", "percent": 10, "expiresIn": "5d"},
        {"id": "gift", "credits": 20, "first": True, "priority": 10}]},
    {"id": "grant", "credits": 300, "priority": 20, "expiresIn": "10d", "models": ["mini"]},
    {"id": "monthly", "plan": "paid", "gracePeriod": "2d"},
    {"id": "bundle", "plan": "paid", "credits": 50},
]
ACCOUNTS = ["default", "ana", "ben", "team", "firm", "zoë", 'a"b\\c', "d" * 128, "x y", "日本"]
SECRET = "whsec_key"
START = datetime(2025, 3, 1, 10, tzinfo=timezone.utc)


def text(time):
    return time.strftime("%Y-%m-%dT%H:%M:%S.") + "%03dZ" % (time.microsecond // 1000)


class Step:
    """A run of a tool, a run in several batches with other runs between them, or a deed on files."""

    def __init__(self, tool, args=(), lines=None, source=None, parts=None, now=None):
        self.tool = tool
        self.args = list(args)
        # Each is a request, or what was made of one; standard input is all of them.
        self.lines = lines
        # The step whose standard output is this one's standard input.
        self.source = source
        # Of a run in batches: lists of lines, and steps that other processes run meanwhile.
        self.parts = parts
        self.now = now

    @property
    def input(self):
        return "".join(self.lines or []).encode("utf-8", "surrogateescape")

    def copy(self, **changes):
        step = Step(self.tool, self.args, self.lines, self.source, self.parts, self.now)
        step.__dict__.update(changes)
        return step


class Script:
    def __init__(self, seed, count):
        self.seed = seed
        self.random = random.Random(seed)
        self.clock = START
        self.number = 0
        # The requests so far, by tool, and the ids of authorizations, newest last.
        self.past = {}
        self.ids = []
        self.keys = []
        self.transactions = []
        self.accounts = self.random.sample(ACCOUNTS, self.random.randint(3, len(ACCOUNTS)))
        self.is_simulated = self.chance(0.85)
        self.policy = self.make_policy()
        self.steps = self.opening()
        while len(self.steps) < count:
            self.steps += self.step()

    def chance(self, share):
        return self.random.random() < share

    def pick(self, *values):
        return self.random.choice(values)

    def amount(self):
        return self.pick(0, 1, 1, 2, 3, 7, 10, 25, 100, 1000, 12345, self.random.randint(1, 3000))

    # What a store begins with.

    def make_policy(self):
        policy = {"usdMicrosPerCredit": self.pick(1000, 1000, 100),
                  "starterCredits": self.pick(0, 1000, 1000, 1000, 100000),
                  "overdraft": self.pick("allow", "deny"), "models": MODELS, "plans": PLANS,
                  "products": PRODUCTS,
                  "appStore": {"bundleID": "com.example.app", "environment": "Xcode"},
                  "events": [{"format": "stripe", "secretFile": "stripe.secret",
                              "products": {"plink": "pack", "price": "monthly"}}]}
        if self.is_simulated:
            policy["clock"] = "simulated"
        for name, share, values in [
                ("registration", 0.1, ["explicit"]), ("minimumCharge", 0.2, [3]),
                ("usageFallback", 0.2, ["minimum"]), ("unpricedUsage", 0.3, ["base"]),
                ("markup", 0.3, ["1.25", "0.5"]), ("lowBalance", 0.4, [[500, 100], [10]]),
                ("holdExpiresIn", 0.3, ["90s", "1d"]), ("unverifiedTransactions", 0.5, ["accept"]),
                ("topUpLimit", 0.15, [{"count": 5, "credits": 2500, "period": "day"}])]:
            if self.chance(share):
                policy[name] = self.random.choice(values)
        return policy

    def opening(self):
        requests = []
        for name in self.accounts:
            request = {"account": name}
            if self.chance(0.4):
                request["plan"] = self.pick("free", "pro", "week", "member")
            if self.chance(0.3):
                request["limits"] = {"day": self.pick(50, 500)}
            requests.append(request)
        # Chains of up to four: each has one of those before it as parent.
        for place, request in enumerate(requests):
            if place and self.chance(0.5):
                request["parent"] = requests[max(0, place - self.random.randint(1, 2))]["account"]
        for request in requests:
            self.note("account", request)
        return [self.run("account", [self.line(request) for request in requests])]

    # Time, names and ids.

    def advance(self):
        minutes = self.random.choices(
            [0, 0.001, 0.3, 10, 70, 26 * 60, 8 * 1440, 33 * 1440],
            [30, 15, 15, 15, 10, 8, 5, 2])[0]
        self.clock += timedelta(minutes=minutes * (0.5 + self.random.random()))
        self.clock = self.clock.replace(microsecond=self.clock.microsecond // 1000 * 1000)

    def near(self):
        return text(self.clock + timedelta(minutes=self.random.choice(
            [-50000, -1500, -30, -1, 0, 1, 4, 90, 3000])))

    def account(self):
        return "stranger%d" % self.random.randint(1, 3) if self.chance(0.03) \
            else self.random.choice(self.accounts)

    def new_id(self, prefix):
        self.number += 1
        return self.pick(prefix, prefix, prefix, "é" + prefix, prefix + "\"") + str(self.number)

    def old(self, ids, share):
        """One of the ids so far: mostly a new one of them."""
        if not ids or not self.chance(share):
            return None
        return self.random.choice(ids[-12:] if self.chance(0.7) else ids)

    # Requests.

    def usage(self):
        count = self.random.choice([0, 1, 17, 500, 1200, 30000, self.random.randint(0, 9000)])
        other = self.random.choice([0, 3, 80, 500, self.random.randint(0, 4000)])
        forms = [
            {"inputTokens": count, "outputTokens": other},
            {"inputTokens": count, "outputTokens": other, "cacheReadTokens": 5},
            {"inputTokens": count, "outputTokens": other, "cacheWriteTokens": 9,
             "serviceTier": self.pick("batch", "standard", "odd")},
            {"prompt_tokens": count, "completion_tokens": other, "total_tokens": count + other},
            {"prompt_tokens": count + 50, "completion_tokens": other,
             "prompt_tokens_details": {"cached_tokens": self.pick(0, 50), "audio_tokens": 0},
             "completion_tokens_details": {"reasoning_tokens": 0}},
            {"input_tokens": count + 20, "output_tokens": other,
             "input_tokens_details": {"cached_tokens": 20},
             "output_tokens_details": {"reasoning_tokens": 0}},
            {"input_tokens": count, "output_tokens": other, "cache_creation_input_tokens": 30,
             "cache_read_input_tokens": 4, "service_tier": "standard",
             "cache_creation": {"ephemeral_5m_input_tokens": 10,
                                "ephemeral_1h_input_tokens": 20},
             "server_tool_use": {"web_search_requests": self.pick(0, 2)}},
            {"promptTokenCount": count, "candidatesTokenCount": other,
             "thoughtsTokenCount": 4, "totalTokenCount": count + other + 4},
            {"units": self.random.randint(0, 40)},
            {"flat": True},
            {},
        ]
        weights = [30, 6, 4, 8, 6, 4, 8, 6, 8, 2, 1]
        return self.random.choices(forms, weights)[0]

    def model(self, usage):
        if "units" in usage:
            return self.pick("unit", "unit", "unit", "flat")
        if self.chance(0.06):
            return self.pick("unit", "flat", "gratis", "reported", "unknown", "Sonnet")
        return self.random.choices(
            ["sonnet", "mini", "tokens", "modèle", "dated", "sonnet-20250101", "gratis"],
            [40, 20, 5, 10, 10, 5, 5])[0]

    def charge_request(self, settles=0.4, amends=0):
        usage = self.usage()
        request = {}
        if self.past.get("charge") and self.chance(amends):
            request = dict(self.random.choice(self.past["charge"][-40:]))
            request["usage"] = usage
            return request
        id = self.old(self.ids, settles)
        if id:
            request["authorization"] = id
            if self.chance(0.15):
                request["authorization"] = {"id": id, "account": self.account()}
            elif self.chance(0.1):
                request["account"] = self.account()
        else:
            request["account"] = self.account()
            request["key"] = self.old(self.keys, 0.1) or self.new_id("k")
            self.keys.append(request["key"])
        request["model"] = self.model(usage)
        request["usage"] = usage
        if request["model"] == "reported" or self.chance(0.02):
            request["reportedUSD"] = self.pick(0.01, "0.5", 1e-3, 0, -1)
        if self.chance(0.15):
            request["usedAt"] = self.near()
        self.add_tags(request)
        if self.chance(0.02):
            request["unread"] = ["odd_tokens"]
        return request

    def authorize_request(self):
        request = {"account": self.account()}
        if self.chance(0.85):
            request["authorization"] = self.old(self.ids, 0.1) or self.new_id("a")
            self.ids.append(request["authorization"])
        if self.chance(0.5):
            request["hold"] = self.pick(1, 1, 2, 5, 5, 10, 10, 50, 400, 100000, 0)
            if self.chance(0.4):
                request["expiresIn"] = self.pick("90s", "15m", "1h", "30d")
        if self.chance(0.4):
            request["model"] = self.model({})
        self.add_tags(request)
        return request

    def topup_request(self):
        request = {"account": self.account()}
        if self.chance(0.6):
            request["transaction"] = self.old(self.transactions, 0.15) or self.new_id("t")
            self.transactions.append(request["transaction"])
        else:
            request["key"] = self.old(self.keys, 0.15) or self.new_id("u")
            self.keys.append(request["key"])
        kind = self.random.randrange(10)
        if kind < 4:
            request["product"] = self.pick("pack", "promo", "promo", "grant", "odd")
            if self.chance(0.15):
                request["quantity"] = self.pick(1, 2, 3, 0)
        elif kind < 6:
            request["product"] = self.pick("monthly", "bundle")
            request["expiresAt"] = text(self.clock + timedelta(days=self.pick(-1, 10, 31, 62)))
        elif kind < 7:
            request["to"] = self.amount()
        else:
            request["credits"] = self.amount()
            request["type"] = self.pick("purchase", "bonus", "adjustment")
        if kind >= 6 and self.chance(0.2):
            request["below"] = self.amount()
        if kind >= 7 and self.chance(0.5):
            request["priority"] = self.pick(0, 10, 50, 100, 101)
            if self.chance(0.5):
                request["startsIn"] = self.pick("1h", "3d")
            if self.chance(0.6):
                request["expiresIn"] = self.pick("2h", "5d", "40d")
            if self.chance(0.3):
                request["models"] = self.random.sample(["sonnet", "mini", "tokens"], 2)
        if self.chance(0.15):
            request["status"] = self.pick("completed", "pending", "pending", "failed")
        if self.chance(0.2):
            request["price"] = self.pick("4.99", 5, "0")
            request["currency"] = "USD"
        if self.chance(0.1):
            request["reason"] = "thank you, \u00e4 lot"
        self.add_tags(request)
        return request

    def refund_request(self):
        request = {}
        kind = self.random.randrange(3)
        if kind == 0:
            request["transaction"] = self.old(self.transactions, 0.95) or "t0"
            if self.chance(0.2):
                request["price"] = self.pick("1.00", "9.99", "3")
            elif self.chance(0.2):
                request["unused"] = True
        elif kind == 1:
            request["authorization"] = self.old(self.ids, 0.95) or "a0"
        elif self.past.get("charge") and self.chance(0.9):
            # Half of them were by an authorization.
            charge = self.random.choice(self.past["charge"][-60:])
            request = {name: charge[name] for name in ("authorization", "account", "key")
                       if name in charge}
        else:
            request["account"] = self.account()
            request["key"] = self.old(self.keys, 0.95) or "k0"
        if "price" not in request and "unused" not in request and self.chance(0.6):
            request["credits"] = self.pick(1, 1, 1, 2, 3, 50, 500, 0)
        if self.chance(0.2):
            request["reason"] = self.pick("chargeback", "späte Klage")
        return request

    def transfer_request(self):
        return {"from": self.account(), "to": self.account(), "credits": self.amount() or 1,
                "key": self.old(self.keys, 0.15) or self.new_id("v")}

    def account_request(self):
        request = {"account": self.account()}
        for name, share, values in [
                ("plan", 0.3, ["free", "pro", "week", "member", "none", "odd"]),
                ("exempt", 0.1, [True, False, False]), ("closed", 0.08, [True, False, False]),
                ("parent", 0.25, self.accounts + ["none"]), ("group", 0.1, ["b", "none"]),
                ("limits", 0.3, [{"day": 300}, {"day": 40, "hour": 30}, {"all": "none"},
                                 {"day": "plan"}, {"own": 5}])]:
            if self.chance(share):
                request[name] = self.random.choice(values)
        if "limits" in request and self.chance(0.3):
            request["limitUntil"] = text(self.clock + timedelta(hours=self.pick(2, 50)))
        return request

    def add_tags(self, request):
        if self.chance(0.2):
            request["tags"] = self.random.choice(
                [{"job": "1"}, {"b": "2", "a": "1"}, {"job": "très \"\\"}] * 3
                + [{"größe": "1"}, {"q": "\n\t"}, {}])
        if self.chance(0.05):
            request["now"] = self.near()

    def request(self, tool, **options):
        """A new request, or one of those before, whole or with a change."""
        past = self.past.get(tool, [])
        if past and self.chance(0.2):
            request = dict(self.random.choice(past[-30:] if self.chance(0.7) else past))
            if self.chance(0.4):
                other = self.random.choice(past)
                name = self.random.choice(list(other))
                request[name] = other[name]
            return request
        request = getattr(self, tool + "_request")(**options)
        self.note(tool, request)
        return request

    def note(self, tool, request):
        self.past.setdefault(tool, []).append(request)

    # Their text.

    def line(self, request, whole=False):
        """The text of a request: mostly compact, at times unusual, or wrong.

        `whole`: it is one line and has one result.
        """
        way = self.random.random()
        if way < 0.7:
            return json.dumps(request, separators=(",", ":"), ensure_ascii=False) + "\n"
        if way < 0.76:
            names = list(request)
            self.random.shuffle(names)
            return json.dumps({name: request[name] for name in names},
                              separators=(",", ":"), ensure_ascii=False) + "\n"
        if way < 0.82:
            return json.dumps(request, ensure_ascii=False) + "\n"
        if way < 0.86:
            return json.dumps(request, separators=(",", ":")) + "\n"
        if way < 0.88:
            return self.escaped(json.dumps(request, ensure_ascii=False)) + "\n"
        if way < 0.96:
            return json.dumps(self.wrong(dict(request)), ensure_ascii=False) + "\n"
        if whole:
            return " \t" + json.dumps(request, separators=(" , ", " : ")) + " \r\n"
        return self.broken(json.dumps(request, indent=1, ensure_ascii=False))

    def escaped(self, line):
        """Writes some letters as escapes, but none of true, false and null."""
        return "".join("\\u%04x" % ord(c) if c in "bcdgikmopqvwxyz" and self.chance(0.1) else c
                       for c in line)

    def wrong(self, request):
        name = self.random.choice(list(request))
        change = self.random.randrange(8)
        if change == 0:
            del request[name]
        elif change == 1:
            request[name + "s"] = request.pop(name)
        elif change == 2:
            request["extra"] = [None, {"deep": [1, 2, "x"]}, True]
        elif change == 3 and isinstance(request.get("usage"), dict):
            request["usage"] = dict(request["usage"])
            request["usage"][self.pick("inputTokens", "input_tokens", "odd_tokens")] = \
                self.pick(-1, 1.5, "7", None, 2 ** 53, 2 ** 64, 1e3, 10.0)
        else:
            request[name] = self.pick(None, "", 0, -5, 1.5, True, [], {}, " x", "é" * 130, 2 ** 70,
                                      "a\u0000b", 12)
        return request

    def broken(self, line):
        way = self.random.randrange(8)
        if way == 0:
            return line[:self.random.randrange(len(line))] + "\n"
        if way == 1:
            return line[:-1].rstrip() + ",}\n"
        if way == 2:
            return line[:-1] + ',"key":"twice","key":"twice"}\n'
        if way == 3:
            return self.pick("\n", "null\n", "[]\n", '"word"\n', "17\n", "{}\n", "{\n", "\ufeff{}\n")
        if way == 4:
            return line.replace('"', '"\udcff', 1) + "\n"
        if way == 5:
            return line + line + "\n"
        return line + "\n"

    def lines(self, tool, count, whole=False, **options):
        return [self.line(self.request(tool, **options), whole) for _ in range(count)]

    # Steps.

    def run(self, tool, lines=None, *args, source=None, parts=None):
        return Step("credit-" + tool, args, lines, source, parts, text(self.clock))

    def count(self):
        return self.random.choices(
            [1, self.random.randint(2, 12), self.random.randint(13, 60),
             self.random.randint(257, 500)], [20, 60, 18, 2])[0]

    def output(self, tool):
        """Flags that change what is printed, or fill in what requests lack."""
        paths = "error.code,error.message"
        if tool in ("charge", "refund"):
            paths = "authorization.id,newBalance," + paths
        account = ["--account", self.random.choice(self.accounts)]
        return {0: ["--pass"], 1: ["--pretty"], 2: ["--quiet"], 3: ["--get", paths],
                4: [] if tool == "transfer" else account}.get(self.random.randrange(20), [])

    def step(self):
        self.advance()
        kinds = {"charge": 20, "settle": 12, "authorize": 12, "topup": 10, "refund": 9,
                 "transfer": 5, "account": 6, "flags": 14, "void": 4, "response": 5, "pipe": 4,
                 "session": 8, "command": 1, "event": 5, "storekit": 3, "policy": 1, "index": 1,
                 "read": 3}
        return getattr(self, "step_" + self.random.choices(
            list(kinds), list(kinds.values()))[0])()

    def mode(self, tool):
        """What a run does other than to write once."""
        if tool == "authorize" or tool == "account":
            return []
        return (["--dry-run"] if self.chance(0.1) else []) + (
            (["--arrears"] if self.chance(0.25) else [])
            + (["--amend"] if self.chance(0.15) else []) if tool == "charge" else []) + (
            ["--strict"] if tool == "topup" and self.chance(0.15) else [])

    def batch(self, tool, **options):
        mode = self.mode(tool)
        if "--amend" in mode:
            options["amends"] = 0.7
        return [self.run(tool, self.lines(tool, self.count(), **options), *mode, *self.output(tool))]

    def step_charge(self):
        return self.batch("charge")

    def step_settle(self):
        return self.batch("charge", settles=0.95)

    def step_authorize(self):
        return self.batch("authorize")

    def step_topup(self):
        return self.batch("topup")

    def step_refund(self):
        return self.batch("refund")

    def step_transfer(self):
        return self.batch("transfer")

    def step_account(self):
        return self.batch("account")

    def step_void(self):
        id = self.random.choice(self.ids[-6:] or ["a0"])
        account = ["--account", self.account()] if self.chance(0.2) else []
        return [self.run("authorize", None, "--void", id, *account)]

    def step_flags(self):
        """A run of flags alone."""
        tool = self.pick("charge", "charge", "authorize", "topup", "refund", "transfer", "account")
        request = self.request(tool)
        args = []
        for name, value in request.items():
            flag = "--" + "".join("-" + c.lower() if c.isupper() else c for c in name)
            if name == "usage":
                names = {"prompt_tokens": "inputTokens", "completion_tokens": "outputTokens",
                         "input_tokens": "inputTokens", "output_tokens": "outputTokens"}
                for count, number in value.items():
                    count = names.get(count, count)
                    if isinstance(number, (dict, bool)) or "_" in count or "Count" in count:
                        continue
                    args += ["--" + "".join("-" + c.lower() if c.isupper() else c for c in count),
                             str(number)]
                if value.get("flat"):
                    args.append("--flat")
            elif name == "tags":
                for tag, of in value.items():
                    args += ["--tag", tag + "=" + of]
            elif name == "limits":
                for limit, of in value.items():
                    args += ["--limit", "%s=%s" % (limit, of)]
            elif name == "models":
                args += [flag, ",".join(value)]
            elif name in ("exempt", "closed"):
                args += [flag, "true" if value else "false"]
            elif name == "unused":
                args.append(flag)
            elif name == "authorization" and isinstance(value, dict):
                args += [flag, value["id"]]
            elif isinstance(value, (str, int)) and "\0" not in str(value):
                args += [flag, str(value)]
        return [self.run(tool, None, *args, *self.mode(tool))]

    def step_response(self):
        """A provider's response, whole or streamed."""
        model = self.pick("sonnet", "mini")
        usage = self.usage()
        if self.chance(0.3):
            count = self.random.randint(1, 3000)
            chunk = {"id": "c1", "object": "chat.completion.chunk", "model": model}
            lines = ["data: %s\n\n" % json.dumps(chunk | part) for part in [
                {"choices": [{"index": 0, "delta": {"content": "Hi"}, "finish_reason": None}],
                 "usage": None},
                {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}], "usage": None},
                {"choices": [], "usage": {"prompt_tokens": count, "completion_tokens": 9}}]]
            lines.append("data: [DONE]\n\n")
            if self.chance(0.3):
                del lines[self.random.randrange(len(lines)):]
        else:
            response = self.random.choice([
                {"id": "c1", "object": "chat.completion", "model": model, "choices": [
                    {"index": 0, "message": {"role": "assistant", "content": "é\n"},
                     "finish_reason": "stop"}], "usage": usage},
                {"id": "m1", "type": "message", "role": "assistant", "model": model,
                 "content": [{"type": "text", "text": "Hi"}], "stop_reason": "end_turn",
                 "usage": usage},
                {"candidates": [{"content": {"parts": [{"text": "Hi"}]}, "finishReason": "STOP"}],
                 "usageMetadata": usage, "modelVersion": model},
                {"error": {"message": "overloaded"}}])
            lines = [json.dumps(response, indent=self.pick(None, 2)) + "\n"]
        request = self.request("charge")
        args = []
        if isinstance(request.get("authorization"), str):
            args = ["--authorization", request["authorization"]]
        elif "key" in request:
            args = ["--key", str(request["key"]), "--account", str(request.get("account") or "ana")]
        if self.chance(0.2):
            args += ["--partial"]
        args = [arg.replace("\0", "") for arg in args]
        return [self.run("charge", lines, "--response", *args, *self.mode("charge"))]

    def step_pipe(self):
        """Authorizations whose results are the charges, ids made by the tools among them."""
        requests = []
        for _ in range(self.random.randint(1, 10)):
            request = self.authorize_request() | {"usage": self.usage()}
            request["model"] = self.model(request["usage"])
            if self.chance(0.5):
                request.pop("authorization", None)
            requests.append(json.dumps(request, ensure_ascii=False) + "\n")
        first = self.run("authorize", requests, "--pass")
        steps = [first]
        for _ in range(self.random.randint(1, 2)):
            self.advance()
            steps.append(self.run("charge", source=first))
        return steps

    def step_session(self):
        """A run in several batches, between which other processes write."""
        tool = self.pick("charge", "charge", "charge", "authorize", "topup", "refund", "transfer")
        parts = []
        for _ in range(self.random.randint(2, 5)):
            if self.chance(0.3):
                parts += self.batch(self.pick("charge", "authorize", "topup", "account"))
            else:
                parts.append(self.lines(tool, self.random.randint(1, 8), whole=True))
        return [self.run(tool, None, *self.mode(tool), parts=parts)]

    def step_command(self):
        response = {"id": "m1", "type": "message", "model": "sonnet", "stop_reason": "end_turn",
                    "usage": {"input_tokens": 700, "output_tokens": 90}}
        hold = ["--hold", "5"] if self.chance(0.5) else []
        return [self.run("run", None, "--account", self.account(), *hold, "--", "echo",
                         json.dumps(response))]

    def step_event(self):
        """An event of a payment provider: a sale, its refund, or a paid period."""
        number = self.random.randint(1, 6)
        now = int(self.clock.timestamp())
        account = self.accounts[number % len(self.accounts)]
        kind = self.random.randrange(3)
        if kind == 0:
            name, value = "checkout.session.completed", {
                "id": "cs_%d" % number, "object": "checkout.session", "mode": "payment",
                "payment_status": "paid", "payment_intent": "pi_%d" % number,
                "client_reference_id": account, "payment_link": "plink", "amount_total": 999,
                "currency": "usd", "metadata": {}}
        elif kind == 1:
            name, value = "charge.refunded", {
                "id": "ch_%d" % number, "payment_intent": "pi_%d" % number, "amount": 999,
                "amount_refunded": self.pick(333, 500, 999), "currency": "usd"}
        else:
            name, value = "invoice.paid", {
                "id": "in_%d" % number, "amount_paid": 999, "currency": "usd",
                "parent": {"subscription_details": {
                    "subscription": "sub_%d" % number, "metadata": {"account": account}}},
                "lines": {"has_more": False, "data": [{
                    "id": "il_1", "amount": 999, "quantity": 1,
                    "parent": {"subscription_item_details": {"subscription": "sub_%d" % number}},
                    "period": {"start": now, "end": now + 30 * 86400},
                    "pricing": {"price_details": {"price": "price"}}}]}}
        body = json.dumps({"id": "evt_%d" % self.random.randint(1, 99), "object": "event",
                           "type": name, "created": now, "livemode": True,
                           "data": {"object": value}})
        signature = hmac.new(SECRET.encode(), b"%d.%s" % (now, body.encode()),
                             hashlib.sha256).hexdigest()
        if self.chance(0.05):
            signature = "00" * 32
        return [self.run("topup", [body], "--event", "stripe", "--header",
                         "Stripe-Signature: t=%d,v1=%s" % (now, signature))]

    def step_storekit(self):
        """Transactions of StoreKit, plain or as unsigned text."""
        lines = []
        for _ in range(self.random.randint(1, 4)):
            number = self.random.randint(2001, 2012)
            value = {"transactionId": str(number), "originalTransactionId": str(number // 2 * 2),
                     "productId": self.pick("pack", "promo"), "type": "Consumable",
                     "bundleId": "com.example.app", "environment": "Xcode"}
            if self.chance(0.5):
                lines.append(json.dumps(value) + "\n")
            else:
                parts = [base64.urlsafe_b64encode(part.encode()).decode().rstrip("=")
                         for part in ['{"alg":"ES256"}', json.dumps(value)]]
                lines.append(".".join(parts) + ".\n")
        return [self.run("topup", lines, "--account", self.account())]

    def step_policy(self):
        policy = self.make_policy()
        return [self.run("store", [json.dumps(policy)], "policy", "--set", "-", "--get", "unit")]

    def step_index(self):
        """The index is lost, or made again."""
        return [self.pick(Step("rm", ["store/index"]), self.run("store", None, "rebuild"))]

    def step_read(self):
        return [self.random.choice([
            self.run("balance", None, "--account", self.random.choice(self.accounts)),
            self.run("balance", None, "--all"),
            self.run("history", None, "--all", "--limit", "30"),
            self.run("history", None, "--all", "--open"),
            self.run("store", None, "export")])]
