/// Differences of dollars as prices say them: exact, of any number of digits.
enum DollarDifference {
  /// Returns `left` less `right`, with a minus sign if it is negative. Nil counts as 0.
  /// - Returns: nil if both are nil.
  static func text(_ left: String?, minus right: String?) -> String? {
    if left == nil, right == nil { return nil }
    let (left, right) = (Parts(left ?? "0"), Parts(right ?? "0"))
    let scale = max(left.fraction.count, right.fraction.count)
    let count = max(left.whole.count, right.whole.count) + scale
    let (first, second) = (left.digits(count, scale), right.digits(count, scale))
    let isNegative = first.lexicographicallyPrecedes(second)
    var difference = isNegative ? subtract(first, from: second) : subtract(second, from: first)
    while difference.count > scale + 1, difference.last == 0 { difference.removeLast() }
    let text = difference.withUnsafeBufferPointer { DecimalDigits.text($0, scale: scale) }
    return isNegative ? "-" + text : text
  }

  /// The digits of a decimal text before and after the point.
  private struct Parts {
    let whole: Substring.UTF8View
    let fraction: Substring.UTF8View

    init(_ text: String) {
      let point = text.utf8.firstIndex(of: UInt8(ascii: "."))
      whole = text[..<(point ?? text.endIndex)].utf8
      fraction = point.map { text[text.utf8.index(after: $0)...].utf8 } ?? ""[...].utf8
    }

    /// So many digits, the first one first, of which `scale` are after the point.
    func digits(_ count: Int, _ scale: Int) -> [UInt8] {
      var digits = [UInt8](repeating: 0, count: count - scale - whole.count)
      digits += whole.map { $0 - UInt8(ascii: "0") }
      digits += fraction.map { $0 - UInt8(ascii: "0") }
      digits += [UInt8](repeating: 0, count: scale - fraction.count)
      return digits
    }
  }

  /// The digits of a difference that is not negative, the last one first.
  private static func subtract(_ small: [UInt8], from large: [UInt8]) -> [UInt8] {
    var difference: [UInt8] = []
    var borrowed: UInt8 = 0
    for place in large.indices.reversed() {
      let wanted = small[place] + borrowed
      borrowed = large[place] < wanted ? 1 : 0
      difference.append(large[place] + 10 * borrowed - wanted)
    }
    return difference
  }
}
