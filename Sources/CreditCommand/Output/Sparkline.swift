/// Numbers over time as a line of small bars.
enum Sparkline {
  private static let bars: [Unicode.Scalar] = ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"]

  /// Returns the bars of some numbers, in their order. Nil if all are the same.
  /// - Parameter width: the most bars there may be: of more numbers, the last of each stretch.
  static func text(of numbers: [Int64], width: Int) -> String? {
    guard let low = numbers.min(), let high = numbers.max(), low < high, width > 0 else {
      return nil
    }
    let count = min(numbers.count, width)
    var text = ""
    for bar in 1...count {
      let number = numbers[bar * numbers.count / count - 1]
      let share = (Int128(number) - Int128(low)) * Int128(bars.count - 1)
      text.unicodeScalars.append(bars[Int(share / (Int128(high) - Int128(low)))])
    }
    return text
  }
}
