internal import CreditCommand

extension ManualPage {
  /// The page of the executable that runs every tool, `credit(1)`.
  static var suite: String {
    var page = MdocWriter()
    head(ToolSuite.command, section: 1, summary: ToolSuite.summary, into: &page)
    page.section("Synopsis")
    for line in [
      ".Nm", ".Ar TOOL", ".Op Ar ARGUMENT ...", ".Nm", ".Cm help", ".Op Ar TOOL",
      ".Nm", ".Cm schema", ".Ar NAME", ".Op Ar TOOL",
      ".Nm", ".Cm complete", ".Ar KIND START", ".Op Ar STORE",
    ] {
      page.line(line)
    }
    page.section("Description")
    page.text(
      """
      Runs one of the credit tools: `credit charge` is credit-charge(1), with the same arguments,
      results and exit statuses. Called by the name of a tool, through a link, it is that tool; so
      an installation may be this one file and links to it. Without arguments it lists the tools,
      and `credit help charge` prints the help of one of them.
      """)
    tools(into: &page)
    page.section("Schemas")
    schemas(into: &page)
    page.section("Completion")
    page.text(
      """
      `credit complete account al` prints, a line each, the accounts of the store whose names begin
      with `al`: this is what the shells' completions ask. The kinds are `account`, `model`,
      `product`, `plan`, `authorization` (the open ones) and `charge` (authorizations that have been
      charged). STORE is the one that the line names; without it the store is the usual one.
      """)
    page.text(
      """
      It prints at most 200 names, in their order: of accounts those that were registered last, and
      always the one whose name is written whole. It looks at 1,000,000 accounts at most, fewer
      where their records lie far apart, and for authorizations at the newest 8,192 records. It
      waits for no lock, makes and changes nothing, not even a cache, and prints nothing, with
      status 0, where there is no store, where it is locked or damaged, or where a large store has
      no index yet.
      """)
    page.section("Options")
    page.line(".Bl -tag -width Ds -compact")
    page.line(".It Fl h , Fl \\-help")
    page.text("List the tools.")
    page.line(".It Fl \\-version")
    page.text("Print the version.")
    page.line(".El")
    page.section("Exit status")
    page.text("That of the tool; 64 where the first argument names none.")
    page.section("Examples")
    page.text("Ask, and charge what the work took:")
    page.display(
      """
      $ id=$(credit authorize --account me --get authorization.id)
      $ credit charge --authorization "$id" --response < response.json
      """)
    page.line(".Pp")
    page.text("Install one file, and a link for each tool:")
    page.display(
      """
      $ cd /usr/local/bin
      $ for tool in \(ToolName.allCases.map(\.rawValue).joined(separator: " ")); do
      >   ln -s credit "credit-$tool"
      > done
      """)
    page.text("Write down what an editor may complete and check in policy.json:")
    page.display("$ credit schema policy >policy.schema.json")
    page.section("See also")
    for name in ToolSuite.all.map(\.name).sorted() { page.line(".Xr \(name) 1 ,") }
    page.line(".Xr credit-tools 7")
    return page.lines.joined(separator: "\n") + "\n"
  }
  private static func schemas(into page: inout MdocWriter) {
    page.text(
      """
      `credit schema NAME` prints a JSON Schema (draft 2020-12):
      """)
    page.line(".Bl -tag -width Ds -compact")
    for (name, text) in [
      ("policy", "policy.json, and the catalogs beside it"),
      ("request TOOL", "what a tool reads on standard input"),
      ("result [TOOL]", "what a tool prints, errors included; without TOOL any of them"),
      ("history", "a line that credit-history(1) prints"),
      ("record", "a line of a store's journal, or of an export"),
    ] {
      page.line(".It Cm \(name)")
      page.text(text + ".")
    }
    page.line(".El")
    page.line(".Pp")
    page.text(
      """
      A policy may name its schema, for editors that complete and check it: `"$schema"` is allowed
      in policy.json. A policy has the members of its schema and no others. Requests may have
      others, which are ignored, and results gain members in later versions, so that their schemas
      allow them. A flag may supply what a request lacks.
      """)
  }
}
