internal import CreditModel

/// Reads a command line by a tool's table of flags: long flags alone, apart from `-h`, as
/// `--name value` or `--name=value`, never abbreviated, each given once.
package struct ArgumentParser {
  private let tool: Tool

  package init(_ tool: Tool) {
    self.tool = tool
  }

  /// The arguments of this process after its name.
  /// - Throws: `UsageError` for one that isn't UTF-8: repaired, it might name another account.
  package static func processArguments() throws(UsageError) -> [String] {
    var arguments: [String] = []
    for index in 1..<max(1, Int(CommandLine.argc)) {
      guard let bytes = CommandLine.unsafeArgv[index] else { break }
      guard let argument = String(validatingCString: bytes) else {
        throw UsageError("argument \(index) is not UTF-8 text")
      }
      arguments.append(argument)
    }
    return arguments
  }

  /// Understands the arguments that follow the tool's name.
  /// - Throws: `UsageError` that names the first argument at fault, and the flag that was likely meant.
  package func parse(_ arguments: [String]) throws(UsageError) -> ParsedArguments {
    var parsed = ParsedArguments(tool)
    var rest = arguments[...]
    var flagsEnded = false
    while let argument = rest.popFirst() {
      if flagsEnded || argument.utf8.first != UInt8(ascii: "-") || argument.utf8.count == 1 {
        try takeOperand(argument, into: &parsed)
      } else if argument == "--" {
        flagsEnded = true
      } else {
        try takeFlag(argument, rest: &rest, into: &parsed)
      }
    }
    if !parsed.has("help") && !parsed.has("version") { try checkWhole(parsed) }
    return parsed
  }

  private func takeFlag(
    _ argument: String, rest: inout ArraySlice<String>, into parsed: inout ParsedArguments
  ) throws(UsageError) {
    let bytes = argument.utf8
    let end = bytes.firstIndex(of: UInt8(ascii: "=")) ?? bytes.endIndex
    let spelling = String(argument[..<end])
    let option = try option(spelling, in: parsed)
    if !option.isRepeatable && parsed.has(option.name) {
      throw UsageError("--\(option.name) is given twice")
    }
    var value = ""
    if end < bytes.endIndex {
      guard option.kind.takesValue else { throw UsageError("--\(option.name) takes no value") }
      value = String(argument[bytes.index(after: end)...])
    } else if option.kind.takesValue {
      guard let next = rest.popFirst() else {
        throw UsageError("--\(option.name) needs a value: \(option.placeholder)")
      }
      value = next
    }
    if let problem = option.kind.problem(with: value) {
      throw UsageError("--\(option.name) \(problem)")
    }
    parsed.given.append(.init(option, value))
  }

  private func option(
    _ spelling: String, in parsed: ParsedArguments
  ) throws(UsageError) -> Option {
    let name = Self.name(spelling)
    func isMeant(_ option: Option) -> Bool { option.name == name }
    let own = parsed.subcommand?.options ?? []
    let option =
      tool.options.first(where: isMeant) ?? own.first(where: isMeant)
      ?? CommonOptions.all.first(where: isMeant)
    if let option { return option }
    let known = (tool.options + own + CommonOptions.all).map { Name(trusted: $0.name) }
    let wanted = Name(trusted: String(spelling.drop { $0 == "-" }))
    var message = "unknown flag \(quoted(spelling))"
    if let nearest = NearestNames.find(wanted, among: known).first {
      message += "; did you mean \(quoted("--" + nearest.text))?"
    }
    throw UsageError(message)
  }

  /// The name that a spelling stands for; empty, as no flag's is, where it has one hyphen alone.
  private static func name(_ spelling: String) -> String {
    if spelling == "-h" { return "help" }
    guard spelling.utf8.starts(with: "--".utf8) else { return "" }
    return String(spelling.unicodeScalars.dropFirst(2))
  }

  private func takeOperand(
    _ argument: String, into parsed: inout ParsedArguments
  ) throws(UsageError) {
    guard parsed.subcommand == nil, !tool.subcommands.isEmpty else {
      throw UsageError("unexpected argument \(quoted(argument))")
    }
    if let subcommand = tool.subcommands.first(where: { $0.name == argument }) {
      parsed.subcommand = subcommand
      return
    }
    var message = "unknown subcommand \(quoted(argument))"
    let known = tool.subcommands.map { Name(trusted: $0.name) }
    if let nearest = NearestNames.find(Name(trusted: argument), among: known).first {
      message += "; did you mean \(quoted(nearest.text))?"
    }
    throw UsageError(message)
  }

  /// Checks what only the whole command line shows: a subcommand, and flags that exclude each other.
  private func checkWhole(_ parsed: ParsedArguments) throws(UsageError) {
    if parsed.subcommand == nil && !tool.subcommands.isEmpty {
      let names = tool.subcommands.map(\.name).joined(separator: ", ")
      throw UsageError("a subcommand is needed: \(names)")
    }
    for exclusion in tool.exclusions + (parsed.subcommand?.exclusions ?? [])
    where parsed.has(exclusion.flag) {
      if let other = exclusion.others.first(where: { parsed.has($0) }) {
        throw UsageError("--\(exclusion.flag) and --\(other) cannot be given together")
      }
    }
  }
}
