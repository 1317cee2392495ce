internal import CreditModel

extension Flag {
  static let onlyType = TextFlag(
    "type", "TYPE",
    .choice([
      "purchase", "subscription", "usage", "bonus", "adjustment", "transfer", "starter", "quota",
      "refund", "expiry",
    ]), group: .selection, "Only transactions of this type")

  static let onlyStatus = TextFlag(
    "status", "STATUS", .choice(["completed", "pending", "failed", "refunded", "scheduled"]),
    group: .selection, "Only transactions of this status")

  static let since = TimeFlag("since", group: .selection, "Only from this time on")

  static let until = TimeFlag("until", group: .selection, "Only before this time")

  static let month = TextFlag(
    "month", "YYYY-MM", group: .selection,
    "Only this month: in UTC if no zone is given")

  static let byRecord = Switch(
    "by-record", group: .selection, "Count work when it was charged, not when it was done")

  static let search = TextFlag(
    "search", "TEXT", group: .selection,
    "Only with this text in an id, the key or the product")

  static let onlyTag = ListFlag(
    "tag", "NAME=VALUE", .tag, group: .selection,
    "Only with this tag; may be given several times")

  static let onlyGrant = TextFlag("grant", "ID", group: .selection, "Only what this grant paid for")

  static let limit = NumberFlag(
    "limit", "N", .notNegative, group: .selection, "At most N: 20 if not given, 0 for all")

  static let offset = NumberFlag("offset", "N", .notNegative, group: .selection, "Skip the first N")

  static let page = Switch(
    "page", group: .selection, "Print one object with the transactions and their total number")

  static let follow = Switch(
    "follow", group: .action, "Print new transactions as they arrive, oldest first")

  static let after = TextFlag(
    "after", "ID", group: .action, "Print what came after a transaction, oldest first")

  static let cursor = Switch(
    "cursor", group: .action, "Add to each line the place after it, which --after takes")

  static let open = Switch(
    "open", group: .action, "Print authorizations neither charged nor voided, oldest first")

  static let receipt = TextFlag(
    "receipt", "AUTHORIZATION", .name(.charge), group: .action, "Print the receipt of a charge")

  static let wholeTransaction = TextFlag(
    "transaction", "ID", group: .action, "Print all of one top-up")
}

extension RequestReader {
  /// Visits whose history is asked for, and the time.
  func history() throws(CreditError) -> (account: Name, time: Timestamp?) {
    (try account() ?? .defaultAccount, try time(isOfReading: true))
  }
}

extension Tool {
  /// The selection of transactions, and the size of a page.
  private static let pageFlags: [Flag] = [
    .onlyType, .onlyStatus, .since, .until, .month, .timeZone, .byRecord, .onlyTag, .onlyGrant,
    .search,
    .limit, .offset, .page,
  ]

  public static let history = Tool(
    .history,
    summary: "Show the transactions of an account",
    request: { reader throws(CreditError) in _ = try reader.history() },
    flags: [.all.worded("The transactions of every account")] + pageFlags
      + [.follow, .after, .cursor, .open, .receipt, .wholeTransaction] + Flag.common,
    exclusions: [
      Exclusion(
        .open,
        [
          .onlyType, .onlyStatus, .byRecord, .onlyTag, .onlyGrant, .search, .follow, .after,
          .receipt, .wholeTransaction,
        ]),
      Exclusion(.all, [.account, .receipt, .wholeTransaction]),
      Exclusion(.wholeTransaction, pageFlags + [.receipt, .follow, .after]),
      Exclusion(.follow, [.page, .receipt, .limit, .offset]),
      Exclusion(.after, [.page, .receipt, .offset]),
      Exclusion(.month, [.since, .until]),
      Exclusion(.receipt, pageFlags),
    ],
    requirements: [
      Requirement(.follow, [.account, .all]), Requirement(.open, [.account, .all]),
      Requirement(.after, [.account, .all]), Requirement(.cursor, [.after, .follow]),
      Requirement(.byRecord, [.since, .until, .month]),
    ],
    wholeRequests: [
      CommandForm([.account, .all, .receipt, .wholeTransaction, .onlyGrant])
    ],
    run: { command throws(UsageError) in try command.runHistory() })
}
