package import CreditModel

/// Why an event is not believed: the `reason` of an `unverified_transaction`.
package enum EventRejection: String, Error, CaseIterable, Sendable {
  case notConfigured = "not_configured"
  case noSignature = "no_signature"
  case badSignature = "bad_signature"
  case tooOld = "too_old"
  case wrongMode = "wrong_mode"

  /// The error that the request ends with.
  package var error: CreditError {
    CreditError(.unverifiedTransaction, message, [.reason(rawValue)])
  }

  private var message: String {
    switch self {
    case .notConfigured: "the policy's events do not name this format and the file of its secrets"
    case .noSignature: "the headers have no signature of the event that can be checked"
    case .badSignature: "the signature of the event does not match"
    case .tooOld: "the event was signed too long ago, or by a clock that is ahead"
    case .wrongMode: "the event is of the provider's test mode, and the policy takes live ones only"
    }
  }
}

/// One delivery of a webhook, raw, as it arrived: the signature covers the body's bytes.
package struct EventDelivery: Sendable {
  package let body: [UInt8]
  /// By their names in lower case.
  private var headers: [(name: String, value: String)] = []

  /// The most bytes of a body, and of all headers.
  package static let byteLimit = 1 << 20

  package init(body: [UInt8]) {
    self.body = body
  }

  /// Adds a header as HTTP has it: `Name: value`. One without a value is as if it were not there.
  /// - Returns: false if the text is not a header.
  package mutating func addHeader(_ line: String) -> Bool {
    guard let header = Self.header(line) else { return false }
    if !header.value.isEmpty { headers.append(header) }
    return true
  }

  /// Tells if text is a header as HTTP has it.
  package static func isHeader(_ line: String) -> Bool { header(line) != nil }

  private static func header(_ line: String) -> (name: String, value: String)? {
    guard let colon = line.utf8.firstIndex(of: UInt8(ascii: ":")) else { return nil }
    let name = line[..<colon].lowercased()
    let isToken = name.utf8.allSatisfy { 0x21...0x7e ~= $0 }
    guard isToken, !name.isEmpty else { return nil }
    return (name, trimmed(line[line.utf8.index(after: colon)...]))
  }

  private static func trimmed(_ text: Substring) -> String {
    var rest = text
    while let first = rest.utf8.first, first == 0x20 || first == 0x09 { rest = rest.dropFirst() }
    while let last = rest.utf8.last, last == 0x20 || last == 0x09 || last == 0x0d {
      rest = rest.dropLast()
    }
    return String(rest)
  }

  /// The id that Standard Webhooks give a message, which its signature covers.
  var messageID: Name? {
    values("webhook-id", "svix-id").first.flatMap { text in
      Name.problem(with: text, limit: Name.idLimit) == nil ? Name(trusted: text) : nil
    }
  }

  /// The values of the headers of one of some names, in lower case.
  func values(_ names: String...) -> [String] {
    headers.filter { names.contains($0.name) }.map(\.value)
  }
}
