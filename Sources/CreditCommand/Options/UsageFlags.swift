internal import CreditModel

/// The flags that say what a model used. A tool that prices lists all of them, by `Flag.usage`, so
/// that a new one is declared here alone.
extension Flag {
  static let model = TextFlag(
    "model", "MODEL", .name(.model), member: "model", group: .request, "The model that was used",
    detail: """
      An id of the catalog or one of its aliases. It also takes the place of the model that a
      provider's response names.
      """)

  static let response = Switch(
    "response", group: .action, "Standard input is one provider response, whole or streamed",
    detail: """
      One JSON object, a JSON array of chunks, chunks one a line, or server-sent events.
      Counts that a stream repeats replace the earlier ones; they are not added.
      Empty input is `invalid_request`.
      """)

  static let responseHeaders = TextFlag(
    "headers", "FILE", .path, group: .action, "The headers that the response came with",
    detail: """
      As `curl -D FILE` writes them. `x-litellm-response-cost` becomes the reported cost, for models
      with `reportedCost`.
      """)

  static let partial = Switch(
    "partial", group: .action, "Accept an incomplete response and charge what it reports so far",
    detail: """
      Without it such a response is `cut_response`. The result says `"partial":true`.
      """)

  /// The counts, but for units.
  private static let counts: [Flag] = (0..<UsageCount.total).map { place in
    let row = UsageCount(at: place).row
    return NumberFlag(
      row.flag, "N", member: row.member, group: .usage, row.summary)
  }

  /// What a price depends on besides. None of them makes a usage.
  static let conditions: [Flag] = UsageCondition.allCases.map { condition in
    TextFlag(
      condition.flag, "VALUE", member: condition.member, group: .usage,
      condition.summary)
  }

  static let usedAt = TimeFlag(
    "used-at", member: "usedAt", group: .request, "When the work was done, if not now",
    detail: "The price is the one that was in force then.")

  private static let units = NumberFlag(
    "units", "N", member: "units", group: .usage, "Units, for a model priced per unit")

  private static let flat = Switch(
    "flat", group: .usage, "The model needs no usage counts",
    detail: "For a model priced per request, or free.")

  /// Every flag that makes a usage.
  static let usage: [Flag] = counts + [.units, .flat]

  /// A usage is of tokens or of units.
  static let unitsOrTokens = Exclusion(.units, counts + conditions)
}
