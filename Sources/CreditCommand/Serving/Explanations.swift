internal import CreditModel

/// The errors of a run that are explained further: the first ones, as nobody reads thousands, and
/// an explanation takes time.
struct Explanations {
  private var rest = 20

  /// An error with what helps people, which its rule leaves out: the names that were likely meant.
  /// - Parameter nearestAccounts: finds the registered accounts whose names are nearest. They are
  ///   others', and no part of the result.
  mutating func explain(
    _ error: CreditError, by policy: Policy,
    nearestAccounts: (Name) throws(CreditError) -> [Name] = { _ in [] }
  ) -> CreditError {
    guard [.unknownModel, .unknownProduct, .unknownAccount].contains(error.code), rest > 0 else {
      return error
    }
    rest -= 1
    guard error.code == .unknownAccount else { return policy.explained(error) }
    var error = error
    for case .account(let name) in error.details {
      guard let nearest = try? nearestAccounts(name), !nearest.isEmpty else { continue }
      error.details.append(.hint(NearestNames.hint(nearest)))
    }
    return error
  }
}
