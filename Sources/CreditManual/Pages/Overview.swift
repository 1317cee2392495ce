internal import CreditCommand
internal import CreditModel

/// Rules of every tool: the page `credit-tools(7)`, and parts that other pages share.
enum Overview {
  static let environment: [Term] = [
    Term("`$CREDIT_STORE`", "The store, where `--store` does not name it."),
    Term("`$CREDIT_NOW`", "The time, where `--now` does not say it."),
    Term(
      "`$XDG_DATA_HOME`",
      "The folder of the default store `credit`; `~/.local/share` if it is not set."),
    Term(
      "`$TMPDIR`",
      "The folder for a large index that a tool may not write into the store; it is there only "
        + "while the tool runs. `/tmp` if it is not set."),
  ]

  static let files: [Term] = [
    Term("`policy.json`", "The rules of the store, edited by people."),
    Term(
      "`journal.jsonl`",
      "What happened, one record a line: the truth. It is only ever added to."),
    Term("`index`", "The places of the journal's records: a cache, rebuilt when it is missing."),
    Term(
      "`catalog.index`",
      "The places of the catalog's entries: a cache, too, which readers also make."),
    Term("`policy.index`", "The same of the policy's own entries."),
    Term("`lock`", "What the tools lock. It is never deleted."),
  ]

  static let sections: [Section] =
    [
      firstSteps, requests, passing, errors, repeats, lowBalances, safety, terminal, time, names,
    ] + tasks + [completion, promises, otherWays]

  private static let firstSteps = Section(
    "First steps",
    [
      .text("Make a store, ask, work, and charge what it took:"),
      .code(
        """
        $ export CREDIT_STORE=$HOME/credits
        $ credit-store init --get created
        true
        $ id=$(credit-authorize --account me --get authorization.id)
        $ credit-charge --authorization "$id" --model claude-sonnet-4.5 \\
        >   --input-tokens 1200 --output-tokens 500 --get creditsCharged
        12
        $ credit-balance --account me --get balance
        988
        """),
      .text(
        """
        Or bill a call in one step as it comes back from the provider, under an id of its own:
        """),
      .code(
        """
        $ curl -s https://api.anthropic.com/v1/messages \\
        >   -H @headers -d @question.json |
        >   credit-charge --account me --key question-17 --response --get newBalance
        976
        """),
    ])

  private static let requests = Section(
    "Requests and results",
    [
      .text(
        """
        Each request yields exactly one JSON object on one line of standard output, in the order
        of the requests; listings print one line an item. Where the flags alone make a whole
        request, standard input is not read, so that a tool inside a `while read` loop leaves the
        loop's input alone. Otherwise requests are JSON objects on standard input, one a line or
        over several lines. On a terminal, or if standard input is closed, this is a usage
        error; the tool never waits for typing.
        """),
      .text(
        """
        A flag such as `--expires-in` is the member `expiresIn` of the request; the usage flags
        are members of its `usage`. Flags fill in what a request lacks, and a request that says
        something else than a flag is `invalid_request`. A known member of the wrong type, or
        null, is `invalid_request`, too. Unknown members are ignored; one that is a letter or two
        from a known one, such as `acount`, is said on standard error, once a run. Numbers with a
        fraction or an exponent where an integer belongs are refused, never rounded.
        """),
      .text(
        """
        Empty input is no requests: no output, and status 0. For credit-authorize(1), and with
        `--response`, it is `invalid_request`. Where flags carry a part of a request, or select
        from a history that nothing asks for, standard error says what they lack; from
        `/dev/null` that is a usage error, so that a cron job that forgot a flag does not succeed
        for ever.
        """),
      .text(
        """
        Input that is not JSON is one `invalid_json` error with line and byte offset, and reading
        goes on at the next line that starts with a brace.
        """),
      .text(
        """
        Results are printed as soon as the input that has arrived is served, so that a co-process
        can send one request and wait for its answer. Requests that have arrived together are
        served together, each seeing the ones before it.
        """),
    ])

