/// A span of time as people write it: `90s`, `15m`, `1h`, `30d`. Never negative.
package struct TimeSpan: Hashable, Comparable, Sendable {
  package let milliseconds: Int64

  package init(milliseconds: Int64) {
    self.milliseconds = milliseconds
  }

  package static func seconds(_ count: Int64) -> TimeSpan {
    TimeSpan(milliseconds: count * 1000)
  }

  package static func < (left: TimeSpan, right: TimeSpan) -> Bool {
    left.milliseconds < right.milliseconds
  }

  /// Reads a whole number and one unit: `s`, `m`, `h` or `d`.
  /// - Returns: nil if the text has another form or is more than 10,000 years.
  package init?(text: String) {
    guard let unit = text.utf8.last, text.utf8.count >= 2 else { return nil }
    let secondsPerUnit: Int64
    switch unit {
    case UInt8(ascii: "s"): secondsPerUnit = 1
    case UInt8(ascii: "m"): secondsPerUnit = 60
    case UInt8(ascii: "h"): secondsPerUnit = 3600
    case UInt8(ascii: "d"): secondsPerUnit = 86_400
    default: return nil
    }
    var count: Int64 = 0
    for byte in text.utf8.dropLast() {
      let digit = Int64(byte) - 48
      guard (0...9).contains(digit), count < 1_000_000_000_000 else { return nil }
      count = count * 10 + digit
    }
    let (seconds, overflow) = count.multipliedReportingOverflow(by: secondsPerUnit)
    guard !overflow, seconds <= 10_000 * 366 * 86_400 else { return nil }
    self = .seconds(seconds)
  }

  /// The text that says it with the largest unit that divides it.
  package var text: String {
    let seconds = milliseconds / 1000
    for (unit, secondsPerUnit) in [("d", Int64(86_400)), ("h", 3600), ("m", 60)]
    where seconds > 0 && seconds % secondsPerUnit == 0 {
      return "\(seconds / secondsPerUnit)\(unit)"
    }
    return "\(seconds)s"
  }
}
