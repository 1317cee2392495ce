internal import CreditCommand

/// Access to a store on a server: sections of `credit-server(7)`.
extension ServerSections {
  static let access = [passwords, certificates, roles]

  private static let passwords = Section(
    "Passwords",
    [
      .text(
        """
        Other users of a machine can read its command lines. So a password in the address of
        `--store` or `--to` is a usage error. No message or result shows one. It is kept in one of
        these places:
        """),
      .terms([
        Term(
          "`~/.pgpass`",
          """
          Lines of the form `HOST:PORT:DATABASE:USER:PASSWORD`, in a file of mode 0600, or in that
          which `$PGPASSFILE` names.
          """),
        Term(
          "`$CREDIT_STORE`",
          """
          The address in the environment: `postgres://billing:PASSWORD@db.example.com/credits`, with
          what is special in a URL as `%40`. Results show it without the password, and credit-run(1)
          passes it on without it.
          """),
        Term("`~/.pg_service.conf`", "The entry `password` of a service."),
        Term(
          "`$PGPASSWORD`",
          """
          The environment, which the same user's processes can read. credit-run(1) does not pass it
          on to the command that it runs.
          """),
      ]),
    ])

  private static let certificates = Section(
    "Certificates",
    [
      .text(
        """
        Where the host is another machine, the connection is encrypted, and the server's certificate
        has to be of that host (`sslmode=verify-full`). Only an `sslmode` in the address, in a
        service or in `$PGSSLMODE` changes that. A socket, `localhost`, `127.0.0.0/8` and `::1`
        are this machine.
        """),
      .text(
        """
        The authorities to trust are in `~/.postgresql/root.crt`, or in the file that
        `$PGSSLROOTCERT` or the option `sslrootcert` names. From version 16 on, libpq knows
        `sslrootcert=system`: those that the machine trusts. An older libpq, such as that of Debian
        12, is told the machine's file:
        """),
      .code(
        """
        export PGSSLROOTCERT=/etc/ssl/certs/ca-certificates.crt
        """),
    ])

  private static let roles = Section(
    "Roles",
    [
      .text(
        """
        `credit-store init --roles` makes three roles that nobody can log in as, and gives them
        their rights on the store. The owner of the tables calls it, and needs the right to make
        roles where the server does not have these yet. It may be repeated. People and programs are
        then made members, in psql(1):
        """),
      .code(
        """
        CREATE ROLE checkout LOGIN PASSWORD '...' IN ROLE credit_writer;
        """),
      .terms([
        Term(
          "`credit_reader`",
          """
          Sees everything: all accounts, their history, the policy. It can verify and export.
          """),
        Term(
          "`credit_writer`",
          """
          Also appends records, and moves accounts and ids on to their newest records. It deletes
          nothing and edits no record.
          """),
        Term(
          "`credit_admin`", "Also sets policies, rebuilds, imports, and receives what is pushed."),
      ]),
      .text(
        """
        What a role may not do is `permission_denied`, with exit status 77. Roles are the server's:
        with `--roles` on a second database, their members have the same rights there.
        """),
      .text(
        """
        A writer is trusted with the whole ledger. The rules run in the tools, not in the database,
        which only holds to its constraints: whoever has a writer's password can write down any
        purchase, with psql(1) as well. `credit-store verify` finds records that do not follow from
        one another by the rules, not one that was invented and fits. So writers are programs of
        those who own the books. Customers come to them by a program of their own, such as the web
        server in `examples/http`.
        """),
    ])
}
