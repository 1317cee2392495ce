/// A tool of the suite as one value, from which its parser, help, manual page and completions come.
package final class Tool: Sendable {
  /// The command's name: `credit-charge`.
  package let name: String
  /// The tool's purpose, in a line without a full stop.
  package let summary: String
  /// Every flag that it takes, under whichever subcommand.
  package let flags: [Flag]
  /// Empty but for a tool whose first argument says what to do.
  package let subcommands: [Subcommand]
  /// What messages call them.
  let subcommandNoun: String
  package let exclusions: [Exclusion]
  package let requirements: [Requirement]
  /// The forms that alone make a whole request.
  package let wholeRequests: [CommandForm]
  /// The forms for which a tool that takes a store opens none.
  let storeless: [CommandForm]
  /// Whether a command with arguments of its own follows the flags.
  package let takesCommand: Bool
  /// Does what the command line asks for, unless a subcommand does.
  let run: @Sendable (Command) throws(UsageError) -> Void
  /// The texts of help and manual page, kept out of the way of the parser.
  package let manual: @Sendable () -> Manual

  init(
    _ name: ToolName, summary: String, flags: [Flag], subcommands: [Subcommand] = [],
    subcommandNoun: String = "subcommand", exclusions: [Exclusion] = [],
    requirements: [Requirement] = [],
    wholeRequests: [CommandForm] = [], storeless: [CommandForm] = [], takesCommand: Bool = false,
    run: @escaping @Sendable (Command) throws(UsageError) -> Void = { _ in },
    manual: @escaping @Sendable () -> Manual
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
    self.manual = manual
  }

  /// Whether it works on a store.
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

/// A word after the tool's name that says what to do, with flags of its own.
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
