/// The name of an account, or an id or key. It is compared, ordered and hashed by its UTF-8 bytes,
/// so that two spellings that merely look alike are two names.
package struct Name: Hashable, Comparable, Sendable {
  package let text: String

  /// Takes text that is known to be a name: from the journal, or made by the tools.
  package init(trusted text: String) {
    self.text = text
  }

  package static let accountLimit = 128
  /// The most bytes of an id or a key.
  package static let idLimit = 256

  /// Replaces the name of an account that was removed from the books in others' records. No account
  /// has it.
  package static let nobody = Name(trusted: "")

  /// The account of a request that names none.
  package static let defaultAccount = Name(trusted: "default")

  /// Checks text from outside: 1 to `limit` bytes, no control characters, no white space around it.
  /// - Returns: its fault, to follow the member's name in a message; nil if it is valid.
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

extension Name {
  /// The alias that covers this name: `gpt-5.4-mini-DATE` for `gpt-5.4-mini-2026-03-17`,
  /// `gpt-5.4-mini-20260317` and `gpt-5.4-mini-latest`; nil if it ends otherwise.
  package var datedAlias: Name? {
    let name = text.utf8
    for length in [10, 8, 6] where name.count > length + 1 {
      let ending = name.suffix(length)
      guard name[name.index(before: ending.startIndex)] == UInt8(ascii: "-"),
        ending.elementsEqual("latest".utf8) || Self.isDay(ending)
      else { continue }
      return Name(trusted: String(decoding: name.dropLast(length), as: UTF8.self) + "DATE")
    }
    return nil
  }

  /// Whether text is a day of the calendar: `2026-03-17` or `20260317`.
  private static func isDay(_ text: Substring.UTF8View) -> Bool {
    var day = String(decoding: text, as: UTF8.self)
    if text.count == 8 {
      day = "\(day.prefix(4))-\(day.dropFirst(4).prefix(2))-\(day.suffix(2))"
    }
    return Timestamp(text: day + "T00:00:00Z") != nil
  }
}
