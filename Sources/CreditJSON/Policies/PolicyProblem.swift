import CreditModel

/// A problem of a policy or catalog, with its path. The path grows from the inside out, so that
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
  /// - Parameter whole: what to call all of the file.
  func error(of whole: String) -> CreditError {
    let place = path.isEmpty ? whole : path
    return CreditError(.invalidPolicy, "\(plainOrQuoted(place)) \(problem)", [.path(place)])
  }

  /// Calls `body`, whose problems become errors of their paths.
  static func reported<Value>(
    of whole: String = "the policy", _ body: () throws(PolicyProblem) -> Value
  ) throws(CreditError) -> Value {
    do {
      return try body()
    } catch {
      throw error.error(of: whole)
    }
  }
}
