/// The tools that are built, and what they share.
package enum ToolSuite {
  /// The version of every tool.
  package static let version = "0.1.0"

  /// The tools, in the order in which a reader meets them. One that is left out has no manual page
  /// and no completions.
  package static let all: [Tool] = [
    .price, .authorize, .charge, .topup, .balance, .account, .history, .refund, .store,
    .report,
  ]
}
