public import CreditModel
public import CreditSystem

/// A tool's run from its command line to its exit status.
public enum Program {
  public static func main(_ tool: Tool) -> Never {
    do {
      ThisProcess.exit(run(tool, on: .process(arguments: try ThisProcess.arguments())))
    } catch {
      ThisProcess.exit(fail(UsageError(error), tool.name, on: .process(arguments: [])))
    }
  }

  /// Runs the tool named by the process or its first argument.
  public static func mainOfSuite() -> Never {
    let path = ThisProcess.path
    do {
      let host = Host.process(arguments: try ThisProcess.arguments())
      ThisProcess.exit(runSuite(calledBy: path, on: host))
    } catch {
      let name = SuiteCall.tool(calledBy: path)?.name ?? ToolSuite.command
      ThisProcess.exit(fail(UsageError(error), name, on: .process(arguments: [])))
    }
  }

  /// Runs one of the tools, or lists them.
  /// - Parameter path: the executable's name in the call.
  /// - Returns: its exit status.
  public static func runSuite(calledBy path: String, on host: Host) -> Int32 {
    do throws(UsageError) {
      switch try SuiteCall(path: path, arguments: host.arguments) {
      case .tool(let tool, let firstArgument):
        var host = host
        host.arguments.removeFirst(firstArgument)
        return run(tool, on: host)
      case .text(let text): return show(text, ToolSuite.command, on: host)
      case .help(let tool): return show(HelpText.text(for: tool), tool.name, on: host)
      case .complete(let completion):
        return show(completion.text(on: host), ToolSuite.command, on: host)
      }
    } catch {
      return fail(error, ToolSuite.command, on: host)
    }
  }

  public static func run(_ tool: Tool, on host: Host) -> Int32 {
    do throws(UsageError) {
      let arguments = try ArgumentParser(tool).parse(host.arguments)
      if arguments[.help] { return show(HelpText.text(for: tool), tool.name, on: host) }
      if arguments[.version] { return show(tool.versionLine + "\n", tool.name, on: host) }
      let settings = try Settings(arguments, host: host)
      return try Command(tool, settings, host).run()
    } catch {
      return fail(error, tool.name, on: host)
    }
  }

  private static func show(_ text: String, _ command: String, on host: Host) -> Int32 {
    let errors = ErrorOutput(tool: command, isQuiet: false, streams: host.streams)
    text.utf8Span.span.withBytes { _ = errors.writeOutput($0) }
    return errors.exitStatus
  }

  private static func fail(_ error: UsageError, _ command: String, on host: Host) -> Int32 {
    "\(command): \(error)\ntry '\(command) --help'\n".withUTF8Bytes { host.streams.complain($0) }
    return UsageError.exitStatus
  }
}

extension Host {
  static func process(arguments: [String]) -> Host {
    let system = PosixSystem()
    let ids = UUIDMaker(seededBy: system)
    return Host(
      arguments: arguments, environment: variable, variableNames: ThisProcess.variableNames,
      system: system, streams: StandardStreams(), makeID: ids.make(at:),
      keep: { _ = Unmanaged.passRetained($0) })
  }

  private static func variable(_ name: String) throws(UsageError) -> String? {
    do {
      return try ThisProcess.variable(name)
    } catch {
      throw UsageError(error)
    }
  }
}

extension UsageError {
  fileprivate init(_ error: ThisProcess.NotText) { self.init("\(error.what) is not UTF-8 text") }
}

/// A page of the manual that is not a tool's: `credit help policy` prints how to read it.
public enum ManualTopic: String, CaseIterable, Sendable {
  case tutorial, tools, policy, grants, payments, providers, server, teams

  private var subject: String {
    switch self {
    case .tutorial: "the first hour with the credit tools"
    case .tools: "requests, results, errors and times, which the tools share"
    case .policy: "the members of the policy, the file with a store's rules"
    case .grants: "packs that expire, bonuses and subscriptions"
    case .payments: "the way from a Stripe account to the first paid credits"
    case .providers: "what each provider counts, and how its responses end and fail"
    case .server: "stores on a PostgreSQL server"
    case .teams: "accounts that pay for others, budgets and limits"
    }
  }

  /// The page's name with its section, as another page names it.
  public var page: String { "credit-\(rawValue)(\(self == .policy ? 5 : 7))" }

  /// The text that `credit help` prints of the topic, ending in a line break.
  var text: String {
    let more =
      self == .policy
      ? "credit-store policy --pretty prints the policy of your store; --check FILE checks one.\n"
      : ""
    return "\(page) has \(subject): man credit-\(rawValue)\n" + more
  }
}

/// The world as a tool sees it: arguments, environment, clock, ids, files and streams. It is
/// passed, never global, so that a test can set every part.
public struct Host {
  public var arguments: [String]
  /// The value of a variable; nil if it is not set.
  /// - Throws: for one that isn't UTF-8: repaired, it might name another store.
  public var environment: (String) throws(UsageError) -> String?
  /// The names of the variables that begin with a text.
  public var variableNames: (StaticString) -> [String] = { _ in [] }
  public var system: any SystemCalls
  public var streams: any Streams
  /// Makes a new, unique id for something that happens at a time.
  public var makeID: (Timestamp) -> Name
  /// Keeps objects that need not be freed before the process ends. No thread uses them any more.
  public var keep: (AnyObject) -> Void = { _ in }

