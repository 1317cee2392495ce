/// A share of a number as a bar.
enum Bar {
  /// The cells of a bar.
  static let width = 20

  /// A bar that is full where a number has come to the most that it may be, and begins as it is
  /// above 0.
  static func text(of number: Int64, upTo most: Int64) -> String {
    var cells = width
    if number < most {
      cells = Int(max(0, Int128(number)) * Int128(width) / Int128(most))
      if number > 0 { cells = max(1, cells) }
    }
    return String(repeating: "█", count: cells) + String(repeating: "░", count: width - cells)
  }
}
