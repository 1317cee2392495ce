/// A page of the manual that is no tool's: `credit help policy` says where to read it.
package enum ManualTopic: String, CaseIterable, Sendable {
  case tutorial, tools, policy, payments, providers, server

  /// What the page is about.
  private var subject: String {
    switch self {
    case .tutorial: "the first hour with the credit tools"
    case .tools: "requests, results, errors and times, which the tools share"
    case .policy: "the members of the policy, the file with a store's rules"
    case .payments: "the way from a Stripe account to the first paid credits"
    case .providers: "what each provider counts, and how its responses end and fail"
    case .server: "stores on a PostgreSQL server"
    }
  }

  /// The section of the manual.
  private var section: Int { self == .policy ? 5 : 7 }

  /// The page's name with its section, as another page names it.
  package var page: String { "credit-\(rawValue)(\(section))" }

  /// The text that `credit help` prints of the topic, ending in a line break.
  var text: String {
    let more =
      self == .policy
      ? "credit-store policy --pretty prints the policy of your store; --check FILE checks one.\n"
      : ""
    return "\(page) has \(subject): man credit-\(rawValue)\n" + more
  }
}
