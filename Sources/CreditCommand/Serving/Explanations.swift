internal import CreditModel

/// The errors of a run that are explained further: the first ones, as nobody reads thousands, and
/// an explanation takes time.
struct Explanations {
  private var rest = 20

  /// An error with what helps people, which its rule leaves out.
  mutating func explain(_ error: CreditError, by policy: Policy) -> CreditError {
    guard error.code == .unknownModel, rest > 0 else { return error }
    rest -= 1
    return policy.explained(error)
  }
}
