internal import CreditCommand

/// What those who run the server need to know: the last sections of `credit-server(7)`.
extension ServerSections {
  static let operation = [backups, standbys, poolers, otherEngines, limits]

  private static let backups = Section(
    "Backups",
    [
      .text(
        """
        pg_dump(1) takes the store as of one moment. A backup is sound when it verifies where it was
        restored:
        """),
      .code(
        """
        $ pg_dump --format=custom --file=credits.dump postgres://billing@db/credits
        $ createdb restored
        $ pg_restore --dbname=restored credits.dump
        $ credit-store verify --store postgres:///restored
        """),
      .text(
        """
        `credit-store export` serves as well, and can be read by a local store. An older copy in a
        store's place has lost what came after it: ids that are repeated then move credits again.
        The roles are the server's and in no dump: `credit-store init --roles` makes them.
        """),
    ])

  private static let standbys = Section(
    "Standbys",
    [
      .text(
        """
        An asynchronous standby that takes over lacks the newest commits: receipts that were printed
        are lost. So make it synchronous (`synchronous_standby_names`, with `synchronous_commit`
        on), and the address one with both hosts and `target_session_attrs=read-write`. Then nothing
        that was acknowledged is lost. Running tools look for the other server as long as
        `--lock-timeout` says.
        """),
      .text(
        """
        While a synchronous standby is away, commits wait for it. Tools answer `unavailable`, with
        the outcome unknown, and `store_locked` for accounts that such a commit holds. Where such a
        session is ended by hand, or the server restarts, what it wrote is seen without being on
        the standby: a receipt that is told again waits for the standby first, a reading does not.
        """),
      .text(
        """
        A standby answers what only reads: balances, history, verify, export. A write there is
        `permission_denied`.
        """),
    ])

  private static let poolers = Section(
    "Poolers",
    [
      .text(
        """
        PgBouncer may be in front of the server, with `pool_mode=transaction`, too. The tools set
        what they need within each transaction, and have the server keep statements only where the
        connection is their own; so no version of it is too old, and `max_prepared_statements` does
        not matter.
        """)
    ])

  private static let otherEngines = Section(
    "Other engines",
    [
      .text(
        """
        CockroachDB, YugabyteDB and Citus speak PostgreSQL's protocol. None of them was tried. A
        batch uses no sequences, triggers, advisory locks or COPY, and finds its rows by account and
        by id. Citus lacks the unique index on `position`, which is not of one account.
        """)
    ])

  private static let limits = Section(
    "Limits",
    [
      .text(
        """
        Those of a local store hold, and a record is shorter than 1 MiB (`limit_exceeded`). A client
        that stops in the middle of a batch holds its accounts for 10 seconds, then the server ends
        its session. Batches that share accounts wait for one another. To forget a customer, export
        the store `--without` the account, and import it into a new database.
        """)
    ])
}
