internal import CreditCommand

/// How the tools keep to their contract on a server: sections of `credit-server(7)`.
extension ServerSections {
  static let differences = Section(
    "What differs",
    [
      .terms([
        Term(
          "Time",
          """
          The server's clock counts, on every machine. `--now` may be five minutes
          ahead of it.
          """),
        Term(
          "Order",
          """
          An account's history is in the order of its records. `--all` goes by the server's time at
          which a batch began. So a batch that took long may come before lines that were seen
          earlier. `--follow` prints it, too, and each line once.
          """),
        Term(
          "`--lock-timeout`",
          """
          A batch locks its accounts, not the store: batches of different accounts do not wait for
          each other. With 0 nothing is waited for that others are at work on. The server itself has
          10 seconds for each answer, or as long as this says if that is more.
          """),
        Term(
          "`--no-sync`",
          """
          The answer does not wait for the server's disk (`synchronous_commit=off`): a crash of the
          server may lose the last second. Without it the server's own settings hold, so leave
          `fsync` and `synchronous_commit` on there.
          """),
        Term(
          "Batches",
          "One transaction serves 1,000 requests at most, so that others are not kept waiting."),
        Term(
          "The policy",
          """
          There is no file to edit: `credit-store policy` prints it and `--set` puts another in its
          place, with the catalog and the certificate that it names. The next batch of each process
          goes by it. Tools keep a copy of the newest they have seen in
          `$XDG_CACHE_HOME/credit-tools` (`~/.cache/credit-tools`), or else under `$TMPDIR`. A
          folder that others may write to is not used.
          """),
        Term(
          "`credit-store info`",
          """
          `version` is that of the tables, `bytes` what they take on the server, indexes included.
          """),
        Term(
          "`credit-store verify`",
          """
          Reads the store as of one moment, blocks nobody, and does each record again by the
          rules in a store under `$TMPDIR`, which has to have room for it. The records have no
          checksums of their own: those of the server (`initdb --data-checksums`) find a damaged
          disk. `bytes` is the length of the records' texts.
          """),
        Term(
          "`credit-store rebuild`",
          "Rebuilds accounts and identities from the records. Writers wait meanwhile."),
        Term(
          "`credit-store export`",
          """
          The store as of one moment. It can be imported into a local store, and the other way
          round: balances are the same there, and so are the answers to ids that are repeated.
          """),
        Term(
          "`credit-store import`",
          """
          The export is checked whole in a store under `$TMPDIR` first. It lands in one transaction,
          or not at all.
          """),
      ])
    ])

  static let repeats = Section(
    "Exactly once",
    [
      .text(
        """
        A batch is one transaction, and its answers are printed after the commit. The ids that the
        tools make are made before the first try. A try that collides with another batch is undone
        and made again, with the same ids. Where the connection breaks before the commit was
        answered, the tool connects again, waits for the end of the old transaction, and looks for
        what it wrote: that is the answer, or the batch is made again.
        """),
      .text(
        """
        If there is no server again in time, the answer is `unavailable`, with `"outcome":"unknown"`
        where a commit had been sent, and `"outcome":"none"` where nothing was done. Repeat it with
        the same id: what was done is answered as it was then.
        """),
    ])

  static let push = Section(
    "Offline first",
    [
      .text(
        """
        A machine without a network keeps a local store, and sends it when there is one. An
        admin's credentials are needed, as the records are taken as they are:
        """),
      .code(
        """
        $ credit-store push --store ~/credits \\
        >   --to postgres://billing@db.example.com/credits
        {"store":"postgres://billing@db.example.com/credits","records":57,"accounts":3}
        """),
      .text(
        """
        Accounts and records go there under their own ids, with their own times and prices; the
        policy does not. What is there already is passed over: a push that was cut off goes on where
        it was, and a second one moves nothing.
        """),
      .text(
        """
        An account moves if it is unknown there, or has there just the first of its records. One
        that the server has served meanwhile has records of its own: it is an
        `idempotency_conflict`, and nothing of it moves. The same goes for an account with an id
        that is another's there, and for one that has a transfer to send with such an account.
        Everything else moves, and the exit status is 11. So give each machine accounts of its own,
        or have it use the server for those that it shares.
        """),
    ])
}
