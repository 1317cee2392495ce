internal import CreditJSON
internal import CreditModel

/// A tool as one value for its parser, help, manual page and completions.
package final class Tool: Sendable {
  /// The command's name: `credit-charge`.
  package let name: String
  /// The tool's purpose, in a line without a full stop.
  package let summary: String
  /// Every flag that it takes, under whichever subcommand.
  package let flags: [Flag]
  /// Empty unless the tool's first argument is a subcommand.
  package let subcommands: [Subcommand]
  /// Their name in messages.
  let subcommandNoun: String
  package let exclusions: [Exclusion]
  package let requirements: [Requirement]
  /// The forms that alone make a whole request.
  package let wholeRequests: [CommandForm]
  /// The forms for which a tool opens no store.
  let storeless: [CommandForm]
  /// Whether a command with arguments of its own follows the flags.
  package let takesCommand: Bool
  /// Does the command line's action, unless a subcommand does.
  let run: @Sendable (Command) throws(UsageError) -> Void
  /// The texts of help, which the parser does not load.
  package let help: @Sendable () -> ToolHelp

  init(
    _ name: ToolName, summary: String, flags: [Flag], subcommands: [Subcommand] = [],
    subcommandNoun: String = "subcommand", exclusions: [Exclusion] = [],
    requirements: [Requirement] = [],
    wholeRequests: [CommandForm] = [], storeless: [CommandForm] = [], takesCommand: Bool = false,
    run: @escaping @Sendable (Command) throws(UsageError) -> Void = { _ in },
    help: @escaping @Sendable () -> ToolHelp
  ) {
    self.name = name.command
    self.summary = summary
    self.flags = flags
    self.subcommands = subcommands
    self.subcommandNoun = subcommandNoun
    self.exclusions = exclusions
    self.requirements = requirements
    self.wholeRequests = wholeRequests
    self.storeless = storeless
    self.takesCommand = takesCommand
    self.run = run
    self.help = help
  }

  package var takesStore: Bool { flags.contains { $0.name == Flag.store.name } }

  /// Its flags and those of its subcommands, each once.
  package var allFlags: [Flag] {
    var flags = flags
    for flag in subcommands.flatMap(\.flags)
    where !flags.contains(where: { $0.name == flag.name }) {
      flags.append(flag)
    }
    return flags
  }

  /// Those of its flags that most tools take, in the order of `Flag.common`.
  package var commonFlags: [Flag] {
    let flags = allFlags
    return Flag.common.filter { flag in flags.contains { $0.name == flag.name } }
  }

  /// The line that `--version` prints.
  package var versionLine: String { "\(name) \(ToolSuite.version)" }
}

/// A word after the tool's name for an action, with its own flags.
package final class Subcommand: Sendable {
  package let name: String
  /// The subcommand's purpose, in a line without a full stop.
  package let summary: String
  package let flags: [Flag]
  package let exclusions: [Exclusion]
  /// Whether any number of files and folders may follow it.
  package let takesFiles: Bool
  /// More sentences for the manual page.
  package let detail: String
  let run: @Sendable (Command) throws(UsageError) -> Void

  init(
    _ name: String, _ summary: String, flags: [Flag], exclusions: [Exclusion] = [],
    takesFiles: Bool = false, detail: String,
    run: @escaping @Sendable (Command) throws(UsageError) -> Void
  ) {
    self.name = name
    self.summary = summary
    self.flags = flags
    self.exclusions = exclusions
    self.takesFiles = takesFiles
    self.detail = detail
    self.run = run
  }

  /// Its flags that are not common ones.
  package var ownFlags: [Flag] { flags.filter { $0.group != .common } }
}

extension ToolName {
  /// The requests that the tool reads on standard input; nil if it reads none. Each flag that is a
  /// member of a request is one here, too.
  var requestShape: JSONShape? {
    guard let others = unflaggedMembers else { return nil }
    let flags = tool.allFlags.filter { $0.member != nil }
    let usage = flags.filter { $0.group == .usage }.map(\.requestMember)
    var members = flags.filter { $0.group != .usage }.map(\.requestMember)
    if !usage.isEmpty {
      // A provider's own is any object; it is anywhere in its response.
      let shape = JSONShape.anyOf([.object(usage), .open([])])
      members.append(JSONMember("usage", shape, isRequired: false, summary: "What the model used"))
    }
    return .open(members + others)
  }

  /// The names of its requests' members; empty for a tool without requests.
  var requestNames: [String] {
    guard let others = unflaggedMembers else { return [] }
    let flags = tool.allFlags
    var names = flags.filter { $0.group != .usage }.compactMap { $0.member?.description }
    if flags.contains(where: { $0.group == .usage }) { names.append("usage") }
    return names + others.map(\.name)
  }

  /// The members of requests that no flag fills in; nil for a tool without requests.
  private var unflaggedMembers: [JSONMember]? {
    switch self {
    case .price, .charge: RequestShape.ofUsage + [RequestShape.now]
    case .topup: RequestShape.ofStoreKit + [RequestShape.now]
    case .authorize, .balance, .account, .history, .refund, .transfer: [RequestShape.now]
    case .run, .store, .doctor, .usage, .report, .reconcile: nil
    }
  }
}

extension Flag {
  /// The member of a request that the flag fills in.
  fileprivate var requestMember: JSONMember {
    JSONMember(
      "\(member ?? "")", self.memberShape, isRequired: false, summary: summary)
  }

  private var memberShape: JSONShape {
    switch kind {
    case .alone, .truth: .value(.truth)
    case .text(.tag): .map(.value(.text))
    case .text(.limit):
      .map(.anyOf([.value(.range(0...Credits.largestGrant)), .value(.words(["none", "plan"]))]))
    case .text(.list): .list(.value(.text))
    case .text(.choice(let words)): .value(.words(words))
    case .text: .value(placeholder == "DECIMAL" ? .numberOrDecimal : .text)
    case .number: .value(.integer)
    case .span: .value(.span)
    case .time: .value(.timeOrDay)
    case .authorization: .anyOf([.value(.text), .open([])])
    }
  }
}

/// The tools' common parts.
package enum ToolSuite {
  /// The command that runs any of them.
  package static let command = "credit"

  /// The version of every tool.
  package static let version = "1.0.0"

  /// The tools, in the order in which a reader meets them.
  package static var all: [Tool] { ToolName.allCases.map(\.tool) }
}

/// The tools there are, by the names of their commands after `credit-`: the one list of them,
/// beside `tools` in Package.swift, which names the executables.
package enum ToolName: String, CaseIterable, Sendable {
  case price, authorize, charge, topup, balance, account, history, refund, transfer, run, store
  case doctor
  case usage, report, reconcile

  /// The command's name: `credit-charge`.
  package var command: String { "credit-\(rawValue)" }

  package var tool: Tool {
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
