internal import CreditModel

extension Flag {
  static let initialPolicy = TextFlag(
    "policy", "FILE", .path, group: .action, "The policy to start with, not the default")

  static let checkPolicy = TextFlag(
    "check", "FILE", .path, group: .action, "Check a policy and change nothing")

  static let setPolicy = TextFlag(
    "set", "FILE", .path, group: .action, "Check a policy and put it in place at once")
}

extension Flag {
  static let rename = ListFlag(
    "rename", "OLD=NEW", group: .action, "Write an account under another name",
    detail: "May be given several times. A name that is there is a usage error.")

  static let without = ListFlag(
    "without", "ACCOUNT", group: .action, "Leave an account out, for good",
    detail: """
      May be given several times. Its ids stay claimed, so that nothing is granted or charged twice;
      its name, amounts, tags, reasons and signed texts are gone, also where other accounts' lines
      have them.
      """)
}

extension Tool {
  /// `credit-store`: makes, checks, rebuilds and copies a store, and keeps its policy.
  package static let store = Tool(
    .store,
    summary: "Make, check and keep a store of credits",
    flags: [.store, .now, .quiet, .lockTimeout, .noSync, .help, .version],
    subcommands: [
      Subcommand(
        "init", "Make a store", flags: [.initialPolicy, .get, .pretty, .json],
        detail: """
          It makes the directory that `--store` or `$CREDIT_STORE` names, or the default one, and
          answers `{"store":"...","created":true}`. A `policy.json` that is there already is checked
          and used. A file that no store made is never replaced. With `--policy -` the policy is
          standard input.
          """,
        run: { command throws(UsageError) in try command.initialize() }),
      Subcommand(
        "info", "Show where the store is and how large", flags: [.get, .pretty, .json],
        detail: """
          The path, the version, the numbers of records, accounts and bytes, and the last time.
          """,
        run: { command in command.inform() }),
      Subcommand(
        "policy", "Print, check or replace the policy",
        flags: [.checkPolicy, .setPolicy, .get, .pretty, .json],
        exclusions: [Exclusion(.checkPolicy, [.setPolicy])],
        detail: """
          Past records never change with the policy. If it names a catalog or a certificate without
          a folder, and that lies beside FILE, the store takes it in with the policy, in one step;
          else the one in the store is meant. If FILE is `-` the policy is standard input. Standard
          error warns of a price by which a million tokens cost under $0.001 or over $10,000.
          """,
        run: { command throws(UsageError) in try command.changePolicy() }),
      Subcommand(
        "verify", "Recompute everything and compare", flags: [.get, .pretty, .json],
        detail: """
          Checksums, offsets, every account's balance and buckets, the uniqueness of ids, and that
          all grants less all charges are the sum of the balances. The answer is
          `{"ok":true,"records":N,"accounts":N,"credits":SUM,"bytes":N}`, or one error a line for
          each finding. It stops no charge while it reads.
          """,
        run: { command in command.verify() }),
      Subcommand(
        "rebuild", "Make the index anew from the journal", flags: [.get, .pretty, .json],
        detail: "Also the way on after a failed write to the disk.",
        run: { command in command.rebuild() }),
      Subcommand(
        "export", "Print the store, one record a line", flags: [.rename, .without],
        detail: """
          Standard output is the whole store as JSON Lines, with the catalog and the certificate
          that its policy names: a backup, a move, and with `--without` what is left when a person
          is to be forgotten. It has one form: `--get`, `--pretty` and `--json` are not for it.
          """,
        run: { command throws(UsageError) in try command.export() }),
      Subcommand(
        "import", "Read what export printed into an empty store",
        flags: [.get, .pretty, .json],
        detail: "Standard input is what `credit-store export` printed.",
        run: { command throws(UsageError) in try command.importStore() }),
    ],
    manual: { storeManual })

  private static var storeManual: Manual {
    Manual(
      synopsis: [
        "init [--policy FILE]",
        "info",
        "policy [--check FILE | --set FILE]",
        "verify",
        "rebuild",
        "export [--rename OLD=NEW] [--without ACCOUNT] ... > FILE",
        "import < FILE",
      ],
      description: [
        .text(
          """
          Makes the directory in which the other tools keep accounts, and looks after it.
          A store at the default place need not be made: the first write makes it.
          """),
        .text(
          """
          A store is for one machine's local disk. Any number of processes may use it at the same
          time; the lock is held for a batch of requests and never while waiting for input.
          """),
      ],
      sections: [storePolicy, storePolicyMembers],
      examples: [
        Example(
          "A store of its own for a project:",
          "export CREDIT_STORE=$PWD/credits\ncredit-store init"),
        Example(
          "Change the policy, but only to one that is valid:",
          """
          credit-store policy --pretty > policy.json
          ${EDITOR:-vi} policy.json
          credit-store policy --set policy.json
          """),
        Example(
          "From cron, every night; it says something only if something is wrong:",
          "credit-store verify > /dev/null"),
        Example(
          "A copy elsewhere:",
          """
          credit-store export > backup.ndjson
          credit-store init --store /srv/copy
          credit-store import --store /srv/copy < backup.ndjson
          """),
      ],
      errors: [.cannotCreate],
      seeAlso: ["credit-price", "credit-balance"])
  }

