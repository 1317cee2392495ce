/// The flags that every tool takes.
package enum CommonOptions {
  package static let all: [Option] = [
    Option(
      "store", .store, "PATH-OR-URL", group: .common, "The store",
      detail: """
        Without it, `$CREDIT_STORE` names the store, and without that it is
        `~/.local/share/credit`. A store named by flag or environment must exist. A URL names a
        store on a server, in builds that have that; one with a password in it is refused here.
        """),
    Option(
      "now", .time, "TIME", group: .common, "The time, instead of the system clock's",
      detail: """
        RFC 3339 with any offset. Without it, `$CREDIT_NOW` says the time.
        A write more than 5 minutes ahead of the system clock is `invalid_request`, unless the
        policy's clock is simulated. A replay writes nothing, so it is answered at any time.
        """),
    Option(
      "pass", group: .common, "Print the request with the result's members added",
      detail: """
        The result, or the error, replaces members of the same name; all others travel on
        to the next tool of a pipeline, but for `replayed`, which is an earlier result's.
        """),
    Option(
      "get", .text, "PATH", group: .common, "Print one member of each result, text unquoted",
      detail: """
        A path is made of names and indexes: `authorization.id`, `buckets.0.kind`.
        A member that is absent, and an error, is an empty line.
        """),
    Option("pretty", group: .common, "Print results indented, over several lines"),
    Option(
      "json", group: .common, "Print JSON on a terminal, too",
      detail: "Without it listings are aligned tables there."),
    Option("quiet", group: .common, "Say nothing about failed requests on standard error"),
    Option(
      "lock-timeout", .count, "SECONDS", group: .common,
      "How long to wait for the store's lock: 10 if not given",
      detail: "After that the request fails with `store_locked` and can be tried again."),
    Option(
      "no-sync", group: .common, "Do not wait for the disk: for simulations",
      detail: "What was reported can be lost if the machine stops."),
    Option("help", group: .common, "Print help"),
    Option("version", group: .common, "Print the version"),
  ]
}

/// Flags that several tools share.
enum SharedOptions {
  static let model = Option(
    "model", .text, "MODEL", member: "model", group: .request, "The model that was used",
    detail: """
      An id of the catalog or one of its aliases. It also takes the place of the model that a
      provider's response names.
      """)

  static let flat = Option(
    "flat", group: .usage, "The model needs no usage counts",
    detail: "For a model priced per request, or free.")

  static let response = Option(
    "response", group: .action, "Standard input is one provider response, whole or streamed",
    detail: """
      One JSON object, a JSON array of chunks, chunks one a line, or server-sent events.
      Counts that a stream repeats replace the earlier ones; they are not added.
      Empty input is `invalid_request`.
      """)

  static let usage: [Option] = [
    Option(
      "input-tokens", .integer, "N", member: "inputTokens", group: .usage,
      "Input tokens that came from no cache"),
    Option(
      "output-tokens", .integer, "N", member: "outputTokens", group: .usage,
      "Output tokens, reasoning included"),
    Option(
      "cache-read-tokens", .integer, "N", member: "cacheReadTokens", group: .usage,
      "Input tokens read from the provider's cache"),
    Option(
      "cache-write-tokens", .integer, "N", member: "cacheWriteTokens", group: .usage,
      "Input tokens written to the provider's cache"),
    Option(
      "units", .integer, "N", member: "units", group: .usage,
      "Units, for a model priced per unit"),
  ]

  /// A usage is of tokens or of units.
  static let unitsOrTokens = Exclusion(
    "units", usage.map(\.name).filter { $0 != "units" })

  /// The names of the flags that make a usage, `--flat` among them.
  static let usageNames = usage.map(\.name) + ["flat"]

  /// Any of them, as a part of a whole request.
  static let anyUsage = RequestForm.Part(usageNames)
}
