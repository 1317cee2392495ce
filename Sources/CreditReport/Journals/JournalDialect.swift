internal import CreditModel

/// A program that keeps books in double entry, and how its journals differ from the others'.
package enum JournalDialect: Sendable {
  case hledger, ledger, beancount

  /// Returns an account's name, with its own part such as a customer's name.
  /// - Parameter path: `assets:credits`.
  func account(_ path: String, _ part: String? = nil) -> String {
    switch self {
    case .hledger, .ledger: path + (part.map { ":" + Self.escaped($0) } ?? "")
    case .beancount:
      path.split(separator: ":").map(Self.capitalized).joined(separator: ":")
        + (part.map { ":N-" + Self.dashed($0) } ?? "")
    }
  }

  private static func capitalized(_ word: Substring) -> String {
    word.prefix(1).uppercased() + word.dropFirst()
  }

  /// A part of an account's name with nothing in it that ends a name or a part: other bytes than
  /// letters, digits and some marks are `%3A`. Two names are never written alike.
  private static func escaped(_ name: String) -> String {
    let marks = " ._@+-/#&".unicodeScalars
    var escaped = ""
    var last: Unicode.Scalar = " "
    for scalar in name.unicodeScalars {
      let isPlain =
        scalar.isASCII
        ? scalar.isLetterOrDigit || marks.contains(scalar)
        : !scalar.isHidden && !scalar.properties.isWhitespace
      if isPlain && !(scalar == " " && last == " ") {
        escaped.unicodeScalars.append(scalar)
      } else {
        for byte in String(scalar).utf8 { escaped += "%" + byte.hexadecimal }
      }
      last = scalar
    }
    return escaped
  }

  /// The same of letters, digits and hyphens alone: other bytes are `-3A`.
  private static func dashed(_ name: String) -> String {
    var dashed = ""
    for byte in name.utf8 {
      let scalar = Unicode.Scalar(byte)
      if scalar.isASCII && scalar.isLetterOrDigit {
        dashed.unicodeScalars.append(scalar)
      } else {
        dashed += "-" + byte.hexadecimal
      }
    }
    return dashed
  }
}

extension Unicode.Scalar {
  fileprivate var isLetterOrDigit: Bool {
    switch self {
    case "a"..."z", "A"..."Z", "0"..."9": true
    default: false
    }
  }
}

extension UInt8 {
  fileprivate var hexadecimal: String {
    (self < 16 ? "0" : "") + String(self, radix: 16).uppercased()
  }
}
