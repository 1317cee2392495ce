internal import CreditCommand
internal import CreditModel
internal import CreditSystem

/// The texts for the places of the manual's pages, from the tools' declarations.
enum PageText {
  /// The date that the pages carry; a page is the same whenever it is made.
  static let date = "November 21, 2026"

  /// The first line of each generated file.
  static let notice = "Made by `swift run credit-manual` from the tools' table: do not edit."

  /// The text for a place of a page.
  /// - Parameter tool: the tool that the page is about, if any.
  static func text(_ place: String, _ tool: Tool?, _ details: PageDetails) -> String? {
    if let text = tool.flatMap({ text(place, of: $0, details) }) { return text }
    switch place {
    case "notice": return notice
    case "date": return date
    case "tools":
      return Mdoc.list(ToolSuite.all.map { ("Xr \($0.name) 1", $0.summary + ".") })
    case "tool-words": return ToolName.allCases.map(\.rawValue).joined(separator: " ")
    case "tool-pages":
      return ToolSuite.all.map { ".Xr \($0.name) 1 ," }.sorted().joined(separator: "\n")
    case "common-flags":
      return Mdoc.list(Flag.common.map { (item($0), $0.summary + ". " + details.of($0)) })
    case "errors":
      return Mdoc.table(
        ["Code", "Status", "Exit"],
        CreditError.Code.byExitStatus(CreditError.Code.allCases).flatMap { row in
          row.codes.map { [$0.rawValue, "\($0.status)", "\(row.exitStatus)"] }
        })
    default: return ruleText(place)
    }
  }

  private static func text(_ place: String, of tool: Tool, _ details: PageDetails) -> String? {
    switch place {
    case "summary": tool.summary
    case "synopsis": ToolHelp(of: tool).synopsis.map(Mdoc.synopsis).joined(separator: "\n")
    case "description": Mdoc.text(ToolHelp(of: tool).description)
    case "subcommands": subcommands(tool, details)
    case "flags": flags(tool, details)
    case "exit-statuses": exitStatuses(tool, details)
    case "examples":
      ToolHelp(of: tool).examples.map(example).joined(separator: "\n.Pp\n")
    default: nil
    }
  }

  private static func subcommands(_ tool: Tool, _ details: PageDetails) -> String {
    let entries = tool.subcommands.map { subcommand in
      let text = Mdoc.text(
        subcommand.summary + ". " + details.of(subcommand, of: tool)
          + Tool.logPlaces(of: subcommand))
      let flags = list(subcommand.ownFlags, subcommand.exclusions, [], tool, details)
      return ".It Cm \(subcommand.name)\n\(text)\n" + flags
    }
    return ".Bl -tag -width Ds\n" + entries.joined() + ".El"
  }

  private static func flags(_ tool: Tool, _ details: PageDetails) -> String {
    var text = ""
    for group in FlagGroup.allCases where group != .common {
      let flags = tool.flags.filter { $0.group == group }
      if flags.isEmpty { continue }
      text += ".Ss \(group.title)\n"
      if group == .request, SchemaCommand.tools(with: .request).contains(tool.id) {
        text += "@members.mdoc@\n"
      }
      text += list(flags, tool.exclusions, tool.requirements, tool, details)
    }
    let names = tool.commonFlags.map { flag in
      literal(flag) + (flag.kind.takesValue ? " <\(flag.placeholder)>" : "")
    }
    return text + ".Ss \(FlagGroup.common.title)\n"
      + Mdoc.text("\(names.joined(separator: ", ")): see credit-tools(7).")
  }

  /// Returns a list of the flags with a newline; the empty text if there are no flags.
  private static func list(
    _ flags: [Flag], _ exclusions: [Exclusion], _ requirements: [Requirement],
    _ tool: Tool, _ details: PageDetails
  ) -> String {
    if flags.isEmpty { return "" }
    let entries = flags.map { flag in
      var text = flag.summary + ". " + details.of(flag, in: tool)
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
      return (item(flag), text)
    }
    return Mdoc.list(entries) + "\n"
  }

  private static func literal(_ flag: Flag) -> String { "`--\(flag.name)`" }

  /// The tag of a flag.
  static func item(_ flag: Flag) -> String {
    let short = flag.name == "help" ? "Fl h , " : ""
    let value = flag.kind.takesValue ? " Ar " + Mdoc.escaped(flag.placeholder) : ""
    return "\(short)Fl \\-\(Mdoc.escaped(flag.name))\(value)"
  }

  private static func exitStatuses(_ tool: Tool, _ details: PageDetails) -> String {
    var entries = CreditError.Code.byExitStatus(tool.errors).map { row in
      let meanings = row.codes.map { "`\($0.rawValue)`: \(details.of($0))" }
      return (status: row.exitStatus, text: meanings.joined(separator: " "))
    }
    let place = entries.firstIndex { $0.status > UsageError.exitStatus } ?? entries.count
    entries.insert((UsageError.exitStatus, "The command line cannot be understood."), at: place)
    return Mdoc.list(entries.map { ("No \($0.status)", $0.text) })
  }

  private static func example(_ example: Example) -> String {
    let commands = example.command.split(separator: "\n").map { line in
      (line.hasPrefix(" ") ? "> " : "$ ") + line
    }
    let output = example.output.isEmpty ? [] : [example.output]
    return Mdoc.text(example.text) + "\n"
      + Mdoc.display((commands + output).joined(separator: "\n"))
  }
}

/// The sentences that the manual adds to the summaries of flags and subcommands, and the meanings
/// of errors.
///
/// They are paragraphs of `man/src/*.txt`, in the markup of `Markup`. The first line of each names
/// its thing: `--tag`, or `--tag (credit-charge, credit-run)` for the flag of some tools alone, or
/// `credit-store init` for a subcommand, or the code of an error.
struct PageDetails {
  private(set) var texts: [String: String] = [:]

  init(in folder: String) throws(SystemError) {
    for name in try PosixSystem().names(in: folder) where name.hasSuffix(".txt") {
      let file = try TextFile.read("\(folder)/\(name)")
      var headings: [String] = []
      for line in file.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) {
        if line.isEmpty {
          headings = []
        } else if headings.isEmpty {
          headings = Self.headings(line)
        } else {
          for heading in headings { texts[heading, default: ""] += line + "\n" }
        }
      }
    }
  }

  /// Returns a heading's text for each of its tools: `--tag of credit-charge`.
  private static func headings(_ line: String) -> [String] {
    let parts = line.split(separator: "(")
    guard line.hasPrefix("--"), parts.count == 2 else { return [line] }
    return parts[1].dropLast().split(separator: " ").map { tool in
      parts[0] + "of " + (tool.hasSuffix(",") ? tool.dropLast() : tool)
    }
  }

  func of(_ flag: Flag) -> String { texts["--\(flag.name)"] ?? "" }

  func of(_ flag: Flag, in tool: Tool) -> String {
    texts["--\(flag.name) of \(tool.name)"] ?? of(flag)
  }

  func of(_ code: CreditError.Code) -> String { texts[code.rawValue] ?? "" }

  func of(_ subcommand: Subcommand, of tool: Tool) -> String {
    texts["\(tool.name) \(subcommand.name)"] ?? ""
  }
}
