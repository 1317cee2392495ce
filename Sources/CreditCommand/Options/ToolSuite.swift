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

  /// Every generated file below the package's root.
  package static var generatedFiles: [GeneratedFile] {
    all.map { GeneratedFile(path: "man/\($0.name).1", text: ManualPage.page(of: $0)) } + [
      GeneratedFile(path: "man/credit-tools.7", text: ManualPage.overview),
      GeneratedFile(path: "completions/credit-tools.bash", text: BashCompletion.script(for: all)),
      GeneratedFile(path: "completions/_credit-tools", text: ZshCompletion.script(for: all)),
      GeneratedFile(path: "completions/credit-tools.fish", text: FishCompletion.script(for: all)),
    ]
  }
}

/// A file that is made from the tools' table and kept beside the sources.
package struct GeneratedFile: Sendable {
  /// Where it stands, relative to the package's root.
  package let path: String
  package let text: String
}
