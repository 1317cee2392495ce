/// The name of an account, or an id or key: text that is compared, ordered and hashed by its UTF-8
/// bytes, so that two spellings which merely look alike are two names.
package struct Name: Hashable, Comparable, Sendable {
  package let text: String

  /// Takes text that is known to be a name already: read back from the journal, or made by the
  /// tools.
  package init(trusted text: String) {
    self.text = text
  }

  /// The most bytes an account's name may have.
  package static let accountLimit = 128
  /// The most bytes an id or a key may have.
  package static let idLimit = 256

  /// Whose record it is that is nobody's any more: an account that was removed from the books, as
  /// others' records say it. No account has this name.
  package static let nobody = Name(trusted: "")

  /// The account of a request that names none.
  package static let defaultAccount = Name(trusted: "default")

  /// Checks text from outside: 1 to `limit` bytes, no control characters, no white space around it.
  /// - Returns: nil, or what is wrong with it, to follow the member's name in a message.
  package static func problem(with text: String, limit: Int) -> String? {
    let count = text.utf8.count
    if count == 0 { return "is empty" }
    if count > limit { return "is longer than \(limit) bytes" }
    if text.withUTF8Bytes(isPlain) { return nil }
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

  /// Returns true if text from outside is plain, and 1 to `limit` bytes long.
  ///
  /// Plain text is printable ASCII with no space around it: ``problem(with:limit:)`` finds nothing
  /// wrong with it.
  package static func isPlain(_ bytes: UnsafeRawBufferPointer, limit: Int) -> Bool {
    (1...limit).contains(bytes.count) && isPlain(bytes)
  }

  /// Returns true if all is printable ASCII, with no space around it.
  ///
  /// Most names are, and need no closer look. It looks at eight bytes at once.
  private static func isPlain(_ bytes: UnsafeRawBufferPointer) -> Bool {
    if bytes.first == 0x20 || bytes.last == 0x20 { return false }
    let ones: UInt64 = 0x0101_0101_0101_0101
    var others: UInt64 = 0
    var index = 0
    while index &+ 8 <= bytes.count {
      let word = bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)
      others |= (word &- 0x20 &* ones) | (word &+ ones) | word
      index &+= 8
    }
    while index < bytes.count {
      let byte = bytes[index]
      others |= UInt64((byte &- 0x20) | (byte &+ 1) | byte)
      index &+= 1
    }
    return others & (0x80 &* ones) == 0
  }

  package static func == (left: Name, right: Name) -> Bool {
    left.text.hasSameBytes(as: right.text)
  }

  package static func < (left: Name, right: Name) -> Bool {
    left.text.withUTF8Bytes { left in
      right.text.withUTF8Bytes { right in left.lexicographicallyPrecedes(right) }
    }
  }

  package func hash(into hasher: inout Hasher) {
    text.withUTF8Bytes { hasher.combine(bytes: $0) }
  }
}
