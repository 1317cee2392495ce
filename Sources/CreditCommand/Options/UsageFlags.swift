/// The flags that say what a model used. A tool that prices lists all of them, by `Flag.usage`, so
/// that a new one is declared here alone.
extension Flag {
  static let model = TextFlag(
    "model", "MODEL", member: "model", group: .request, "The model that was used",
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

  /// The counts of tokens.
  private static let tokenCounts: [Flag] = [
    NumberFlag(
      "input-tokens", "N", member: "inputTokens", group: .usage,
      "Input tokens that came from no cache"),
    NumberFlag(
      "output-tokens", "N", member: "outputTokens", group: .usage,
      "Output tokens, reasoning included"),
    NumberFlag(
      "cache-read-tokens", "N", member: "cacheReadTokens", group: .usage,
      "Input tokens read from the provider's cache"),
    NumberFlag(
      "cache-write-tokens", "N", member: "cacheWriteTokens", group: .usage,
      "Input tokens written to the provider's cache"),
  ]

  private static let units = NumberFlag(
    "units", "N", member: "units", group: .usage, "Units, for a model priced per unit")

  private static let flat = Switch(
    "flat", group: .usage, "The model needs no usage counts",
    detail: "For a model priced per request, or free.")

  /// Every flag that makes a usage.
  static let usage: [Flag] = tokenCounts + [.units, .flat]

  /// A usage is of tokens or of units.
  static let unitsOrTokens = Exclusion(.units, tokenCounts)
}