  private static let passing = Section(
    "Pipelines",
    [
      .text(
        """
        With `--pass` a tool prints the request with the result's members added, so that the next
        tool has both. With `--get` it prints members of the result, text unquoted and separated
        by tabs, for shell variables.
        """),
      .text(
        """
        A request that is itself an error result is copied to the output, nothing is done, and it
        counts as failed with that error's exit status. So this charges only what was authorized,
        and what was refused comes out at the end:
        """),
      .code("$ credit-authorize --pass < usage.ndjson | credit-charge"),
      .text(
        """
        The requests of one batch do not see the charges that the next tool of the pipe makes
        later; where the exact line of refusal matters, charge directly, with a key.
        """),
    ])

  private static let repeats = Section(
    "Doing it twice",
    [
      .text(
        """
        A call whose answer was lost is repeated with the same id, and it is answered like the
        first time, plus `"replayed":true`; nothing moves twice. The same id for something else is
        `idempotency_conflict`. Ids are looked up before anything else is checked.
        """),
      .text(
        """
        To bill a log, give each line a key and charge it directly; run it again after a crash, or
        every hour on the whole log:
        """),
      .code("$ credit-charge < usage.ndjson > receipts.ndjson"),
    ])

  private static let lowBalances = Section(
    "When credits run low",
    [
      .text(
        """
        Where the policy says `"lowBalance":[500,100]`, the write that takes an account from 500
        credits or more to fewer says `"crossed":[500]` in its result and in its line of the
        history, whichever process makes it; and again only after the balance has been back. A
        replay repeats it. So act under a key that is made of it, and once is once; where charges
        are corrected with `--amend`, the result's `amended` belongs into the key, too. A key
        has at most 256 bytes, and so has an id; a checksum makes any id short. This tops up the
        accounts that a log leaves short, however often the log is billed:
        """),
      .code(
        """
        $ tab=$(printf '\\t')
        $ credit-charge < usage.ndjson \\
        >   --get authorization.account,authorization.id,crossed.0 |
        >   while IFS=$tab read -r account id limit; do
        >     [ -z "$limit" ] && continue
        >     mark=$(printf %s "$id:$limit" | sha256sum | cut -c -64)
        >     credit-topup --account="$account" --credits 1000 \\
        >       --key "crossed:$mark" --get newBalance
        >   done
        """),
      .text(
        """
        The history has the crossings of all processes. This script, run every minute by cron(8),
        writes one mail a crossing; the file `sent` keeps their keys:
        """),
      .code(
        """
        $ tab=$(printf '\\t')
        $ credit-history --all --since yesterday --limit 0 \\
        >   --get account,id,balance,crossed.0 |
        >   while IFS=$tab read -r account id balance limit; do
        >     key=crossed:$id:$limit
        >     [ -z "$limit" ] || grep -qsxF "$key" sent || {
        >       echo "$account has $balance credits left" |
        >         mail -s "Top up" ops@example.com && echo "$key" >> sent
        >     }
        >   done
        """),
      .text(
        """
        A crontab(5) sets `PATH` and `CREDIT_STORE`. It lets errors through, which cron mails, and
        drops results:
        """),
      .code(
        """
        PATH=/usr/local/bin:/usr/bin:/bin
        CREDIT_STORE=/var/lib/credits
        MAILTO=ops@example.com
        * * * * *  cd /var/lib/billing && ./mail-crossings >/dev/null
        7 * * * *  credit-usage claude --account me | credit-charge --arrears >/dev/null
        """),
    ])

  private static let safety = Section(
    "What is on disk",
    [
      .text(
        """
        A result is printed only after what it reports is on disk. If the store itself fails, the
        run ends: the first request that was not served gets the error, with `"outcome":"none"`
        (nothing was done) or `"outcome":"unknown"` (repeat it with the same id), and no later
        request gets a line.
        """),
      .text(
        """
        Text from a request that appears in a message is quoted, with control characters escaped,
        and cut at 200 bytes. A reader that closes the pipe ends a tool quietly.
        """),
    ])

