internal import CreditCommand

/// Operation of the server: the last sections of `credit-server(7)`.
extension ServerSections {
  static let operation = [
    firstDay, monitoring, sizes, backups, standbys, poolers, otherEngines, limits,
  ]

  private static let firstDay = Section(
    "The first day",
    [
      .text(
        """
        Before the first credits are sold, in this order:
        """),
      .terms([
        Term(
          "Roles",
          """
          `credit-store init --roles`, as the owner of the tables. Then a login role for each
          program, a member of the one that it needs: writers for what charges and tops up, readers
          for reports and monitoring. The owner's password stays with who migrates.
          """),
        Term(
          "TLS",
          """
          `ssl = on` and a certificate for the name that the address has; `hostssl` lines with
          `scram-sha-256` in pg_hba.conf, and no `host` line. The tools verify the certificate
          unless the address says otherwise: see Certificates.
          """),
        Term(
          "Durability",
          """
          `fsync`, `full_page_writes` and `synchronous_commit` on, as they are by default. A
          synchronous standby, if a machine that is lost may lose no receipt.
          """),
        Term(
          "Backup",
          """
          pg_dump(1) or `credit-store export` every night, archived log in between, and one restore
          that verifies before anybody relies on it: see Backups.
          """),
        Term(
          "Pooler",
          """
          Only if there are more processes than connections: see Poolers. A stream of requests
          through one process needs none.
          """),
        Term(
          "A trial",
          """
          A top-up, a charge and a refund with `--dry-run`, then for an account of your own;
          `credit-doctor --verify`, whose exit status is 0.
          """),
      ]),
    ])

  private static let monitoring = Section(
    "What to monitor",
    [
      .text(
        """
        `credit-doctor` every few minutes, as a reader: that the server answers, that its clock and
        this machine's agree, that the policy is valid, and which balances are lowest. Its exit
        status is 0, 16 for warnings, or that of an error. `credit-store verify` every night.
        """),
      .text(
        """
        Of the server: free disk, connections, the standby's lag (`pg_stat_replication`), sessions
        that wait for a lock longer than seconds (`pg_stat_activity`), and that autovacuum comes to
        `credit.account` and `credit.identity`, whose rows each write updates. Of the programs:
        exit statuses 69 (`unavailable`), 75 (`store_locked`) and 70 (`corrupt_store`).
        """),
      .code(
        """
        SELECT pid, now() - state_change AS since, wait_event, left(query, 40)
        FROM pg_stat_activity
        WHERE datname = 'credits' AND wait_event_type = 'Lock';
        """),
    ])

  private static let sizes = Section(
    "Sizes",
    [
      .text(
        """
        A charge with a key and its usage is a record of some 420 bytes, with two tags of 490; a
        folder's index takes 56 bytes for it. A server takes twice as much, with rows and indexes:
        1,060 bytes a record in a store of 3,800. So a million charges are 0.5 GB in a folder, and 1
        GB on a server. An account's dated buckets are in each of its records; `credit-store info`
        says what a store has now.
        """)
    ])

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

extension ManualPage {
  /// The page of stores in a database, `credit-server(7)`.
  static var server: String {
    var page = MdocWriter()
    head("credit-server", section: 7, summary: "a store of credits on a server", into: &page)
    page.section("Description")
    page.blocks(description)
    for section in ServerSections.all {
      page.section(section.title)
      page.blocks(section.blocks)
    }
    page.section("See also")
    for name in ["credit-balance", "credit-history", "credit-store", "pg_dump", "psql"] {
      page.line(".Xr \(name) 1 ,")
    }
    page.line(".Xr credit-policy 5 ,")
    page.line(".Xr credit-store 5 ,")
    page.line(".Xr credit-tools 7")
    return page.lines.joined(separator: "\n") + "\n"
  }

  private static let description: [Block] = [
    .text(
      """
      A store may be kept in a database of a PostgreSQL server, so that tools on several machines
      work on one ledger. Requests, results, errors and exit statuses are those of a local store:
      only `--store` differs.
      """),
    .code(
      """
      $ export CREDIT_STORE=postgres://billing@db.example.com/credits
      $ credit-authorize --account me
      """),
    .text(
      """
      Take a local store as long as one machine does all the charging. It needs no server, a single
      call takes a few milliseconds at most, and a backup is a copy of files. Take a server where
      several machines charge the same accounts, where machines come and go, or where a standby is
      to take over. A single call then takes some 15 to 30 milliseconds, most of them for the
      connection; a stream of requests makes one connection. Machines that are often offline keep a
      local store each, and push what it has: see below.
      """),
  ]
}

/// Sections about stores on a server, in the order of the page.
enum ServerSections {
  static let all =
    setUp + access + [tables, questions] + [differences, repeats, push] + operation
}
