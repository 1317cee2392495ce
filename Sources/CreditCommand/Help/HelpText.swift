public import CreditModel

/// The text that `--help` prints: forms, flags by group, examples and exit statuses. Its lines
/// have at most 80 columns.
public enum HelpText {
  private static let indent = 28

  /// The help of a tool, ending in a line break.
  public static func text(for tool: Tool) -> String {
    let help = ToolHelp(of: tool)
    var lines = synopsis(tool, help) + [""]
    lines += PlainText.fill(help.description)
    lines += subcommands(tool)
    for group in FlagGroup.allCases where group != .common {
      lines += table(group.title, tool.flags.filter { $0.group == group })
    }
    lines += table(FlagGroup.common.title, tool.commonFlags)
    lines += examples(help) + exitStatuses(tool)
    lines += ["", "The manual has more: man \(tool.name), man credit-tools"]
    return lines.joined(separator: "\n") + "\n"
  }

  /// The text of `credit`: the tools.
  public static var ofSuite: String {
    var lines = [
      "usage: credit TOOL [ARGUMENT]...", "       credit help TOOL",
      "       credit schema NAME [TOOL]",
      "", "Tools:",
    ]
    for tool in ToolName.allCases {
      lines += PlainText.columns(tool.rawValue, tool.tool.summary, indent: 14)
    }
    lines += ["", "Each is a command of its own, too: 'credit charge' is 'credit-charge'."]
    lines += ["The manual has more: man credit, man credit-tools"]
    return lines.joined(separator: "\n") + "\n"
  }

  private static func synopsis(_ tool: Tool, _ help: ToolHelp) -> [String] {
    help.synopsis.enumerated().flatMap { index, form in
      let start = (index == 0 ? "usage: " : "       ") + tool.name
      let indent = start.utf8.count + 1
      let lines = PlainText.fill(words: ToolHelp.parts(of: form), width: PlainText.width - indent)
      return lines.enumerated().map { index, line in
        (index == 0 ? start + " " : String(repeating: " ", count: indent)) + line
      }
    }
  }

  private static func subcommands(_ tool: Tool) -> [String] {
    var lines: [String] = []
    for subcommand in tool.subcommands {
      lines += PlainText.columns(subcommand.name, subcommand.summary, indent: indent)
      for flag in subcommand.ownFlags {
        lines += PlainText.columns("  " + label(flag), summary(flag), indent: indent)
      }
    }
    return lines.isEmpty ? [] : ["", "Subcommands:"] + lines
  }

  private static func table(_ title: String, _ flags: [Flag]) -> [String] {
    guard !flags.isEmpty else { return [] }
    return ["", title + ":"]
      + flags.flatMap { PlainText.columns(label($0), summary($0), indent: indent) }
  }

  private static func label(_ flag: Flag) -> String {
    (flag.name == "help" ? "-h, --" : "--") + flag.name
      + (flag.kind.takesValue ? " " + flag.placeholder : "")
  }

  private static func summary(_ flag: Flag) -> String {
    guard flag.choices.count > 2 else { return flag.summary }
    return flag.summary + " (" + flag.choices.joined(separator: ", ") + ")"
  }

  private static func examples(_ help: ToolHelp) -> [String] {
    var lines = ["", "Examples:"]
    for (index, example) in help.examples.enumerated() {
      if index > 0 { lines.append("") }
      let width = PlainText.width - 4
      lines += PlainText.fill(example.text, width: width).map { "  # " + $0 }
      lines += example.command.split(separator: "\n").map { "  " + $0 }
    }
    return lines
  }

  private static func exitStatuses(_ tool: Tool) -> [String] {
    let success =
      tool.requestMembers == nil ? "0 for success" : "0 if every request succeeded"
    let rule =
      tool.takesCommand
      ? "COMMAND's; if that is 0 or it was not run, that of a failure:"
      : "\(success), else that of the first failure:"
    var lines = ["", "Exit status: \(rule)"]
    for row in CreditError.Code.byExitStatus(tool.errors) {
      if row.exitStatus > UsageError.exitStatus, !lines.contains(usageRow) {
        lines.append(usageRow)
      }
      let names = row.codes.map(\.rawValue).joined(separator: ", ")
      lines += PlainText.columns("\(row.exitStatus)", names, indent: 6)
    }
    return lines
  }

