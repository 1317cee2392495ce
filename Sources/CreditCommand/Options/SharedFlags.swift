internal import CreditModel

extension Flag {
  static let account = TextFlag(
    "account", "NAME", .name(.account), group: .request,
    "The account: default if not given")

  static let authorization = AuthorizationFlag(
    "authorization", group: .request,
    "The authorization to charge, once")

  static let transaction = TextFlag(
    "transaction", "ID", group: .request,
    "The payment's id: unique in the store")

  static let key = TextFlag(
    "key", "KEY", group: .request,
    "An id of your own instead: unique within the account")

  static let reason = TextFlag("reason", "TEXT", group: .request, "Why, for the record")

  static let tag = ListFlag(
    "tag", "NAME=VALUE", .tag, group: .request,
    "A tag for reports; may be given several times")

  static let all = Switch("all", group: .selection, "Every account, in the order of the names")

  // MARK: Usage of a model

  static let model = TextFlag(
    "model", "MODEL", .name(.model), group: .request, "The model that was used")

  static let response = Switch(
    "response", group: .action, "Standard input is one provider response, whole or streamed")

  static let responseHeaders = TextFlag(
    "headers", "FILE", .path, group: .action, "The headers that the response came with")

  static let partial = Switch(
    "partial", group: .action, "Accept an incomplete response and charge what it reports so far")

  /// The counts, but for units.
  private static let counts: [Flag] = (0..<UsageCount.total).map { place in
    let row = UsageCount(at: place).row
    return NumberFlag(
      row.flag, "N", usagePart: .count(UsageCount(at: place)), group: .usage, row.summary)
  }

  /// Further conditions of a price. None of them makes a usage.
  static let conditions: [Flag] = UsageCondition.allCases.map { condition in
    TextFlag(
      condition.flag, "VALUE", usagePart: .condition(condition), group: .usage, condition.summary)
  }

  static let usedAt = TimeFlag("used-at", group: .request, "When the work was done, if not now")

  private static let units = NumberFlag(
    "units", "N", usagePart: .units, group: .usage, "Units, for a model priced per unit")

  static let flat = Switch("flat", group: .usage, "The model needs no usage counts")

  /// A tool that prices lists all of them, so that a new one is declared only here.
  static let usage: [Flag] = counts + [.units, .flat]

  static let usagePart = CommandForm.Part(
    usage,
    need: "say what was used: --input-tokens N --output-tokens N, --units N, --flat or --response")

  static let unitsOrTokens = Exclusion(.units, counts + conditions)

  // MARK: Every tool

  static let store = TextFlag("store", "PATH-OR-URL", .store, group: .common, "The store")

  static let now = TimeFlag("now", group: .common, "The time, instead of the system clock's")

  static let pass = Switch(
    "pass", group: .common, "Print the request with the result's members added")

  static let get = TextFlag(
    "get", "PATH,...", .members, group: .common, "Print members of each result, text unquoted")

  static let pretty = Switch("pretty", group: .common, "Print results indented, over several lines")

  static let json = Switch("json", group: .common, "Print JSON even on a terminal")

  static let resultFormat = TextFlag(
    "format", "FORMAT", .choice(["json", "text"]), group: .common,
    "JSON, or text laid out for reading, wherever it is printed")

  static let quiet = Switch("quiet", group: .common, "Say nothing about requests on standard error")

  static let lockTimeout = NumberFlag(
    "lock-timeout", "SECONDS", .notNegative, group: .common,
    "How long to wait for the store's lock: 10 if not given")

  static let noSync = Switch("no-sync", group: .common, "Do not wait for the disk: for simulations")

  static let dryRun = Switch("dry-run", group: .action, "Print the results, but write nothing")

  static let help = Switch("help", group: .common, "Print help")

  static let version = Switch("version", group: .common, "Print the version")

  /// Those of a tool that serves requests on a store.
  public static let common: [Flag] = [
    .store, .now, .pass, .get, .pretty, .json, .resultFormat, .quiet, .lockTimeout, .noSync, .help,
    .version,
  ]
}
