public import CreditModel

extension String {
  /// Text as HTML: it contains no tag, no end of an attribute, and no mark of direction that
  /// affects other text.
  public var html: String {
    var html = ""
    for scalar in unicodeScalars {
      switch scalar {
      case "&": html += "&amp;"
      case "<": html += "&lt;"
      case ">": html += "&gt;"
      case "\"": html += "&quot;"
      case "'": html += "&#39;"
      case _ where scalar.isHidden && !scalar.isJoiner: html += scalar.escape
      default: html.unicodeScalars.append(scalar)
      }
    }
    return html
  }

  /// Text as HTML that may break after the marks of ids, but not within a word.
  ///
  /// So two similar products remain distinguishable in a narrow column.
  public var foldableHTML: String {
    var folded = ""
    var part = ""
    for character in self {
      part.append(character)
      if ".-_/:@+".contains(character) {
        folded += part.html + "<wbr>"
        part = ""
      }
    }
    return folded + part.html
  }
}

extension BinaryInteger {
  /// `-1,234,567`
  public var separated: String {
    var digits = String(magnitude)
    var groups: [String] = []
    while digits.utf8.count > 3 {
      groups.append(String(digits.suffix(3)))
      digits.removeLast(3)
    }
    groups.append(digits)
    return (self < 0 ? "−" : "") + groups.reversed().joined(separator: ",")
  }

  /// Returns the number of some things: `1 call`, `2,000 calls`.
  func counted(_ noun: String) -> String { "\(separated) \(noun)\(self == 1 ? "" : "s")" }
}

extension Int128 {
  /// A number of few digits for an axis: `2,500`, `250k`, `1.5M`.
  var brief: String {
    let units: [(Int128, String)] = [
      (1_000_000_000_000, "T"), (1_000_000_000, "B"), (1_000_000, "M"), (1000, "k"),
    ]
    guard magnitude >= 10_000, let (unit, letter) = units.first(where: { magnitude >= $0.0 })
    else { return separated }
    let tenths = self / (unit / 10)
    let fraction = (tenths % 10).magnitude
    return (tenths / 10).separated + (fraction == 0 ? "" : ".\(fraction)") + letter
  }

  /// Returns a share of a whole in parts of it, rounded half up; nil for a whole of 0.
  func share(of whole: Int128, in parts: Int128) -> Int128? {
    guard whole > 0, self >= 0 else { return nil }
    return whole > AxisScale.limit ? self / (whole / parts) : (self * parts + whole / 2) / whole
  }

  /// `62%`, `0.4%`
  func percent(of whole: Int128) -> String {
    guard let tenths = share(of: whole, in: 1000), let percent = share(of: whole, in: 100) else {
      return ""
    }
    return tenths < 100 && tenths % 10 != 0 ? "\(tenths / 10).\(tenths % 10)%" : "\(percent)%"
  }
}

extension ExactDecimal {
  /// `−12,345.60`
  public var separated: String { Self.separated(fullText) }

  /// The amount with the digits of its currency: `1,000` in JPY, `1.500` in KWD, `5.00` in USD.
  public func separated(in currency: String?) -> String {
    guard let currency else { return separated }
    return Self.separated(text(atLeast: Currency.minorDigits(of: currency)))
  }

  private static func separated(_ text: String) -> String {
    let parts = text.split(separator: ".", maxSplits: 1)
    let whole = Int128(parts[0]) ?? 0
    let fraction = parts.count > 1 ? "." + parts[1] : ""
    return (text.hasPrefix("-") ? "−" : "") + whole.magnitude.separated + fraction
  }

  var hundredths: Int128 {
    let limit = AxisScale.limit
    return min(max(roundedHalfToEven(places: 2).coefficient(atScale: 2) ?? limit, -limit), limit)
  }

  /// Returns true if this is at most another number; false if they are too far apart to compare.
  func isAtMost(_ other: ExactDecimal) -> Bool {
    adding(other.negated).map { $0.coefficient <= 0 } ?? false
  }

  /// Returns this number in hundredths of another, rounded half up: `3.37`. Nil of 0.
  func percent(of whole: ExactDecimal) -> ExactDecimal? {
    let target = max(scale, whole.scale)
    guard !whole.isZero, let part = coefficient(atScale: target),
      let all = whole.coefficient(atScale: target)
    else { return nil }
    let (scaled, overflow) = part.multipliedReportingOverflow(by: 10_000)
    if overflow { return nil }
    return ExactDecimal(scaled.divided(halfAwayFromZeroBy: all), places: 2)
  }
}

/// The places after the point that amounts of one column have, so that their points are in a line.
///
/// They are cents. An amount below ten cents has its first four digits, and its column with it.
///
/// In a currency they are its digits.
struct ShownPlaces {
  private(set) var count: Int
  private let usual: Int

  init(_ count: Int = 2) { (self.count, usual) = (count, count) }

  init(of currency: String) { self.init(Currency.minorDigits(of: currency)) }

  init(_ amounts: some Sequence<ExactDecimal?>, atLeast count: Int = 2) {
    self.init(count)
    for case let amount? in amounts { include(amount) }
  }

  mutating func include(_ amount: ExactDecimal) { count = max(count, needed(by: amount)) }

  /// Makes room for all places of an amount, but not for zeros behind a currency's digits.
  mutating func include(allOf amount: ExactDecimal) {
    let digits = amount.text(atLeast: usual).split(separator: ".").dropFirst().first
    count = max(count, digits?.utf8.count ?? 0)
  }

  /// Adds places, six at most, until all shown sums add up.
  /// - Returns: false if that needs more places.
  mutating func foot(_ addUp: (ShownPlaces) -> Bool) -> Bool {
    var wider = self
    for places in count...max(count, 6) {
      wider.count = places
      if addUp(wider) {
        self = wider
        return true
      }
    }
    return false
  }

  /// Whether the shown parts of a sum add up to the shown whole. True if the exact ones do not.
  func addsUp(_ parts: some Sequence<ExactDecimal?>, to whole: ExactDecimal?) -> Bool {
    var (exact, shown): (ExactDecimal?, ExactDecimal?) = (.zero, .zero)
    func add(_ amount: ExactDecimal) {
      exact = exact?.adding(amount)
      shown = shown?.adding(rounded(amount))
    }
    for case let part? in parts { add(part) }
    if let whole { add(whole.negated) }
    return exact?.isZero != true || shown?.isZero == true
  }

  private func needed(by amount: ExactDecimal) -> Int {
    if amount.isZero { return usual }
    let text = amount.size.text
    guard let point = text.firstIndex(of: "."), text.hasPrefix(usual == 0 ? "0." : "0.0") else {
      return usual
    }
    let fraction = text[text.index(after: point)...]
    let zeros = fraction.prefix { $0 == "0" }.utf8.count
    return max(usual, min(fraction.utf8.count, zeros + 4))
  }

  /// An amount of the column, rounded once, half to even as sums of revenue are.
  func text(_ amount: ExactDecimal) -> String { rounded(amount).separated }

  /// The same for a sentence or a table of text.
  func plain(_ amount: ExactDecimal) -> String { rounded(amount).fullText }

  /// An amount that is not 0 is never shown as 0: it keeps all its places.
  func rounded(_ amount: ExactDecimal) -> ExactDecimal {
    let rounded = amount.roundedHalfToEven(places: count)
    if rounded.isZero, !amount.isZero { return amount }
    return rounded.coefficient(atScale: count).map { ExactDecimal($0, places: count) } ?? rounded
  }
}
