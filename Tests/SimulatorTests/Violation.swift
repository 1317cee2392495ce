import CreditModel

/// What the store did that it must not do.
struct Violation: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) {
    self.description = description
  }

  /// An error of the store that nothing has caused.
  init(outOfNothing error: CreditError) {
    self.init("out of nothing: \(error.code.rawValue): \(error.message)")
  }
}
