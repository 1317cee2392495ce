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
  static let roles = Switch(
    "roles", group: .action, "Make the server's roles, too",
    detail: """
      `credit_reader`, `credit_writer` and `credit_admin`, which nobody can log in as: people and
      programs are made members. credit-server(7) says what each may do.
      """)

  static let dropDamaged = TextFlag(
    "drop-damaged", "FILE", .path, group: .action,
    "Leave out what cannot be read, and keep its bytes in FILE",
    detail: """
      FILE must not be there yet. The journal is written again from all records that can be read;
      their accounts have the balances of their newest readable records, and a line of type
      `adjustment` in the history where records are missing before others. What is lost: dropped
      charges, top-ups and authorizations are not known any more, so the same id or key would charge
      or grant again, and a balance whose last records were dropped is the one before them.
      """)

  static let pushTarget = TextFlag(
    "to", "STORE", .server, group: .action, "The store on a server to send to")
}

extension Flag {
  static let rename = ListFlag(
    "rename", "OLD=NEW", group: .action, "Write an account under another name",
    detail: "May be given several times. A name that is there is a usage error.")

  static let without = ListFlag(
    "without", "ACCOUNT", .name(.account), group: .action, "Leave an account out permanently",
    detail: """
      May be given several times. Its ids stay claimed, so that nothing is granted or charged twice;
      its name, amounts, tags, reasons and signed texts are removed, also from other accounts'
      lines.
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
        "init", "Make a store", flags: [.initialPolicy, .roles, .get, .pretty, .json],
        detail: """
          It makes the directory that `--store` or `$CREDIT_STORE` names, or the default one, and
          answers `{"store":"...","created":true}`. A `policy.json` that is there already is checked
          and used. It never overwrites files that are not its own. With `--policy -` the policy is
          standard input. In a database on a server it makes the tables, and takes in the policy
          with the files that this names.
          """,
        run: { command throws(UsageError) in try command.initialize() }),
      Subcommand(
        "info", "Show where the store is and how large", flags: [.get, .pretty, .json],
        detail: """
          The path or URL, the version, the numbers of records, accounts and bytes, and the last
          time.
          """,
        run: { command in command.inform() }),
      Subcommand(
        "policy", "Print, check or replace the policy",
        flags: [.checkPolicy, .setPolicy, .get, .pretty, .json],
        exclusions: [Exclusion(.checkPolicy, [.setPolicy])],
        detail: """
          Past records never change with the policy. If it names a catalog or a certificate without
          a folder, and that is in FILE's folder, the store takes it in with the policy, in one
          step; otherwise the one in the store is meant. A server takes such files in wherever they
          lie. If FILE is `-` the policy is standard input. Standard error warns of a price by which
          a million tokens cost under $0.001 or over $10,000, and of a markup below 0.5 or above 10.
          """,
        run: { command throws(UsageError) in try command.changePolicy() }),
      Subcommand(
        "verify", "Recompute everything and compare", flags: [.get, .pretty, .json],
        detail: """
          Checksums, offsets, every account's balance and buckets, the uniqueness of ids, and that
          all grants minus all charges are the sum of the balances. The answer is
          `{"ok":true,"records":N,"accounts":N,"credits":SUM,"bytes":N}`, or one error a line for
          each finding. Charges go on while it runs. An index that is older than the journal, as in
          a copy of a store in use, is no finding: `"index":"behind"`. The bytes of an append that
          was cut short are `torn`, with the `file` that a write has set them aside in.
          """,
        run: { command in command.verify() }),
      Subcommand(
        "rebuild", "Rebuild the index from the journal",
        flags: [.dropDamaged, .get, .pretty, .json],
        detail: """
          Also needed after a failed write to disk. A journal that is damaged, or shorter than its
          index knows, is left as it is, unless `--drop-damaged` says to go on without what cannot
          be read: then the answer is `{"rebuilt":true,"dropped":{"file":"...","bytes":N,
          "places":N,"lost":N,"accounts":[...]}}`, with the accounts that records are missing of, as
          far as that can be told. Try it on a copy of the store first, and restore a backup where
          there is one.
          """,
        run: { command throws(UsageError) in try command.rebuild() }),
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
        flags: [.dryRun, .get, .pretty, .json],
        detail: """
          Standard input is what `credit-store export` printed. With `--dry-run` it is checked whole
          among temporary files, as an import does, and the store stays as it is.
          """,
        run: { command throws(UsageError) in try command.importStore() }),
      Subcommand(
        "push", "Send the store's records to a store on a server",
        flags: [.pushTarget, .get, .pretty, .json],
        detail: """
          Accounts and records go there under their own ids. An account must be unknown there or
          have just the first of these records: the rest is appended, and the balances are equal.
          Any other account is one `idempotency_conflict` line, and nothing of it moves; nor of
          those that have a transfer to send with it. It may be cut off and repeated: twice moves
          nothing. The answer is `{"store":"...","records":N,"accounts":N}`, what has moved.
          """,
        run: { command throws(UsageError) in try command.push() }),
    ],
    help: { storeHelp })

  private static var storeHelp: ToolHelp {
    ToolHelp(
      synopsis: [
        "init [--policy FILE] [--roles]",
        "info",
        "policy [--check FILE | --set FILE]",
        "verify",
        "rebuild [--drop-damaged FILE]",
        "export [--rename OLD=NEW] [--without ACCOUNT] ... > FILE",
        "import [--dry-run] < FILE",
        "push --to STORE",
      ],
      description: """
        Makes the directory in which the other tools keep accounts, and looks after it.
        A store at the default place need not be made: the first write makes it.
        """,
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
          credit-store init --store ../copy
          credit-store import --store ../copy < backup.ndjson
          """),
        Example(
          "A store for several machines, and this machine's accounts sent there:",
          """
          credit-store init --roles --store postgres://db.example.com/credits
          credit-store push --to postgres://db.example.com/credits
          """),
      ],
      errors: [.cannotCreate])
  }
}
