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

extension ManualPage {
  /// The page of the whole suite, `credit-tools(7)`.
  static var overview: String {
    var page = MdocWriter()
    head(
      "credit-tools", section: 7, summary: "Prepaid credits on the command line", into: &page)
    page.section("Description")
    page.text(
      """
      A suite of small commands that keep prepaid credits: who may start work, what it cost, what
      was bought, and what is left. They keep their accounts in a directory of plain files, the
      store, and any number of them may work on it at the same time. For several machines it may be
      a database on a server: see credit-server(7).
      """)
    tools(into: &page)
    page.line(".Pp")
    page.text("credit(1) runs any of them: `credit charge` is credit-charge(1).")
    page.section("Options")
    page.text("Most tools take these; the page of each lists its own.")
    page.line(".Bl -tag -width Ds")
    for flag in Flag.common {
      page.line(item(flag))
      page.text(flag.summary + ". " + flag.detail)
    }
    page.line(".El")
    page.line(".Pp")
    page.text(
      """
      Flags are written in full, as `--name value` or `--name=value`, and given once; `--` ends
      them.
      """)
    for section in Overview.sections {
      page.section(section.title)
      page.blocks(section.blocks)
    }
    page.section("Environment")
    page.list(Overview.environment)
    page.section("Files")
    page.list(Overview.files)
    page.section("Exit status")
    page.text(
      """
      0 if every request succeeded, 64 for the command line, else the status in the table of
      errors for the first request that failed. A reader that closes the pipe ends a tool by
      SIGPIPE.
      """)
    page.section("See also")
    let names = ToolSuite.all.map(\.name).sorted()
    for name in [ToolSuite.command] + names { page.line(".Xr \(name) 1 ,") }
    page.line(".Xr credit-policy 5 ,")
    page.line(".Xr credit-store 5 ,")
    page.line(".Xr credit-grants 7 ,")
    page.line(".Xr credit-payments 7 ,")
    page.line(".Xr credit-providers 7 ,")
    page.line(".Xr credit-server 7 ,")
    page.line(".Xr credit-teams 7 ,")
    page.line(".Xr credit-tutorial 7")
    return page.lines.joined(separator: "\n") + "\n"
  }

  /// The list of the tools.
  static func tools(into page: inout MdocWriter) {
    page.line(".Bl -tag -width Ds")
    for tool in ToolSuite.all {
      page.line(".It Xr \(tool.name) 1")
      page.text(tool.summary + ".")
    }
    page.line(".El")
  }
}

extension ManualPage {
  /// The page of the file that has a store's rules, `credit-policy(5)`.
  static var policy: String {
    var page = MdocWriter()
    head("credit-policy", section: 5, summary: "the rules of a store of credits", into: &page)
    page.section("Description")
    page.text(
      """
      The file `policy.json` in a store says what things cost, what is on sale, and what accounts
      may do. credit-store(1) makes it, prints it, checks one and puts another in its place; it may
      be edited by hand, too. Past records never change with it.
      """)
    for section in Tool.policySections {
      page.section(section.title)
      page.blocks(section.blocks)
    }
    examples(policyExamples, into: &page)
    page.section("See also")
    page.line(".Xr credit-price 1 ,")
    page.line(".Xr credit-store 1 ,")
    page.line(".Xr credit-store 5 ,")
    page.line(".Xr credit-tools 7")
    return page.lines.joined(separator: "\n") + "\n"
  }

  private static let policyExamples = [
    Example(
      "An app that bills tokens with a quarter on top, and sells two packs:",
      """
      cat > policy.json <<'END'
      > {"markup": "1.25", "starterCredits": 100, "lowBalance": [50],
      >  "models": [{"id": "gpt-4o", "usdPer1M": {"input": "2.5", "output": "10",
      >              "cacheRead": "1.25"}}],
      >  "products": [{"id": "pack.1000", "name": "1,000 credits", "credits": 1000,
      >                "price": "1.99", "currency": "USD"},
      >               {"id": "pack.5000", "name": "5,000 credits", "credits": 5000,
      >                "price": "7.99", "currency": "USD"}]}
      > END
      credit-store policy --check policy.json
      credit-store init --policy policy.json
      """),
    Example(
      "Plans with a monthly quota, of which some is carried over:",
      """
      cat > policy.json <<'END'
      > {"unit": "second", "starterCredits": 0, "overdraft": "deny",
      >  "models": [{"id": "recording", "creditsPerUnit": 1}],
      >  "plans": [{"id": "free", "quota": 600, "period": "month"},
      >            {"id": "pro", "quota": 3600, "period": "month", "rolloverMax": 1800}]}
      > END
      credit-store policy --set policy.json
      """),
  ]
}
