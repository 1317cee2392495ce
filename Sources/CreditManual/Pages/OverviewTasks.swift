internal import CreditCommand

/// Tasks with the whole suite: sections of `credit-tools(7)`.
extension Overview {
  static let tasks: [Section] = [corrections, backups, forgetting, simulation, testing]

  private static let corrections = Section(
    "Corrections",
    [
      .text(
        """
        No line of the journal is ever changed. What was wrong is put right by a record of its own,
        which counts once like any other:
        """),
      .terms([
        Term(
          "a charge for the wrong usage",
          "credit-charge(1) with `--amend`, the same id and the right usage."),
        Term(
          "a charge that should not have been",
          "credit-refund(1) with `--authorization`, or with `--account` and `--key`."),
        Term(
          "a purchase that was paid back",
          "credit-refund(1) with `--transaction`, and with `--credits` for a part of it."),
        Term("work that was given up", "credit-authorize(1) with `--void`."),
        Term(
          "anything else",
          "credit-topup(1) with `--type adjustment` and a `--reason`; negative credits take."),
      ]),
      .code(
        """
        $ credit-topup --account me --type adjustment --credits -25 \\
        >   --key ticket-17 --reason 'granted twice' --get creditsAdded
        -25
        """),
    ])

  private static let backups = Section(
    "Backups",
    [
      .text(
        """
        `credit-store export` prints the current store, while others go on with it. A backup is
        sound when it can be imported into an empty store and verified there:
        """),
      .code(
        """
        $ credit-store export > backup.ndjson
        $ credit-store init --store restored --get created
        true
        $ credit-store import --store restored < backup.ndjson > imported
        $ credit-store verify --store restored --get ok
        true
        """),
      .text(
        """
        A copy of `journal.jsonl`, of `policy.json` and of the files that this names is a store,
        too: the journal only grows, and a last line that the copy cuts is ignored. An older
        copy put in a store's place has lost what came after it: charges that are repeated then
        move credits again.
        """),
    ])

  private static let forgetting = Section(
    "Forgetting a customer",
    [
      .text(
        """
        A customer's data are what credit-balance(1) and credit-history(1) print. To
        forget the customer and keep the books, export the store without the account, import that
        into an empty store, verify it, and put it in the place of the old one while no tool runs:
        """),
      .code(
        """
        $ credit-store export --without me > kept.ndjson
        $ credit-store init --store kept --get created
        true
        $ credit-store import --store kept < kept.ndjson > imported
        $ credit-store verify --store kept --get ok
        true
        $ credit-history --store kept --account me --quiet
        """),
      .text(
        """
        The account's ids stay claimed, without a name or an amount, so that nothing of it is billed
        again. Its name, tags, reasons and signed texts are removed, also from others' lines.
        `--rename me=customer-17` keeps its history under a name that says nothing. Backups, and
        results that were kept elsewhere, have to be removed, too.
        """),
    ])

  private static let simulation = Section(
    "A clock that is set",
    [
      .text(
        """
        Where the policy says `"clock":"simulated"`, `--now` and `$CREDIT_NOW` may be any time, and
        a request may carry its own `now`. So a script plays months in seconds, and prints the same
        transcript, ids included, each time that it runs on a new store. The clock goes forward for
        each account by itself. With `--no-sync` no result waits for the disk.
        """),
      .code(
        """
        $ export CREDIT_STORE=$PWD/simulation CREDIT_NOW=2026-01-31T12:00:00Z
        $ cat > simulated.json <<'END'
        > {"clock": "simulated", "starterCredits": 10,
        >  "models": [{"id": "image", "creditsPerRequest": 1}],
        >  "plans": [{"id": "pro", "quota": 100, "period": "month"}]}
        > END
        $ credit-store init --policy simulated.json --get created
        true
        $ credit-account --account ana --plan pro --get balance
        110
        $ credit-charge --account ana --key image-1 --model image --flat \\
        >   --get newBalance
        109
        $ credit-balance --account ana --now 2026-02-01 --get balance
        110
        """),
      .text("A stream of requests, each with its own time, is a simulation of many accounts:"),
      .code(
        """
        $ for day in 01 02 03; do
        >   for user in 1 2 3 4; do
        >     echo "{\\"account\\":\\"user $user\\",\\"key\\":\\"$day\\"," \\
        >       "\\"model\\":\\"image\\",\\"now\\":\\"2026-02-${day}T09:00:00Z\\"}"
        >   done
        > done | credit-charge --flat --no-sync --get newBalance | tail -n 1
        7
        $ credit-store verify --get records,ok
        19	true
        """),
    ])

  private static let testing = Section(
    "Scripted tests",
    [
      .text(
        """
        The examples that come with the tools have a harness for QA, `examples/qa/harness.bash`: a
        script that sources it gets a store of its own in a temporary folder, a clock that it sets,
        and expectations, and reports in the form that prove(1) reads. Without it, `--get` and
        test(1) are enough:
        """),
      .code(
        """
        $ test "$(credit-charge --account ana --key image-1 --model image \\
        >   --flat --get replayed)" = true && echo ok
        ok
        $ credit-charge --account ana --key image-2 --model none --flat --quiet \\
        >   --get error.code; echo "status $?"
        unknown_model
        status 12
        """),
    ])
}
