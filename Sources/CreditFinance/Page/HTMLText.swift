internal import CreditModel

extension String {
  /// Text as HTML: it contains no tag, no end of an attribute, and no mark of direction that
  /// affects other text.
  package var html: String {
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
}

extension String {
  /// Text as HTML that may break after the marks of ids, but not within a word.
  ///
  /// So two similar products remain distinguishable in a narrow column.
  package var foldableHTML: String {
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
  package var separated: String {
    var digits = String(magnitude)
    var groups: [String] = []
    while digits.utf8.count > 3 {
      groups.append(String(digits.suffix(3)))
      digits.removeLast(3)
    }
    groups.append(digits)
    return (self < 0 ? "−" : "") + groups.reversed().joined(separator: ",")
  }
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

  /// Returns a share of a whole in tenths of a percent, rounded half up; nil for a whole of 0.
  func perMille(of whole: Int128) -> Int128? { share(of: whole, in: 1000) }

  private func share(of whole: Int128, in parts: Int128) -> Int128? {
    guard whole > 0, self >= 0 else { return nil }
    return whole > AxisScale.limit ? self / (whole / parts) : (self * parts + whole / 2) / whole
  }

  /// `62%`, `0.4%`
  func percent(of whole: Int128) -> String {
    guard let tenths = perMille(of: whole), let percent = share(of: whole, in: 100) else {
      return ""
    }
    return tenths < 100 && tenths % 10 != 0 ? "\(tenths / 10).\(tenths % 10)%" : "\(percent)%"
  }
}

extension DecimalSum {
  /// `−12,345.60`
  package var separated: String {
    let parts = text.split(separator: ".", maxSplits: 1)
    let whole = Int128(parts[0]) ?? 0
    let fraction = parts.count > 1 ? "." + parts[1] : ""
    return (coefficient < 0 ? "−" : "") + whole.magnitude.separated + fraction
  }

  /// The number for people: rounded half up to at least two places and, if small, to its first two
  /// digits. `1.50`, `0.0021`.
  package var rounded: DecimalSum {
    var shown = 2
    var size = coefficient.magnitude
    // Places before the first digit that counts.
    var digits = 0
    while size > 0 {
      size /= 10
      digits += 1
    }
    if digits > 0 { shown = max(2, places - digits + 2) }
    var rounded = rounded(places: shown)
    if let coefficient = rounded.coefficient(places: max(2, rounded.places)) {
      rounded = DecimalSum(coefficient: coefficient, places: max(2, rounded.places))
    }
    return rounded
  }
}
