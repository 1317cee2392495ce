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
    environment(tool, into: &page)
    exitStatus(tool, into: &page)
    examples(manual.examples, into: &page)
    page.section("See also")
    for name in manual.seeAlso.sorted() { page.line(".Xr \(name) 1 ,") }
    if tool.takesStore { page.line(".Xr credit-store 5 ,") }
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
      list(subcommand.ownFlags, subcommand.exclusions, [], into: &page)
    }
    page.line(".El")
  }

  private static func options(_ tool: Tool, into page: inout MdocWriter) {
    page.section("Options")
    for group in FlagGroup.allCases where group != .common {
      let flags = tool.flags.filter { $0.group == group }
      if flags.isEmpty { continue }
      page.line(".Ss \(group.title)")
      if group == .request { page.text(membersIntroduction) }
      list(flags, tool.exclusions, tool.requirements, into: &page)
    }
    page.line(".Ss \(FlagGroup.common.title)")
    let names = tool.commonFlags.map { flag in
      "`--\(flag.name)`" + (flag.kind.takesValue ? " <\(flag.placeholder)>" : "")
    }
    page.text("\(names.joined(separator: ", ")): see credit-tools(7).")
  }

  private static let membersIntroduction = """
    Each of these flags is a member of the request, named in camel case, and fills it in where a
    request on standard input lacks it. A request that says something else is `invalid_request`.
    """

  private static func list(
    _ flags: [Flag], _ exclusions: [Exclusion], _ requirements: [Requirement],
    into page: inout MdocWriter
  ) {
    if flags.isEmpty { return }
    page.line(".Bl -tag -width Ds")
    for flag in flags {
      page.line(item(flag))
      var text = flag.summary + ". " + flag.detail
      if flag.choices.count > 2 {
        let words = flag.choices.map { "`\($0)`" }
        text += " One of \(words.dropLast().joined(separator: ", ")) and \(words.last ?? "")."
      }
      for requirement in requirements where requirement.flag.name == flag.name {
        text += " Only with \(requirement.others.map(literal).joined(separator: " or "))."
      }
      let others = exclusions.flatMap { $0.excluded(by: flag) }
      if !others.isEmpty {
        text += " Not with \(others.map(literal).joined(separator: ", "))."
      }
      page.text(text)
    }
    page.line(".El")
  }

  private static func literal(_ flag: Flag) -> String { "`--\(flag.name)`" }

  static func item(_ flag: Flag) -> String {
    let short = flag.name == "help" ? "Fl h , " : ""
    var item = ".It \(short)Fl \\-" + MdocWriter.escaped(flag.name)
    if flag.kind.takesValue { item += " Ar " + MdocWriter.escaped(flag.placeholder) }
    return item
  }

  private static func environment(_ tool: Tool, into page: inout MdocWriter) {
    guard tool.takesStore else { return }
    page.section("Environment")
    page.list(Overview.environment)
    page.section("Files")
    page.list(Overview.files)
  }

  private static func exitStatus(_ tool: Tool, into page: inout MdocWriter) {
    page.section("Exit status")
    page.text("0 if every request succeeded, else that of the first that failed:")
    var terms = CreditError.Code.byExitStatus.compactMap { row -> Term? in
      let codes = row.codes.filter(tool.lists)
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
        line.hasPrefix("> ") ? String(line) : (line.hasPrefix(" ") ? "> " : "$ ") + line
      }
      let output = example.output.isEmpty ? [] : [example.output]
      page.display((commands + output).joined(separator: "\n"))
    }
  }
}
