internal import CreditModel

/// The errors of a run that are explained further: the first different ones, as nobody reads
/// thousands, and an explanation takes time.
struct Explanations {
  /// By the message that they explain.
  private var known: [String: Explanation] = [:]

  private struct Explanation {
    let message: String
    let hint: String?
  }

  private static let limit = 20

  /// An error with what helps people, which its rule leaves out: the names that were likely meant.
  /// - Parameter nearestAccounts: finds the registered accounts whose names are nearest. They are
  ///   others', and no part of the result.
  mutating func explain(
    _ error: CreditError, by policy: Policy,
    nearestAccounts: (Name) throws(CreditError) -> [Name] = { _ in [] }
  ) -> CreditError {
    guard [.unknownModel, .unknownProduct, .unknownAccount].contains(error.code) else {
      return error
    }
    if known[error.message] == nil, known.count < Self.limit {
      known[error.message] = Explanation(
        message: policy.explained(error).message, hint: Self.hint(error, nearestAccounts))
    }
    guard let explanation = known[error.message] else { return error }
    let hint = explanation.hint.map { [CreditError.Detail.hint($0)] } ?? []
    return CreditError(error.code, explanation.message, error.details + hint)
  }

  private static func hint(
    _ error: CreditError, _ nearestAccounts: (Name) throws(CreditError) -> [Name]
  ) -> String? {
    guard error.code == .unknownAccount else { return nil }
    for case .account(let name) in error.details {
      guard let nearest = try? nearestAccounts(name), !nearest.isEmpty else { continue }
      return NearestNames.hint(nearest)
    }
    return nil
  }
}
