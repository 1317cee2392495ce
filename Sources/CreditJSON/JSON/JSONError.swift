package import CreditModel

/// Text that is not JSON, or more of it than the tools accept: what is wrong, and where.
package struct JSONError: Error, Equatable, Sendable {
  package let reason: Reason
  /// The line of the first wrong byte, from 1, counted from the first byte of what was scanned.
  package let line: Int
  /// The offset of the first wrong byte, from 0; at the end of the text where more was expected.
  package let offset: Int

  package init(_ reason: Reason, line: Int, offset: Int) {
    self.reason = reason
    self.line = line
    self.offset = offset
  }

  /// What a scan stumbled over.
  package enum Reason: Equatable, Sendable {
    case valueExpected
    case nameExpected
    case colonExpected
    case commaOrBraceExpected
    case commaOrBracketExpected
    case invalidNumber
    case controlCharacter
    case invalidEscape
    case loneSurrogate
    case invalidUTF8
    case byteOrderMark
    case textAfterValue
    case truncated
    case tooDeep
    case tooLong

    /// A phrase for a message: lower case, no full stop.
    package var message: String {
      switch self {
      case .valueExpected: "a JSON value is expected here"
      case .nameExpected: "a member name in quotes is expected here"
      case .colonExpected: "a colon is expected here"
      case .commaOrBraceExpected: "a comma or a closing brace is expected here"
      case .commaOrBracketExpected: "a comma or a closing bracket is expected here"
      case .invalidNumber: "a number is malformed"
      case .controlCharacter: "a string has a control character in it"
      case .invalidEscape: "a string has an escape that JSON does not know"
      case .loneSurrogate: "a string has half of a surrogate pair"
      case .invalidUTF8: "the text is not UTF-8"
      case .byteOrderMark: "a byte order mark is not allowed"
      case .textAfterValue: "text follows the value"
      case .truncated: "the text ends inside a value"
      case .tooDeep: "the value is nested more than \(JSONScanner.depthLimit) levels deep"
      case .tooLong: "the value is longer than \(JSONScanner.byteLimit >> 20) MiB"
      }
    }
  }
}

extension CreditError {
  /// Text that is no JSON.
  package init(malformed error: JSONError) {
    self.init(
      .invalidJSON, "line \(error.line), byte \(error.offset): \(error.reason.message)",
      [.line(error.line), .offset(error.offset)])
  }
}
