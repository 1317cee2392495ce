internal import CreditJSON
internal import CreditModel

/// Reads a command line by a tool's table of flags: long flags alone, apart from `-h`, as
/// `--name value` or `--name=value`, never abbreviated, each given once.
struct ArgumentParser {
  private let tool: Tool

  init(_ tool: Tool) { self.tool = tool }

  /// Understands the arguments that follow the tool's name.
  /// - Throws: `UsageError` that names the first argument at fault, and the flag that was likely
  ///   meant.
  func parse(_ arguments: [String]) throws(UsageError) -> ParsedArguments {
    var parsed = ParsedArguments(tool)
    var rest = arguments[...]
    var flagsEnded = false
    while let argument = rest.popFirst() {
      if tool.takesCommand, flagsEnded || argument.utf8.first != UInt8(ascii: "-") {
        parsed.operands = [argument] + rest
        break
      }
      if flagsEnded || argument.utf8.first != UInt8(ascii: "-") || argument.utf8.count == 1 {
        try takeOperand(argument, before: rest, into: &parsed)
      } else if argument == "--" {
        flagsEnded = true
      } else {
        try takeFlag(argument, rest: &rest, into: &parsed)
        // The rest may be wrong.
        if parsed[.help] { break }
      }
    }
    if !parsed[.help] && !parsed[.version] { try checkWhole(parsed) }
    return parsed
  }

  private func takeFlag(
    _ argument: String, rest: inout ArraySlice<String>, into parsed: inout ParsedArguments
  ) throws(UsageError) {
    let end = argument.withUTF8Bytes { $0.firstIndex(of: UInt8(ascii: "=")) }
    let spelling = end.map { String(decoding: argument.utf8.prefix($0), as: UTF8.self) }
    let inside = end.map { String(decoding: argument.utf8.dropFirst($0 + 1), as: UTF8.self) }
    let flag = try flag(spelling ?? argument, inside ?? rest.first, after: parsed)
    if !flag.isRepeatable && parsed.has(flag) {
      let hint = flag.isNamed("get") ? "; it takes several members: --get account,balance" : ""
      throw UsageError("--\(flag.name) is given twice\(hint)")
    }
    var text = ""
    if let inside {
      guard flag.kind.takesValue else { throw UsageError("--\(flag.name) takes no value") }
      text = inside
    } else if flag.kind.takesValue {
      let next = rest.popFirst()
      let isFlag = next.map(Self.isFlag) ?? false
      guard let next, !isFlag || !tool.flags.contains(where: { next == "--\($0.name)" }) else {
        throw UsageError("--\(flag.name) needs a value: --\(flag.name) \(flag.placeholder)")
      }
      if isFlag {
        throw UsageError(
          "--\(flag.name) needs a value, and \(quoted(next)) looks like a flag; to give it: "
            + "--\(flag.name)=\(shellWord(next))")
      }
      text = next
    }
    do throws(UsageError) {
      parsed.add(flag, try flag.value(of: text))
    } catch {
      let isTold = !text.isEmpty || error.message.hasSuffix("?")
      throw isTold ? error : UsageError(error.message + ": is a variable not set?")
    }
  }