  private static let terminal = Section(
    "At a terminal",
    [
      .text(
        """
        Results are JSON wherever they are not shown to a person: off a terminal always, and on one
        with `--json`. On a terminal the result of one request is laid out, a member a line, and a
        listing is a table. No row of it is wider than the terminal: text is shortened (ids keep
        their end), and then what matters least is left out, as is a column with nothing in it.
        Times are in UTC, and a status is shown where it is not `completed`. The results of several
        requests on standard input stay JSON.
        """),
      .text(
        """
        The width is that of `$COLUMNS`, else the terminal's own, else 80. There are no colours
        where `$NO_COLOR` is set, and neither colours nor bars where `$TERM` is `dumb` or not set.
        Work of over a second shows on standard error how far it has come, if that is a terminal.
        """),
    ])

  private static let time = Section(
    "Time and spans",
    [
      .text(
        """
        Results are in UTC with milliseconds: `2026-02-19T10:00:00.000Z`. Spans of time are a
        whole number and a unit: `90s`, `15m`, `1h`, `30d`. Clocks never
        run backwards: a time earlier than the store's last record is recorded as that one's, so
        that what has been seen of the past stays as it was. Under a simulated clock that goes for
        each account by itself.
        """)
    ])

  private static let names = Section(
    "Accounts and ids",
    [
      .text(
        """
        An account is 1 to 128 bytes of UTF-8, an id or a key 1 to 256, without control
        characters and without white space around it. They are compared and ordered byte by byte.
        The ids that the tools make are lowercase UUIDs of version 7. Under a simulated clock they
        follow from the account's name, the number of its records and the time alone, so that the
        same script prints the same transcript twice. A request that names no account is for the
        account `default`.
        """)
    ])

  private static let completion = Section(
    "Completion",
    [
      .text(
        """
        The directory `completions` of the source has one file for each shell, to be sourced from
        `~/.bashrc` (`credit-tools.bash`), put into a directory of zsh's `fpath` (`_credit-tools`),
        or put into `~/.config/fish/conf.d` (`credit-tools.fish`).
        """),
      .text(
        """
        They know the flags, and the names in the store at hand: its accounts, models, products,
        plans and authorizations, by way of credit(1). That is the store of a `--store` on the line,
        which may begin with `~` or a variable, else that of `$CREDIT_STORE`, else the default one.
        Names are quoted as the shell needs it. Nothing on the line is run, no store is
        made or changed, and none is waited for.
        """),
    ])

  private static let errors = Section(
    "Error results",
    [
      .text(
        """
        An error is a result, too. It takes its request's line on standard output, a sentence goes
        to standard error (not with `--quiet`), and the next request is served:
        """),
      .code(
        """
        {"error":{"code":"insufficient_credits","status":403,"message":"..."}}
        """),
      .text(
        """
        Further members carry the facts: `account`, `balance`, `available`, `authorization`,
        `receipt`, `retryAfter` and others. `status` is the HTTP status that a proxy in front
        would answer with. Errors of the command line go to standard error only.
        """),
      .text(
        """
        The error of a request on standard input says which that was: the `line` on which it
        began, and its `key`, `authorization` or `transaction`. So does the sentence. A run of
        several requests of which some failed ends with a count, on standard error, too:
        """),
      .code(
        """
        credit-charge: line 78 (key "msg_77", account "globex"): ...
        credit-charge: 300 requests: 298 succeeded, 2 insufficient_credits
        """),
      .table(
        [["Code", "Status", "Exit"]]
          + CreditError.Code.byExitStatus.flatMap { row in
            row.codes.map { [$0.rawValue, "\($0.status)", "\(row.exitStatus)"] }
          }),
    ])
}