  private static let usageRow = "  \(UsageError.exitStatus)  the command line"
}

extension CreditError.Code {
  /// Groups codes by exit status, in rising order.
  public static func byExitStatus(
    _ codes: [CreditError.Code]
  ) -> [(exitStatus: Int32, codes: [CreditError.Code])] {
    Dictionary(grouping: codes, by: \.exitStatus).sorted { $0.key < $1.key }
      .map { (exitStatus: $0.key, codes: $0.value) }
  }

  /// Whether every tool that opens a store can give it.
  var isOfStore: Bool {
    switch self {
    case .invalidUsage, .unpricedUsage, .failedResponse, .cutResponse, .amountOutOfRange,
      .incompleteBill, .cannotCreate:
      false
    default: exitStatus >= UsageError.exitStatus
    }
  }
}

extension Tool {
  /// The errors that it can give: its own, and those of every tool.
  public var errors: [CreditError.Code] {
    let own = ToolHelp(of: self).errors
    return CreditError.Code.allCases.filter { code in
      own.contains(code)
        || (takesStore ? code.isOfStore : [.invalidJSON, .invalidRequest, .ioError].contains(code))
    }
  }
}

/// The texts of a tool's help, in the markup of `Markup`. Its manual page has them, too.
///
/// They are paragraphs of `Tools/help.txt`. A tool's first one has its name behind `# `, the forms
/// of its command line, and behind `! ` its errors; the second one is the description. An example
/// is its purpose, its commands, and behind `= ` their output. Forms and commands are indented.
public struct ToolHelp: Sendable {
  /// The forms of a command line after the tool's name.
  public private(set) var synopsis: [String] = []
  /// The errors of its own, beside those of every tool.
  private(set) var errors: [CreditError.Code] = []
  /// The tool's effect, in a few sentences: the manual page begins with it.
  public private(set) var description = ""
  public private(set) var examples: [Example] = []

  public init(of tool: Tool) {
    var isOfTool = false
    let lines = String(decoding: PackageResources.help_txt, as: UTF8.self)
      .split(separator: "\n", omittingEmptySubsequences: false)
    for paragraph in lines.split(separator: "") {
      func marked(_ mark: String) -> [String] {
        paragraph.filter { $0.hasPrefix(mark) }.map { String($0.dropFirst(2)) }
      }
      let commands = marked("  ")
      if let name = marked("# ").first {
        isOfTool = name == tool.name
        if !isOfTool { continue }
        synopsis = commands
        errors = marked("! ").flatMap { $0.split(separator: " ") }
          .compactMap { CreditError.Code(rawValue: String($0)) }
      } else if isOfTool {
        let text = paragraph.prefix { !$0.hasPrefix("  ") }.joined(separator: " ")
        if commands.isEmpty {
          description = text
        } else {
          let output = marked("= ").joined(separator: "\n")
          examples.append(
            Example(text: text, command: commands.joined(separator: "\n"), output: output))
        }
      }
    }
  }

  /// The parts of a form, such as `--account NAME [--hold N]`, that no line break should divide: a
  /// flag with its value, a bracketed group.
  public static func parts(of form: String) -> [String] {
    var parts: [String] = []
    var isOpen = false
    for word in form.split(separator: " ") {
      let starts = !isOpen && (word.hasPrefix("[") || word.hasPrefix("-") || word == "<")
      if starts || parts.isEmpty {
        parts.append(String(word))
      } else {
        parts[parts.count - 1] += " " + word
      }
      isOpen = (isOpen || word.hasPrefix("[")) && !word.hasSuffix("]")
    }
    return parts
  }
}

/// An example: its purpose, the command, and its output.
public struct Example: Sendable {
  public let text: String
  public let command: String
  public let output: String
}

