/// What ISO 4217 says of currencies.
package enum Currency {
  /// How many digits an amount has after the point: 2 where the standard says nothing else.
  ///
  /// Source: the list of currencies that the maintenance agency publishes (six-group.com), column
  /// "minor unit".
  package static func minorDigits(of code: String) -> Int {
    switch code {
    case "BIF", "CLP", "DJF", "GNF", "ISK", "JPY", "KMF", "KRW", "PYG", "RWF", "UGX", "UYI", "VND",
      "VUV", "XAF", "XOF", "XPF":
      0
    case "BHD", "IQD", "JOD", "KWD", "LYD", "OMR", "TND": 3
    case "CLF", "UYW": 4
    default: 2
    }
  }
}