  /// Whether an argument is like a flag: two hyphens and a small letter. A variable that is not set
  /// would otherwise make a value of it.
  private static func isFlag(_ argument: String) -> Bool {
    let bytes = argument.utf8
    guard argument.hasPrefix("--"), let letter = bytes.dropFirst(2).first else { return false }
    return (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(letter)
  }

  /// The flag of a spelling, under whichever subcommand: that may come later.
  /// - Parameter value: the text behind it, if any.
  private func flag(_ spelling: String, _ value: String?, after parsed: ParsedArguments)
    throws(UsageError) -> Flag
  {
    let known = spelling.withUTF8Bytes { bytes in
      Self.name(bytes).flatMap { name in
        tool.flags.first { $0.isNamed(name) } ?? tool.allFlags.first { $0.isNamed(name) }
      }
    }
    if let known { return known }
    let wanted = String(spelling.drop { $0 == "-" })
    throw UsageError(
      "unknown flag \(quoted(spelling))" + advice(on: wanted, value ?? "", after: parsed))
  }

  /// Returns the end of a message about an unknown flag.
  private func advice(on flag: String, _ value: String, after parsed: ParsedArguments) -> String {
    if tool.subcommands.contains(where: { $0.name == flag }) {
      return "; the \(tool.subcommandNoun) \(flag) has no hyphens"
    }
    let owners = ToolSuite.all.filter { $0.allFlags.contains { $0.name == flag } }
    // A flag of more tools does not show which tool was meant.
    let isKnown = (1...2).contains(owners.count)
    let owned = ToolSuite.ending(on: owners)
    if tool.id == .price, flag == "product" { return "; all products are listed by --products" }
    if isKnown, Self.usualFlags[flag] == nil { return owned }
    if flag == "amount", tool.id == .topup || tool.id == .refund {
      return "; money is named by --price, and credits by --credits"
    }
    if tool.id == .charge, ["amount", "credits"].contains(flag) {
      return "; a charge bills a model's usage: for a model with \"creditsPerUnit\": 1, --units "
        + "takes credits"
    }
    let isNumber = Int64(value) != nil
    if ["f", "file", "i", "input"].contains(flag), tool.requestMembers != nil, !isNumber {
      let file = value.isEmpty ? "FILE" : shellWord(value)
      return "; requests are read from standard input: \(tool.name) < \(file)"
    }
    if ["o", "out", "output"].contains(flag), !isNumber {
      let hasFormat = tool.allFlags.contains { $0.isNamed("format") && $0.choices.contains(value) }
      return hasFormat
        ? "; did you mean \(quoted("--format \(value)"))?"
        : "; it prints on standard output: > FILE"
    }
    if let nearest = nearestFlag(to: flag, after: parsed) {
      return "; did you mean \(quoted("--" + nearest))?"
    }
    if tool.id == .store, PolicyShape.policy.allows(flag) {
      return "; it is a member of the policy, whose file is put in place by policy --set FILE"
    }
    if tool.id == .store, flag == "show" { return "; credit-store policy prints the policy" }
    if ["fix", "repair"].contains(flag) { return "; an index is made by credit-store rebuild" }
    return owned
  }

  /// The words of other programs, or of providers, and the flags that they mean here.
  private static let usualFlags = [
    "a": "account", "n": "dry-run limit", "last": "limit", "tail": "limit", "account": "from to",
    "acct": "account", "customer": "account", "id": "transaction authorization key",
    "transaction": "key authorization", "ttl": "expires-in", "idempotency-key": "key",
    "reasoning-tokens": "output-tokens", "thinking-tokens": "output-tokens", "reserve": "hold",
    "release": "void", "cancel": "void", "budget": "limit", "team": "parent", "date": "used-at",
    "time": "used-at since at", "project": "tag", "name": "account", "create": "",
    "q": "quiet", "amount": "credits hold", "user": "account", "tx": "transaction",
    "count": "quantity limit units", "qty": "quantity", "payment": "transaction", "retry": "",
    "token": "input-tokens", "today": "", "host": "store", "database": "store", "db": "store",
    "table": "format", "preview": "dry-run",
    "simulate": "dry-run", "note": "reason", "comment": "reason", "description": "reason",
    "memo": "reason", "silent": "quiet", "fix": "",
    "prompt-tokens": "input-tokens", "completion-tokens": "output-tokens",
    "cached-tokens": "cache-read-tokens", "max-tokens": "hold", "key": "authorization",
    "from": "since", "start": "since", "to": "until", "end": "until", "before": "until",
    "target": "to store", "list": "all models", "delete": "closed", "remove": "closed",
    "close": "closed", "expires-at": "expires-in", "m": "model reason", "for": "expires-in",
    "days": "expires-in", "months": "expires-in", "duration": "expires-in",
  ]

  /// The flag that was likely meant, and is not given yet; of a single letter the first flag that
  /// begins with it.
  private func nearestFlag(to wanted: String, after parsed: ParsedArguments) -> String? {
    let all = parsed.subcommand.map { tool.flags + $0.flags } ?? tool.allFlags
    let flags = all.filter { $0.isRepeatable || !parsed.has($0) }
    let names = flags.map(\.name)
    // A word that a flag takes: `--type usage`.
    if let flag = flags.first(where: { $0.choices.contains(wanted) }) {
      return "\(flag.name) \(wanted)"
    }
    if names.contains(wanted) { return wanted }
    if tool.id == .history, wanted == "key" { return Flag.search.name }
    // A usual word is no misspelling of another one.
    if let usual = Self.usualFlags[wanted] {
      return usual.split(separator: " ").map(String.init).first(where: names.contains)
    }
    if wanted.utf8.count == 1 { return names.first { $0.hasPrefix(wanted) } }
    let near = NearestNames.find(Name(trusted: wanted), among: names.map(Name.init(trusted:)))
    // Two edits make another word of a short one: `--last` is not `--pass`.
    return near.map(\.text).first {
      wanted.utf8.count > 8 || "-\($0)".utf8.contains("-\(wanted)")
        || NearestNames.misspelt($0, among: [wanted]) != nil
    }
  }

  /// Returns the name of a spelling; nil if it has a single hyphen.
  private static func name(_ spelling: Bytes) -> Bytes? {
    if spelling.hasSameBytes(as: Bytes("-h")) { return Bytes("help") }
    guard spelling.count > 2, spelling[1] == UInt8(ascii: "-") else { return nil }
    return Bytes(rebasing: spelling[2...])
  }

  private func takeOperand(
    _ argument: String, before rest: ArraySlice<String>, into parsed: inout ParsedArguments
  ) throws(UsageError) {
    if parsed.subcommand?.takesFiles == true { return parsed.operands.append(argument) }
    guard parsed.subcommand == nil, !tool.subcommands.isEmpty else {
      throw UsageError(
        "unexpected argument \(quoted(argument))"
          + (listHint([argument] + rest.prefix { !Self.isFlag($0) }, parsed)
            ?? operandHint(argument, parsed.subcommand, has: parsed.has)))
    }
    if let subcommand = tool.subcommands.first(where: { $0.name == argument }) {
      parsed.subcommand = subcommand
      return
    }
    let known = tool.subcommands.map { Name(trusted: $0.name) }
    let usual = Self.usualSubcommands[argument].map { Name(trusted: $0) }
    let meant =
      known.first { $0 == usual } ?? NearestNames.completed(argument, among: known).first
    throw UsageError(
      "unknown \(tool.subcommandNoun) \(quoted(argument))"
        + (meant.map { "; did you mean \(quoted($0.text))?" }
          ?? "; the \(tool.subcommandNoun)s are \(subcommandNames)"))
  }

  /// The words of other programs, and the subcommands that they mean here.
  private static let usualSubcommands = [
    "backup": "export", "check": "verify", "create": "init", "dump": "export", "fix": "rebuild",
    "repair": "rebuild", "restore": "import",
  ]

  private var subcommandNames: String { tool.subcommands.map(\.name).joined(separator: ", ") }

  /// Returns advice on arguments that continue the flag before; nil otherwise.
  private func listHint(_ words: [String], _ parsed: ParsedArguments) -> String? {
    guard let last = parsed.given.last, case .text(let text) = last.value else { return nil }
    let name = last.flag.name
    if text == "=" { return "; write = without spaces: --\(name)=\(shellWord(words[0]))" }
    let members = words.prefix(while: (name == "get" ? tool.resultMembers : []).contains)
    if text.hasSuffix(",") || !members.isEmpty {
      let further = members.isEmpty ? words.prefix(1) : members
      let parts = ([text] + further).flatMap { $0.split(separator: ",") }
      return "; a list has no spaces: --\(name) \(shellWord(parts.joined(separator: ",")))"
    }
    guard ["reason", "title", "search", "tag"].contains(name) else { return nil }
    let whole = ([text] + words).joined(separator: " ")
    return "; a text with spaces needs quotes: --\(name) \(shellWord(whole))"
  }

  /// Returns advice on an argument that was probably meant as something else.
  private func operandHint(
    _ argument: String, _ subcommand: Subcommand?, has: (Flag) -> Bool
  ) -> String {
    let isWord = tool.subcommands.contains { $0.name == argument }
    if argument.isEmpty { return "; is a variable not set?" }
    // Editors make one dash of two hyphens.
    if let dash = ["–", "—", "−"].first(where: argument.hasPrefix) {
      let name = argument.dropFirst(dash.count).drop { $0 == "-" }
      return "; a flag begins with two hyphens: --\(String(name).escapingHidden)"
    }
    let quotes = ["“", "”", "‘", "’", "„"]
    if let quote = quotes.first(where: { argument.hasPrefix($0) || argument.hasSuffix($0) }) {
      return "; a shell's quotation marks are ' and \", not \(quote)"
    }
    if argument == "help" { return "; help is printed by --help" }
    if argument.hasPrefix("-") || isWord { return "" }
    let command = subcommand.map { "\(tool.name) \($0.name)" } ?? tool.name
    let input = tool.requestMembers == nil ? "it reads" : "requests are read from"
    for flag in [Flag.response, .event] where has(flag) {
      return "; --\(flag.name) reads standard input: add < \(shellWord(argument))"
    }
    if has(.void) { return "; --void takes one id: run it once for each" }
    if Int64(argument) != nil, tool.id == .topup || tool.id == .transfer {
      return has(.credits) ? "" : "; credits are named by --credits"
    }
    // The @ is curl's.
    let file = shellWord(String(argument.drop { $0 == "@" }))
    let redirection = "; \(input) standard input: \(command) < \(file)"
    let isFile =
      [".json", ".jsonl", ".ndjson", ".log", ".txt"].contains(where: argument.hasSuffix)
      || argument.hasPrefix("@")
    if !tool.takesStore || subcommand?.name == "import" || isFile && tool.requestMembers != nil {
      return redirection
    }
    switch (tool.id, subcommand?.name) {
    case (.refund, _):
      return "; a purchase is named by --transaction, a charge by --key or --authorization"
    case (.price, _):
      return has(.products)
        ? "; --products lists all products" : "; the model is named by --model"
    case (.transfer, _): return "; the accounts are named by --from and --to"
    case (.store, "policy"):
      return "; a policy's file is checked by --check FILE, and put in place by --set FILE"
    case (.store, "push"): return "; the store to send to is named by --to"
    case (.store, "export"): return "; it prints: \(command) > \(shellWord(argument))"
    case (.store, _), (.doctor, _): return "; the store is named by --store"
    default: return has(.account) ? "" : "; the account is named by --account"
    }
  }

  /// Checks the whole command line: a subcommand, and flags that require or exclude each other.
  private func checkWhole(_ parsed: ParsedArguments) throws(UsageError) {
    if !tool.subcommands.isEmpty { try checkSubcommand(parsed) }
    for exclusion in tool.exclusions + (parsed.subcommand?.exclusions ?? [])
    where parsed.has(exclusion.flag) {
      if let other = exclusion.others.first(where: parsed.has) {
        throw UsageError("--\(exclusion.flag.name) and --\(other.name) cannot be given together")
      }
    }
    for requirement in tool.requirements
    where parsed.has(requirement.flag) && !requirement.others.contains(where: parsed.has) {
      let others = requirement.others.map { "--" + $0.name }.joined(separator: " or ")
      throw UsageError("--\(requirement.flag.name) needs \(others)")
    }
  }

  private func checkSubcommand(_ parsed: ParsedArguments) throws(UsageError) {
    guard let subcommand = parsed.subcommand else {
      throw UsageError("a \(tool.subcommandNoun) is needed: \(subcommandNames)")
    }
    for flag in parsed.given.map(\.flag)
    where !(tool.flags + subcommand.flags).contains(where: { $0.name == flag.name }) {
      let advice = flag.isNamed("to") ? "; the store is named by --store" : ""
      throw UsageError("--\(flag.name) cannot be given to \(tool.name) \(subcommand.name)\(advice)")
    }
  }
}

/// A command line that can't be understood. Nothing was read or done.
public struct UsageError: Error, Sendable, CustomStringConvertible {
  /// The exit status of every usage error (`EX_USAGE`).
  public static let exitStatus: Int32 = 64

  /// One sentence, lower case, without a full stop, fit to follow `credit-charge: `.
  public let message: String

  public init(_ message: String) { self.message = message }

  public var description: String { message }
}