/// The light markup of the texts of help and manual pages, read into chunks.
///
/// Words wrap. `` `literal` `` is something to type or a member, `<NAME>` stands for a value, and
/// `credit-charge(1)` is another page.
public enum Markup {
  /// The text between two blanks, with the punctuation that clings to it.
  public struct Chunk: Equatable {
    public let opening: String
    public let core: Core
    public let closing: String
  }

  public enum Core: Equatable {
    case word(String)
    case literal(String)
    case placeholder(String)
    case page(name: String, section: String)
  }

  /// The chunks of a text, blanks and line breaks between them left out.
  public static func chunks(_ text: String) -> [Chunk] {
    var chunks: [Chunk] = []
    var current = ""
    var inLiteral = false
    for character in text {
      if character == "`" { inLiteral.toggle() }
      if character.isWhitespace && !inLiteral {
        if !current.isEmpty { chunks.append(chunk(current)) }
        current = ""
      } else {
        current.append(character.isWhitespace ? " " : character)
      }
    }
    if !current.isEmpty { chunks.append(chunk(current)) }
    return chunks
  }

  private static func chunk(_ text: String) -> Chunk {
    if let (opening, inner, closing) = split(text, from: "`", to: "`") {
      return Chunk(opening: opening, core: .literal(inner), closing: closing)
    }
    if let (opening, inner, closing) = split(text, from: "<", to: ">") {
      return Chunk(opening: opening, core: .placeholder(inner), closing: closing)
    }
    for section in ["1", "5", "7"] {
      guard let (name, _, closing) = split(text, from: "(", to: ")", around: section) else {
        continue
      }
      return Chunk(opening: "", core: .page(name: name, section: section), closing: closing)
    }
    return Chunk(opening: "", core: .word(text), closing: "")
  }

  /// Splits a text at two marks: before, between and after them. Returns nil if either mark is
  /// missing, or if the text between them is not `around`.
  private static func split(
    _ text: String, from start: Character, to end: Character, around: String? = nil
  ) -> (before: String, between: String, after: String)? {
    guard let first = text.firstIndex(of: start) else { return nil }
    let rest = text[text.index(after: first)...]
    guard let last = rest.firstIndex(of: end) else { return nil }
    let between = String(rest[..<last])
    if let around, between != around || first == text.startIndex { return nil }
    return (String(text[..<first]), between, String(rest[rest.index(after: last)...]))
  }
}

enum PlainText {
  static let width = 79

  /// Fills the text into lines, none wider than the width except for single words.
  static func fill(_ text: String, width: Int = width) -> [String] {
    fill(words: Markup.chunks(text).map(plain), width: width)
  }

  /// Returns a description in two columns: the label, then the text wrapped beside it, or below it
  /// if the label is too wide.
  static func columns(_ label: String, _ text: String, indent: Int) -> [String] {
    let lines = fill(text, width: width - indent)
    let blank = String(repeating: " ", count: indent)
    let start = "  " + label
    guard let first = lines.first else { return [start] }
    if start.utf8.count + 2 > indent {
      return [start] + lines.map { blank + $0 }
    }
    let padding = String(repeating: " ", count: indent - start.utf8.count)
    return [start + padding + first] + lines.dropFirst().map { blank + $0 }
  }

  static func fill(words: [String], width: Int) -> [String] {
    var lines: [String] = []
    var line = ""
    for word in words {
      if !line.isEmpty && line.utf8.count + 1 + word.utf8.count > width {
        lines.append(line)
        line = ""
      }
      line += line.isEmpty ? word : " " + word
    }
    return line.isEmpty ? lines : lines + [line]
  }

  private static func plain(_ chunk: Markup.Chunk) -> String {
    let core =
      switch chunk.core {
      case .word(let text), .placeholder(let text): text
      case .literal(let text): text.contains(" ") ? "'\(text)'" : text
      case .page(let name, let section): "\(name)(\(section))"
      }
    return chunk.opening + core + chunk.closing
  }
}