  private static var storePolicy: Section {
    Section(
      "The policy",
      [
        .text(
          """
          The store's rules stand in `policy.json`, written by `credit-store init` and changed with
          `credit-store policy --set` or an editor. It is checked whole: an unknown member, a wrong
          type or an impossible value is `invalid_policy` with its path, as in
          `products[2].credits`, and nothing is done. What is left out has its default, shown here:
          """),
        .code(
          """
          {
            "version": 1,
            "unit": "credit",
            "usdMicrosPerCredit": 1000,
            "starterCredits": 1000,
            "registration": "automatic",
            "overdraft": "allow",
            "minimumCharge": 1,
            "usageFallback": "reject",
            "holdExpiresIn": "1h",
            "clock": "real",
            "unverifiedTransactions": "reject",
            "unpricedUsage": "reject",
            "markup": "1",
            "lowBalance": [],
            "models": [],
            "products": [],
            "plans": [],
            "appStore": null
          }
          """),
        .text(
          """
          A policy that `credit-store init` makes by itself also has the prices of the models that
          people bill most, and three products.
          """),
      ])
  }

  private static var storePolicyMembers: Section {
    Section(
      "Members of the policy",
      [
        .terms([
          Term("`unit`", "What one credit is called."),
          Term(
            "`usdMicrosPerCredit`",
            "What one credit is worth, in millionths of a dollar: 1000 is a tenth of a cent."),
          Term("`starterCredits`", "What each account starts with, once."),
          Term(
            "`registration`",
            """
            `automatic`: the first write for an account registers it. `explicit`: an account that
            was not registered before is `unknown_account`.
            """),
          Term(
            "`overdraft`",
            """
            `allow`: a charge after the work goes through and may leave the balance negative.
            `deny`: it needs the credits.
            """),
          Term("`minimumCharge`", "The least that usage which is not zero costs."),
          Term(
            "`usageFallback`",
            "`reject`: malformed usage is `invalid_usage`. `minimum`: it costs the minimum."),
          Term(
            "`unpricedUsage`",
            """
            `reject`: what a model has no price for is `unpriced_usage`. `base`: the rest is
            charged.
            """),
          Term(
            "`markup`",
            """
            What dollar prices are multiplied by: decimal text above 0. A model may have its own.
            """),
          Term("`holdExpiresIn`", "How long a hold lasts if the request does not say."),
          Term(
            "`clock`",
            """
            `real`: writes are at most 5 minutes ahead of the system clock, and no record is
            earlier than the one before it. `simulated`: `--now` may be anything, and a request may
            carry its own `now`.
            """),
          Term(
            "`topUpLimit`",
            """
            The most top-ups of an account in a `minute`, `hour` or `day`:
            `{"count":10,"period":"minute"}`.
            """),
          Term(
            "`lowBalance`",
            """
            Balances such as `[500, 100]`. A write that leaves under N an account which its record
            before had left at N or more says `"crossed":[N]` in its result and its line of the
            history, also where it is replayed; again only after the balance has been back.
            """),
          Term("`unverifiedTransactions`", "`accept` takes StoreKit's plain JSON unsigned."),
          Term(
            "`models`",
            """
            The prices: see Models in credit-price(1).
            """),
          Term(
            "`products`",
            """
            Each has an `id`, `credits`, and maybe `name`, `description`, `displayOrder`, `price`,
            `currency` and `active`.
            """),
          Term(
            "`catalog`",
            """
            A file beside the policy with more models and products, as `credit-price --import`
            prints it, searched last. `init` and `policy --set` take it into the store, under a name
            made of its content; who edits `policy.json` may name any file in the folder.
            """),
          Term("`plans`", "Each has an `id`, a `quota`, a `period` and maybe `rolloverMax`."),
          Term(
            "`appStore`",
            """
            `bundleID`, `environment`, `appAppleID`, `rootCertificate` and `keepSigned` for
            StoreKit.
            """),
        ])
      ])
  }
}
