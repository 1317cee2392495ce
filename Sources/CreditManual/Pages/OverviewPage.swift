internal import CreditCommand

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
