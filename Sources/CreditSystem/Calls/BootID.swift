internal import CreditModel

/// A value that stays the same until the machine is started again.
package struct BootID: Hashable, Sendable {
  package let high: UInt64
  package let low: UInt64

  package init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }
}

extension BootID {
  /// Reads the 32 hexadecimal digits of a UUID, whatever is between them.
  init?(uuid text: [UInt8]) {
    var (high, low, count): (UInt64, UInt64, Int) = (0, 0, 0)
    for byte in text {
      guard let digit = Hexadecimal.value(of: byte) else { continue }
      high = high << 4 | low >> 60
      low = low << 4 | UInt64(digit)
      count += 1
    }
    guard count == 32 else { return nil }
    self.init(high: high, low: low)
  }
}
