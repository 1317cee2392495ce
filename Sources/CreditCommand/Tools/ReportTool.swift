internal import CreditModel

extension Tool {
  /// `credit-report`: history on standard input → one HTML page.
  package static let report = Tool(
    .report,
    summary: "Turn an account's history into an HTML page",
    flags: [.quiet, .help, .version],
    run: { command throws(UsageError) in try command.runReport() },
    manual: { reportManual })

  private static var reportManual: Manual {
    Manual(
      synopsis: ["< transactions > page.html"],
      description: [
        .text(
          """
          Reads the lines that credit-history(1) prints and writes one HTML page that needs no
          other file and no network. It opens no store. A page holds 100,000 transactions at
          most; more are `limit_exceeded`.
          """),
        .text(
          """
          An error result among the lines ends it without a page, with that error's exit status.
          """),
      ],
      examples: [
        Example(
          "A page of everything:",
          "credit-history --account alice --limit 0 | credit-report > alice.html")
      ],
      errors: [.limitExceeded],
      seeAlso: ["credit-history"])
  }
}
