internal import CreditJSON

/// A tool as one value for its parser, help, manual page and completions.
public final class Tool: Sendable {
  public let id: ToolName
  /// The command's name: `credit-charge`.
  public let name: String
  /// The tool's purpose, in a line without a full stop.
  public let summary: String
  /// Every flag that it takes, under whichever subcommand: first those of its requests.
  public let flags: [Flag]
  /// Visits the members of its requests; nil if it reads none.
  private let request: RequestRows?
  /// Empty unless the tool's first argument is a subcommand.
  public let subcommands: [Subcommand]
  let subcommandNoun: String
  public let exclusions: [Exclusion]
  public let requirements: [Requirement]
  public let wholeRequests: [CommandForm]
  let storeless: [CommandForm]
  /// Whether a command with arguments of its own follows the flags.
  public let takesCommand: Bool
  /// Does the command line's action, unless a subcommand does.
  let run: @Sendable (Command) throws(UsageError) -> Void

  init(
    _ id: ToolName, summary: String, request: RequestRows? = nil, flags: [Flag],
    subcommands: [Subcommand] = [],
    subcommandNoun: String = "subcommand", exclusions: [Exclusion] = [],
    requirements: [Requirement] = [],
    wholeRequests: [CommandForm] = [], storeless: [CommandForm] = [], takesCommand: Bool = false,
    run: @escaping @Sendable (Command) throws(UsageError) -> Void = { _ in }
  ) {
    self.id = id
    name = id.command
    self.summary = summary
    self.request = request
    var all = request.map { RequestList($0).flags } ?? []
    all += flags
    self.flags = all
    self.subcommands = subcommands
    self.subcommandNoun = subcommandNoun
    self.exclusions = exclusions
    self.requirements = requirements
    self.wholeRequests = wholeRequests
    self.storeless = storeless
    self.takesCommand = takesCommand
    self.run = run
  }

  public var takesStore: Bool { flags.lastIndex { $0 === Flag.store } != nil }

  /// Its flags and those of its subcommands, each once.
  public var allFlags: [Flag] {
    var flags = flags
    for flag in subcommands.flatMap(\.flags)
    where !flags.contains(where: { $0.name == flag.name }) {
      flags.append(flag)
    }
    return flags
  }

  /// Those of its flags that most tools take, in the order of `Flag.common`.
  public var commonFlags: [Flag] {
    let flags = allFlags.filter { $0.group == .common }
    return Flag.common.compactMap { flag in flags.first { $0.name == flag.name } }
  }

  /// The members of the requests that it reads on standard input; nil if it reads none.
  var requestMembers: [JSONMember]? { request.map { RequestList(wantsMembers: true, $0).members } }

  public var versionLine: String { "\(name) \(ToolSuite.version)" }
}

/// A word after the tool's name for an action, with its own flags.
public final class Subcommand: Sendable {
  public let name: String
  /// The subcommand's purpose, in a line without a full stop.
  public let summary: String
  public let flags: [Flag]
  public let exclusions: [Exclusion]
  /// Whether any number of files and folders may follow it.
  public let takesFiles: Bool
  let run: @Sendable (Command) throws(UsageError) -> Void

  init(
    _ name: String, _ summary: String, flags: [Flag], exclusions: [Exclusion] = [],
    takesFiles: Bool = false, run: @escaping @Sendable (Command) throws(UsageError) -> Void
  ) {
    self.name = name
    self.summary = summary
    self.flags = flags
    self.exclusions = exclusions
    self.takesFiles = takesFiles
    self.run = run
  }

  public var ownFlags: [Flag] { flags.filter { $0.group != .common } }
}

public enum ToolSuite {
  public static let command = "credit"

  public static let version = "1.0.0"

  /// The tools, in the order in which a reader meets them.
  public static var all: [Tool] { ToolName.allCases.map(\.tool) }

  /// The end of a message about a flag that other tools have: `; credit-report has it`.
  static func ending(on owners: [Tool]) -> String {
    guard let first = owners.first?.name else { return "" }
    if owners.count == 1 { return "; \(first) has it" }
    return "; \(first) and \(owners.count == 2 ? owners[1].name : "others") have it"
  }
}

/// The tools there are, by the names of their commands after `credit-`: the one list of them,
/// beside `tools` in Package.swift, which names the executables.
public enum ToolName: String, CaseIterable, Sendable {
  case price, authorize, charge, topup, balance, account, history, refund, transfer, run, store
  case doctor
  case usage, report, reconcile

  /// The command's name: `credit-charge`.
  public var command: String { Self.prefix + rawValue }

  static let prefix = "credit-"

  /// The past participle of what its requests do, for messages.
  var past: String {
    switch self {
    case .price: "priced"
    case .authorize: "authorized"
    case .charge: "charged"
    case .topup: "credited"
    case .refund: "refunded"
    case .account: "changed"
    case .transfer: "transferred"
    default: "done"
    }
  }

  public var tool: Tool {
    switch self {
    case .price: .price
    case .authorize: .authorize
    case .charge: .charge
    case .topup: .topup
    case .balance: .balance
    case .account: .account
    case .history: .history
    case .refund: .refund
    case .transfer: .transfer
    case .run: .run
    case .store: .store
    case .doctor: .doctor
    case .usage: .usage
    case .report: .report
    case .reconcile: .reconcile
    }
  }
}
