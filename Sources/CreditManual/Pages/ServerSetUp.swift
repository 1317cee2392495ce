internal import CreditCommand

/// How a store on a server is made: the first sections of `credit-server(7)`.
extension ServerSections {
  static let setUp = [building, making, address]

  private static let building = Section(
    "Building",
    [
      .text(
        """
        The tools reach a server by libpq, PostgreSQL's own library, in builds with the trait
        `Postgres`. Others answer `unavailable`. On Debian and Ubuntu:
        """),
      .code(
        """
        # apt-get install postgresql libpq-dev
        $ swift build --configuration release --traits Postgres \\
        >   --scratch-path .build-postgres --product credit
        # make install BIN=.build-postgres/release
        """),
      .text(
        """
        The package postgresql is the server and psql(1); it may be on another machine. Where the
        tools are built they need libpq-dev, where they only run libpq5: such a build is no static
        executable. The tools are tested with PostgreSQL 15 to 18.
        """),
    ])

  private static let making = Section(
    "Making a store",
    [
      .text(
        """
        A database has one store, in the schema `credit`. Its owner makes it, with the policy and
        the files that this names, wherever they lie:
        """),
      .code(
        """
        # su postgres -c 'createuser --pwprompt billing'
        # su postgres -c 'createdb --owner=billing credits'
        $ export CREDIT_STORE=postgres://billing@db.example.com/credits
        $ credit-store init --policy policy.json
        """),
      .text(
        """
        The encoding of the database is UTF8. Running `init` again changes nothing except to
        upgrade tables of an older version. If the store has another policy, it is `cannot_create`:
        `credit-store policy --set` changes it. A database without a store is `no_store`; only
        `init` and `import` make one. A store of another version than the tool's is `unavailable`,
        with what to do about it.
        """),
    ])

  private static let address = Section(
    "The address",
    [
      .text(
        """
        `postgres://[USER@]HOST[:PORT]/DATABASE[?OPTION=VALUE&...]`, or with `postgresql://`.
        The options are libpq's. Marks that mean something in a URL are written in percent form in a
        name: `%40` is an @.
        """),
      .terms([
        Term("`postgres://billing@db.example.com/credits`", "A host, at port 5432."),
        Term(
          "`postgres:///credits`",
          """
          This machine's socket, as the user who runs the tool. Where the server goes by that user's
          name, as Debian's does, there is no password.
          """),
        Term("`postgres://billing@/credits?host=/run/postgresql`", "The folder of a socket."),
        Term("`postgres:///?service=credits`", "An entry of `~/.pg_service.conf`."),
        Term(
          "`postgres://db1,db2/credits?target_session_attrs=read-write`",
          "Of two hosts the one that takes writes."),
      ]),
      .text(
        """
        What the address leaves out is as libpq has it: by `$PGHOST`, `$PGPORT`, `$PGUSER`,
        `$PGDATABASE`, `$PGSERVICE` and the others, or by its defaults.
        """),
    ])
}
