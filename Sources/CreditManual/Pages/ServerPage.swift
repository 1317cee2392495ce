internal import CreditCommand

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
