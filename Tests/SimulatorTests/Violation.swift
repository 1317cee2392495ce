import CreditModel

/// A forbidden result of the store.
struct Violation: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) {
    self.description = description
  }

  /// An error of the store without a cause.
  init(outOfNothing error: CreditError) {
    self.init("out of nothing: \(error.code.rawValue): \(error.message)")
  }
}
