extension Flag {
  static let initialPolicy = TextFlag(
    "policy", "FILE", .path, group: .action, "The policy to start with, not the default")

  static let checkPolicy = TextFlag(
    "check", "FILE", .path, group: .action, "Check a policy and change nothing")

  static let setPolicy = TextFlag(
    "set", "FILE", .path, group: .action, "Check a policy and put it in place at once")

  static let roles = Switch("roles", group: .action, "Make the server's roles, too")

  static let dropDamaged = TextFlag(
    "drop-damaged", "FILE", .path, group: .action,
    "Leave out what cannot be read, and keep its bytes in FILE")

  static let seal = TextFlag("seal", "FILE", .path, group: .action, "Check the seals in FILE, too")

  static let sealedBefore = TextFlag(
    "after", "FILE", .path, group: .action, "Check first that the seals in FILE hold")

  static let pushTarget = TextFlag(
    "to", "STORE", .server, group: .action, "The store on a server to send to")

  static let rename = ListFlag(
    "rename", "OLD=NEW", group: .action, "Write an account under another name")

  static let without = ListFlag(
    "without", "ACCOUNT", .name(.account), group: .action, "Leave an account out permanently")

  static let doctorBelow = NumberFlag(
    "below", "N", group: .selection, "Warn of accounts with less than N credits")

  static let doctorVerify = Switch("verify", group: .selection, "Verify the whole store, too")

  static let checkAge = Switch("check-age", group: .selection, "Look at the age of the prices, too")
}

extension Tool {
  private static let results: [Flag] = [.get, .pretty, .json, .resultFormat]

  public static let store = Tool(
    .store,
    summary: "Make, check and keep a store of credits",
    flags: [.store, .now, .quiet, .lockTimeout, .noSync, .help, .version],
    subcommands: [
      Subcommand(
        "init", "Make a store", flags: [.initialPolicy, .roles] + results,
        run: { command throws(UsageError) in try command.initialize() }),
      Subcommand(
        "info", "Show where the store is and how large", flags: results,
        run: { command in command.inform() }),
      Subcommand(
        "policy", "Print, check or replace the policy",
        flags: [.checkPolicy, .setPolicy, .dryRun] + results,
        exclusions: [Exclusion(.checkPolicy, [.setPolicy])],
        run: { command throws(UsageError) in try command.changePolicy() }),
      Subcommand(
        "verify", "Recompute everything and compare", flags: [.seal] + results,
        run: { command throws(UsageError) in try command.verify() }),
      Subcommand(
        "seal", "Print the records' number and hash", flags: [.sealedBefore] + results,
        run: { command throws(UsageError) in try command.seal() }),
      Subcommand(
        "rebuild", "Rebuild the index from the journal",
        flags: [.dropDamaged] + results,
        run: { command throws(UsageError) in try command.rebuild() }),
      Subcommand(
        "export", "Print the store, one record a line", flags: [.rename, .without],
        run: { command throws(UsageError) in try command.export() }),
      Subcommand(
        "import", "Read what export printed into an empty store",
        flags: [.dryRun] + results,
        run: { command throws(UsageError) in try command.importStore() }),
      Subcommand(
        "push", "Send the store's records to a store on a server",
        flags: [.pushTarget] + results,
        run: { command throws(UsageError) in try command.push() }),
    ])

  public static let doctor = Tool(
    .doctor,
    summary: "Examine a store and what it needs",
    flags: [
      .doctorBelow, .checkAge, .doctorVerify, .store, .now, .get, .pretty, .json, .resultFormat,
      .quiet, .lockTimeout, .help, .version,
    ],
    run: { command in command.examine() })
}
