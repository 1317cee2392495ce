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
  /// Reads the 32 hexadecimal digits of a UUID, whatever stands between them.
  init?(uuid text: [UInt8]) {
    let digits = text.compactMap { Hexadecimal.value(of: $0).map(UInt64.init) }
    guard digits.count == 32 else { return nil }
    self.init(
      high: digits[..<16].reduce(0) { $0 << 4 | $1 },
      low: digits[16...].reduce(0) { $0 << 4 | $1 })
  }
}