  public var systemTime: Timestamp { Timestamp(milliseconds: system.currentMilliseconds()) }
}

extension Streams {
  /// Calls `read(into:)`.
  /// - Throws: `io_error`.
  func readInput(into buffer: MutableBytes) throws(CreditError) -> Int {
    do {
      return try read(into: buffer)
    } catch {
      throw CreditError(.ioError, "\(error)")
    }
  }

  /// Reads standard input to its end.
  /// - Throws: `io_error`, also if it has more than `limit` bytes.
  func readAll(limit: Int) throws(CreditError) -> [UInt8] {
    let bytes = try readBytes(limit: limit) { block, _ throws(CreditError) in
      try readInput(into: block)
    }
    if bytes.count <= limit { return bytes }
    throw CreditError(.ioError, "standard input is longer than \(limit) bytes")
  }
}

/// The meaning of a call of `credit`, the one executable for every tool.
public enum SuiteCall {
  /// A run of a tool on the arguments from a place on.
  case tool(Tool, firstArgument: Int)
  case help(Tool)
  /// A text to print: the version, the list of the tools, a schema, or how to read a page.
  case text(String)
  /// The names that one which is begun may become.
  case complete(NameCompletion)

  /// Reads the executable's call.
  /// - Parameter path: the name in the call: a link has the name of a tool.
  /// - Throws: if it is not a tool's name.
  public init(path: String, arguments: [String]) throws(UsageError) {
    if let tool = Self.tool(calledBy: path) {
      self = .tool(tool, firstArgument: 0)
      return
    }
    var rest: [String] { Array(arguments.dropFirst()) }
    switch arguments.first {
    case nil: self = .text(HelpText.ofSuite)
    case "--version": self = .text("\(ToolSuite.command) \(ToolSuite.version)\n")
    case "help", "-h", "--help": self = try Self.help(rest)
    case "complete": self = .complete(try NameCompletion(rest))
    case "schema": self = .text(try SchemaCommand(rest).text)
    case let word?: self = .tool(try Self.tool(word), firstArgument: 1)
    }
  }

  /// Returns the tool of the executable's name, if it is one.
  static func tool(calledBy path: String) -> Tool? {
    path.withUTF8Bytes { path in
      let name = path[((path.lastIndex(of: UInt8(ascii: "/")) ?? -1) + 1)...]
      guard name.starts(with: ToolName.prefix.utf8) else { return nil }
      let word = name.dropFirst(ToolName.prefix.utf8.count)
      return ToolName(rawValue: String(decoding: word, as: UTF8.self))?.tool
    }
  }

  private static func help(_ words: [String]) throws(UsageError) -> SuiteCall {
    guard let word = words.first, words != ["help"] else { return .text(HelpText.ofSuite) }
    if words.count > 1 { throw UsageError("help takes one tool, not also \(quoted(words[1]))") }
    if let topic = ManualTopic(rawValue: word) { return .text(topic.text) }
    return .help(try tool(word))
  }

  private static func tool(_ word: String) throws(UsageError) -> Tool {
    if let name = ToolName.allCases.first(where: { word == $0.rawValue || word == $0.command }) {
      return name.tool
    }
    if word.hasPrefix("-") {
      throw UsageError(
        "the tool comes first, then its flags; \(quoted(word)) is not a tool"
          + NearestNames.question(word, among: ["--help", "--version"]))
    }
    let owner = ToolName.allCases.first { $0.tool.subcommands.contains { $0.name == word } }
    let usual = [
      "buy": "topup", "grant": "topup", "hold": "authorize --hold", "log": "history",
      "version": "--version", "void": "authorize --void",
    ]
    let topic = ManualTopic(rawValue: word).map { "help \($0.rawValue)" }
    if let meant = usual[word] ?? owner.map({ "\($0.rawValue) \(word)" }) ?? topic {
      let call = quoted("\(ToolSuite.command) \(meant)")
      throw UsageError("there is no tool \(quoted(word)); did you mean \(call)?")
    }
    let names = ToolName.allCases.map { Name(trusted: $0.rawValue) }
    let hint = NearestNames.hint(NearestNames.completed(word, among: names))
    throw UsageError("there is no tool \(quoted(word))\(hint)")
  }
}

/// Makes UUIDs of version 7 with random bits, so that ids sort by time.
final class UUIDMaker {
  private let system: any SystemCalls
  /// Nil until the first id: most runs make none.
  private var state: (UInt64, UInt64)?

  init(seededBy system: any SystemCalls) { self.system = system }

  func make(at time: Timestamp) -> Name {
    // A state of zero would only ever make zeros.
    var (first, second) = state ?? (system.randomWord(), system.randomWord() | 1)
    defer { state = (first, second) }
    return UUIDText.name(at: time, Self.next(&first, &second), Self.next(&first, &second))
  }

  /// The next word of xoroshiro128** (Blackman and Vigna).
  private static func next(_ first: inout UInt64, _ second: inout UInt64) -> UInt64 {
    let word = rotated(first &* 5, by: 7) &* 9
    let mixed = first ^ second
    first = rotated(first, by: 24) ^ mixed ^ mixed << 16
    second = rotated(mixed, by: 37)
    return word
  }

  private static func rotated(_ word: UInt64, by count: UInt64) -> UInt64 {
    word << count | word >> (64 - count)
  }
}
