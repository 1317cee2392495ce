/// The name of an account, or an id or key: text that is compared, ordered and hashed by its UTF-8
/// bytes, so that two spellings which merely look alike are two names.
package struct Name: Hashable, Comparable, Sendable {
  package let text: String

  /// Takes text that is known to be a name already: read back from the journal, or made by the tools.
  package init(trusted text: String) {
    self.text = text
  }

  /// The most bytes an account's name may have.
  package static let accountLimit = 128
  /// The most bytes an id or a key may have.
  package static let idLimit = 256

  /// The account of a request that names none.
  package static let defaultAccount = Name(trusted: "default")

  /// Checks text from outside: 1 to `limit` bytes, no control characters, no white space around it.
  /// - Returns: nil, or what is wrong with it, to follow the member's name in a message.
  package static func problem(with text: String, limit: Int) -> String? {
    let count = text.utf8.count
    if count == 0 { return "is empty" }
    if count > limit { return "is longer than \(limit) bytes" }
    var isPlain = true
    for byte in text.utf8 where byte <= 0x20 || byte >= 0x7f { isPlain = false }
    if isPlain { return nil }
    let scalars = text.unicodeScalars
    if scalars.contains(where: { $0.properties.generalCategory == .control }) {
      return "has a control character in it"
    }
    if let first = scalars.first, let last = scalars.last,
      first.properties.isWhitespace || last.properties.isWhitespace
    {
      return "begins or ends with white space"
    }
    return nil
  }

  package static func == (left: Name, right: Name) -> Bool {
    withBytes(left, right) { left, right in
      left.count == right.count && left.elementsEqual(right)
    }
  }

  package static func < (left: Name, right: Name) -> Bool {
    withBytes(left, right) { left, right in left.lexicographicallyPrecedes(right) }
  }

  package func hash(into hasher: inout Hasher) {
    var text = text
    text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
  }

  private static func withBytes(
    _ left: Name, _ right: Name,
    _ body: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Bool
  ) -> Bool {
    var left = left.text
    var right = right.text
    return left.withUTF8 { left in
      right.withUTF8 { right in
        body(UnsafeRawBufferPointer(left), UnsafeRawBufferPointer(right))
      }
    }
  }
}
