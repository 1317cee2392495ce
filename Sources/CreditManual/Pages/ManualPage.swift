internal import CreditCommand
internal import CreditModel

/// The manual pages, in mdoc.
enum ManualPage {
  /// The date that the pages carry; a page is the same whenever it is made.
  static let date = "November 21, 2026"

  /// The page of a tool, for section 1.
  static func page(of tool: Tool) -> String {
    let manual = tool.manual()
    var page = MdocWriter()
    head(tool.name, section: 1, summary: tool.summary, into: &page)
    page.section("Synopsis")
    for form in manual.synopsis { page.synopsis(form) }
    page.section("Description")
    page.blocks(manual.description)
    subcommands(tool, into: &page)
    options(tool, into: &page)
    for section in manual.sections {
      page.section(section.title)
      page.blocks(section.blocks)
    }
    environment(manual, into: &page)
    exitStatus(manual, into: &page)
    examples(manual.examples, into: &page)
    page.section("See also")
    for name in manual.seeAlso.sorted() { page.line(".Xr \(name) 1 ,") }
    if manual.usesStore { page.line(".Xr credit-store 5 ,") }
    page.line(".Xr credit-tools 7")
    return page.lines.joined(separator: "\n") + "\n"
  }

  static func head(
    _ name: String, section: Int, summary: String, into page: inout MdocWriter
  ) {
    page.line(".\\\" Made by `swift run credit-manual` from the tools' table: do not edit.")
    page.line(".Dd \(date)")
    page.line(".Dt \(name.uppercased()) \(section)")
    page.line(".Os")
    page.section("Name")
    page.line(".Nm \(name)")
    page.line(".Nd \(summary)")
  }

  private static func subcommands(_ tool: Tool, into page: inout MdocWriter) {
    guard !tool.subcommands.isEmpty else { return }
    page.section("Subcommands")
    page.line(".Bl -tag -width Ds")
    for subcommand in tool.subcommands {
      page.line(".It Cm \(subcommand.name)")
      page.text(subcommand.summary + ". " + subcommand.detail)
      if !subcommand.options.isEmpty {
        list(subcommand.options, of: tool, excluding: subcommand.exclusions, into: &page)
      }
    }
    page.line(".El")
  }

  private static func options(_ tool: Tool, into page: inout MdocWriter) {
    page.section("Options")
    let groups = OptionGroup.allCases.filter { group in
      group != .common && tool.options.contains { $0.group == group }
    }
    for group in groups {
      page.line(".Ss \(group.title)")
      if group == .request { page.text(membersIntroduction) }
      let options = tool.options.filter { $0.group == group }
      list(options, of: tool, excluding: tool.exclusions, into: &page)
    }
    page.line(".Ss \(OptionGroup.common.title)")
    page.text("credit-tools(7) says more of these.")
    page.line(".Pp")
    page.line(".Bl -tag -width Ds -compact")
    for option in CommonOptions.all {
      page.line(item(option))
      page.text(option.summary + ".")
    }
    page.line(".El")
  }

  private static let membersIntroduction = """
    Each of these flags is a member of the request, named in camel case, and fills it in where a
    request on standard input lacks it. A request that says something else is `invalid_request`.
    """

  private static func list(
    _ options: [Option], of tool: Tool, excluding exclusions: [Exclusion],
    into page: inout MdocWriter
  ) {
    page.line(".Bl -tag -width Ds")
    for option in options {
      page.line(item(option))
      var text = option.summary + ". " + option.detail
      if option.choices.count > 2 {
        let words = option.choices.map { "`\($0)`" }
        text += " One of \(words.dropLast().joined(separator: ", ")) and \(words.last ?? "")."
      }
      let others = exclusions.flatMap { $0.excluded(by: option.name) }
      if !others.isEmpty {
        text += " Not with " + others.map { "`--\($0)`" }.joined(separator: ", ") + "."
      }
      page.text(text)
    }
    page.line(".El")
  }

  static func item(_ option: Option) -> String {
    let short = option.name == "help" ? "Fl h , " : ""
    var item = ".It \(short)Fl \\-" + MdocWriter.escaped(option.name)
    if option.kind.takesValue { item += " Ar " + MdocWriter.escaped(option.placeholder) }
    return item
  }

  private static func environment(_ manual: Manual, into page: inout MdocWriter) {
    guard manual.usesStore else { return }
    page.section("Environment")
    page.list(Overview.environment)
    page.section("Files")
    page.list(Overview.files)
  }

  private static func exitStatus(_ manual: Manual, into page: inout MdocWriter) {
    page.section("Exit status")
    page.text("0 if every request succeeded, else that of the first that failed:")
    var terms = CreditError.Code.byExitStatus.compactMap { row -> Term? in
      let codes = row.codes.filter(manual.lists)
      let meanings = codes.map { "`\($0.rawValue)`: \($0.meaning)" }
      return codes.isEmpty
        ? nil : Term("\(row.exitStatus)", meanings.joined(separator: " "))
    }
    let usage = Term("\(UsageError.exitStatus)", "The command line cannot be understood.")
    let place = terms.firstIndex { Int32($0.term) ?? 0 > UsageError.exitStatus } ?? terms.count
    terms.insert(usage, at: place)
    page.list(terms)
  }

  static func examples(_ examples: [Example], into page: inout MdocWriter) {
    page.section("Examples")
    for (index, example) in examples.enumerated() {
      if index > 0 { page.line(".Pp") }
      page.text(example.text)
      let commands = example.command.split(separator: "\n").map { line in
        (line.hasPrefix(" ") ? "  " : "$ ") + line
      }
      let output = example.output.isEmpty ? [] : [example.output]
      page.display((commands + output).joined(separator: "\n"))
    }
  }
}
