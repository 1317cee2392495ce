import Foundation
import Testing

extension Trait where Self == ConditionTrait {
  /// A test that starts processes, plays random histories or reads large data. `make fast` leaves
  /// it out, by `CREDIT_FAST`: `swift test` of Swift 6.2 selects tests by name alone.
  static var slow: Self {
    .disabled(
      if: ProcessInfo.processInfo.environment["CREDIT_FAST"] == "1", "CREDIT_FAST leaves it out")
  }
}
