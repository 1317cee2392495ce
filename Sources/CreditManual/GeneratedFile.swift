internal import CreditCommand

/// A file that is made from the tools' table and kept beside the sources.
package struct GeneratedFile: Sendable {
  /// Its path, relative to the package's root.
  package let path: String
  package let text: String

  /// All of them.
  package static var all: [GeneratedFile] {
    let tools = ToolSuite.all
    return tools.map { GeneratedFile(path: "man/\($0.name).1", text: ManualPage.page(of: $0)) } + [
      GeneratedFile(path: "man/credit.1", text: ManualPage.suite),
      GeneratedFile(path: "man/credit-policy.5", text: ManualPage.policy),
      GeneratedFile(path: "man/credit-providers.7", text: ManualPage.providers),
      GeneratedFile(path: "man/credit-server.7", text: ManualPage.server),
      GeneratedFile(path: "man/credit-teams.7", text: ManualPage.teams),
      GeneratedFile(path: "man/credit-tools.7", text: ManualPage.overview),
      GeneratedFile(
        path: "completions/credit-tools.bash", text: BashCompletion.script(for: tools)),
      GeneratedFile(path: "completions/_credit-tools", text: ZshCompletion.script(for: tools)),
      GeneratedFile(
        path: "completions/credit-tools.fish", text: FishCompletion.script(for: tools)),
    ]
  }
}
