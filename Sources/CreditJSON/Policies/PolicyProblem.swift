import CreditModel

/// What is wrong with a policy or catalog, and where. Its path grows from the inside out, so that
/// reading what is right makes no paths.
struct PolicyProblem: Error {
  /// Empty for the whole, else like `products[2].credits`.
  private(set) var path: String
  let problem: String

  init(_ problem: String, at path: String = "") {
    self.path = path
    self.problem = problem
  }

  /// The same in the eyes of an object one of whose members it was found in.
  func inside(_ member: String) -> PolicyProblem {
    let joint = path.isEmpty || path.hasPrefix("[") ? "" : "."
    return PolicyProblem(problem, at: member + joint + path)
  }

  /// `invalid_policy` with the path.
  var error: CreditError {
    let place = path.isEmpty ? "the policy" : path
    return CreditError(.invalidPolicy, "\(plainOrQuoted(place)) \(problem)", [.path(place)])
  }

  /// Calls `body`, whose problems become errors of their paths.
  static func reported<Value>(_ body: () throws(PolicyProblem) -> Value) throws(CreditError)
    -> Value
  {
    do {
      return try body()
    } catch {
      throw error.error
    }
  }
}
