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

/// A file that is made from the tools' table and kept beside the sources.
package struct GeneratedFile: Sendable {
  /// Its path, relative to the package's root.
  package let path: String
  package let text: String

  /// All of them.
  package static var all: [GeneratedFile] {
    let tools = ToolSuite.all
    return tools.map { GeneratedFile(path: "man/\($0.name).1", text: ManualPage.page(of: $0)) } + [
      GeneratedFile(path: "man/credit.1", text: ManualPage.suite),
      GeneratedFile(path: "man/credit-policy.5", text: ManualPage.policy),
      GeneratedFile(path: "man/credit-providers.7", text: ManualPage.providers),
      GeneratedFile(path: "man/credit-server.7", text: ManualPage.server),
      GeneratedFile(path: "man/credit-teams.7", text: ManualPage.teams),
      GeneratedFile(path: "man/credit-tools.7", text: ManualPage.overview),
      GeneratedFile(
        path: "completions/credit-tools.bash", text: BashCompletion.script(for: tools)),
      GeneratedFile(path: "completions/_credit-tools", text: ZshCompletion.script(for: tools)),
      GeneratedFile(
        path: "completions/credit-tools.fish", text: FishCompletion.script(for: tools)),
    ]
  }
}

extension CreditError.Code {
  /// Meaning of the code, in the manual's markup: a sentence or two.
  var meaning: String {
    switch self {
    case .insufficientCredits: "The account has not enough credits."
    case .accountClosed: "The account is closed: it takes no new work or credits."
    case .idempotencyConflict: "The id or key was used before, for something else."
    case .duplicateTransaction: "The transaction was recorded before, and `--strict` forbids that."
    case .authorizationClosed: "The authorization was charged or voided."
    case .authorizationNotCharged: "The authorization has no charge to give back."
    case .transactionNotCompleted: "The transaction granted nothing that could be taken back."
    case .unknownAccount: "The policy requires accounts to be registered, and this one is not."
    case .unknownAuthorization: "The store has no such authorization."
    case .unknownTransaction: "The store has no such transaction."
    case .unknownModel: "No model of the catalog has this id or alias."
    case .unknownProduct: "No product of the catalog has this id."
    case .unknownPlan: "The policy has no such plan."
    case .unverifiedTransaction: "The StoreKit transaction cannot be trusted; `reason` says why."
    case .rateLimited: "Too many top-ups; try again after `retryAfter` seconds."
    case .limitExceeded:
      "An account has too many holds or dated buckets, or its quota resets too often until the "
        + "time asked for; or a page has too many lines."
    case .spendLimit:
      "A limit of the account is used up; `limits` says which, and when each resets. A top-up does "
        + "not lift it."
    case .invalidJSON: "The input is not JSON; `line` and `offset` say where."
    case .invalidRequest: "The request has a wrong or missing member."
    case .invalidUsage: "The usage cannot be priced."
    case .unpricedUsage:
      "The model has no price for a count or condition of the usage; `unpriced` names it."
    case .failedResponse: "The provider says that the response failed; nothing is charged."
    case .cutResponse:
      "The response is incomplete; `partial` is the usage that it reports so far."
    case .amountOutOfRange: "An amount does not fit in 64 bits."
    case .incompleteBill: "The bill has a hole; `missing` says which pages and times it lacks."
    case .differs: "The bill and the books differ in a line or more."
    case .warnings: "Nothing of the store has failed, and something is to be looked at."
    case .noStore: "The store that was named does not exist; `credit-store init` makes it."
    case .unavailable:
      "The server or a program that is needed cannot be reached, or the journal is of a version "
        + "that this tool does not know."
    case .corruptStore: "The store is damaged; `credit-store verify` lists how."
    case .cannotCreate: "The store cannot be made."
    case .ioError: "Reading or writing failed."
    case .storeLocked: "Another process held the lock too long; try again."
    case .permissionDenied: "The store's files may not be opened."
    case .invalidPolicy: "The policy is not valid; `path` says where."
    }
  }
}

extension ManualPage {
  /// The page on providers' usage, `credit-providers(7)`.
  static var providers: String {
    var page = MdocWriter()
    head(
      "credit-providers", section: 7, summary: "what providers count, and how responses end",
      into: &page)
    page.section("Description")
    page.text(
      """
      credit-price(1), credit-charge(1) and credit-run(1) take a provider's response as it comes,
      whole or streamed. This page says by which rules its usage becomes the counts that are priced,
      and when a response is whole, cut or failed. Each rule is the provider's own, from the page
      that is named beside it.
      """)
    for section in Tool.providerSections {
      page.section(section.title)
      page.blocks(section.blocks)
    }
    page.section("See also")
    page.line(".Xr credit-charge 1 ,")
    page.line(".Xr credit-price 1 ,")
    page.line(".Xr credit-run 1 ,")
    page.line(".Xr credit-policy 5")
    return page.lines.joined(separator: "\n") + "\n"
  }
}
