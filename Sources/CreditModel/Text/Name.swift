// The bytes, texts and times that values are made of come with the values.
@_exported public import CreditBytes

/// The name of an account, or an id or key. It is compared, ordered and hashed by its UTF-8 bytes,
/// so that two spellings that merely look alike are two names.
public struct Name: Hashable, Comparable, Sendable {
  public let text: String

  /// Takes text that is known to be a name: from the journal, or made by the tools.
  public init(trusted text: String) { self.text = text }

  /// Takes text from outside; nil if it is no name.
  public init?(valid text: String?, limit: Int = Name.idLimit) {
    guard let text, Self.problem(with: text, limit: limit) == nil else { return nil }
    self.text = text
  }

  public static let accountLimit = 128
  /// The most bytes of an id or a key.
  public static let idLimit = 256

  /// Replaces the name of an account that was removed from the books in others' records. No account
  /// has it.
  public static let nobody = Name(trusted: "")

  /// The account of a request that names none.
  public static let defaultAccount = Name(trusted: "default")

  /// Returns an id made of this one: `c1:again`, `back:c1`. A long one loses its beginning.
  public func derived(_ start: String = "", _ end: String = "") -> Name {
    var rest = text[...]
    let room = Self.idLimit - start.utf8.count - end.utf8.count
    while rest.utf8.count > room || rest.first?.isWhitespace == true { rest = rest.dropFirst() }
    return Name(trusted: start + rest + end)
  }

  /// The id of a request in place of one that was undone, whose own id stays used.
  public var again: Name { derived("", ":again") }

  /// True if it ends or begins as the ids that answers suggest.
  public var isSuggested: Bool { text.hasSuffix(":again") || text.hasPrefix("back:") }

  /// Checks text from outside: 1 to `limit` bytes, no control characters, no white space around it.
  /// - Returns: its fault, to follow the member's name in a message; nil if it is valid.
  public static func problem(with text: String, limit: Int) -> String? {
    let count = text.utf8.count
    if count == 0 { return "is empty" }
    if count > limit { return "is longer than \(limit) bytes" }
    if text.withUTF8Bytes({ isPlain($0, limit: limit) }) { return nil }
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
  public static func isPlain(_ bytes: Bytes, limit: Int) -> Bool {
    1...limit ~= bytes.count && bytes[0] != 0x20 && bytes[bytes.count &- 1] != 0x20
      && bytes.isPrintable
  }

  public static func == (left: Name, right: Name) -> Bool { left.text.hasSameBytes(as: right.text) }

  public static func < (left: Name, right: Name) -> Bool {
    left.text.withUTF8Bytes { left in
      right.text.withUTF8Bytes { right in left.lexicographicallyPrecedes(right) }
    }
  }

  public func hash(into hasher: inout Hasher) { text.withUTF8Bytes { hasher.combine(bytes: $0) } }

  /// The alias that covers this name: `gpt-5.4-mini-DATE` for `gpt-5.4-mini-2026-03-17`,
  /// `gpt-5.4-mini-20260317` and `gpt-5.4-mini-latest`; nil if it ends otherwise.
  public var datedAlias: Name? {
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

/// Numbers names from 0 in the order in which they are added, and finds the number of each.
public struct NameTable: ~Copyable, Sendable {
  private var names: [String] = []
  private var numbers: HashTable

  public init(expecting count: Int = 0) { numbers = HashTable(expecting: count) }

  /// Returns the number of a name; nil if it was not added.
  public func number(of name: Name) -> Int? { name.text.withUTF8Bytes { number(of: $0) } }

  /// Returns the number of a name given as bytes; nil if it was not added.
  public func number(of name: Bytes) -> Int? { number(of: name, HashTable.hash(name)) }

  private func number(of name: Bytes, _ hash: UInt64) -> Int? {
    numbers.find(hash) { names[$0].hasSameBytes(as: name) }
  }

  /// Adds a name under the next number.
  /// - Returns: false if it was there already.
  public mutating func add(_ name: Name) -> Bool { enter(name).isNew }

  /// Returns a name's number; adds a new name under the next one.
  public mutating func enter(_ name: Name) -> (number: Int, isNew: Bool) {
    let hash = name.text.withUTF8Bytes { HashTable.hash($0) }
    if let number = name.text.withUTF8Bytes({ number(of: $0, hash) }) { return (number, false) }
    numbers.insert(hash, names.count)
    names.append(name.text)
    return (names.count - 1, true)
  }
}

/// UUIDs of version 7 (RFC 9562) as text: 48 bits of milliseconds, then other bits, so that ids
/// sort by time.
public enum UUIDText {
  /// Returns the lowercase text of a UUID.
  /// - Parameters:
  ///   - high: its last 12 bits follow the time.
  ///   - low: its last 62 bits are the rest.
  public static func name(at time: Timestamp, _ high: UInt64, _ low: UInt64) -> Name {
    let milliseconds = UInt64(clamping: time.milliseconds) & 0xffff_ffff_ffff
    return Name(
      trusted: text(
        milliseconds << 16 | 0x7000 | (high & 0x0fff),
        0x8000_0000_0000_0000 | (low & 0x3fff_ffff_ffff_ffff)))
  }

  private static func text(_ high: UInt64, _ low: UInt64) -> String {
    String(count: 36) { text in
      // Eight digits at a time; the last four may be shifted behind a dash.
      @inline(__always) func put(_ bits: UInt64, at first: Int, _ second: Int) {
        let digits = Hexadecimal.digits(UInt32(truncatingIfNeeded: bits))
        let (early, late) = (
          UInt32(truncatingIfNeeded: digits >> 32), UInt32(truncatingIfNeeded: digits)
        )
        text.storeBytes(of: early.bigEndian, toByteOffset: first, as: UInt32.self)
        text.storeBytes(of: late.bigEndian, toByteOffset: second, as: UInt32.self)
      }
      put(high >> 32, at: 0, 4)
      put(high, at: 9, 14)
      put(low >> 32, at: 19, 24)
      put(low, at: 28, 32)
      text[8] = UInt8(ascii: "-")
      text[13] = UInt8(ascii: "-")
      text[18] = UInt8(ascii: "-")
      text[23] = UInt8(ascii: "-")
    }
  }
}
