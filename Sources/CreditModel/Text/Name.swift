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

/// Numbers names from 0 in the order of adding, and finds their numbers.
///
/// A process's first dictionary would cost more than the rest of a request: the runtime searches
/// the whole program for the hashing of its keys.
package struct NameTable: Sendable {
  private var names: [String] = []
  /// Open addressing: a name's number plus one is at the place of its hash, or soon after it. 0 is
  /// a free place; at least half of them are.
  private var places: [Int] = []

  /// - Parameter capacity: the expected number of names.
  package init(capacity: Int = 0) {
    if capacity > 0 { makePlaces(for: capacity) }
  }

  /// Returns the number of a name; nil if it was not added.
  package func number(of name: Name) -> Int? {
    name.text.withUTF8Bytes { number(of: $0) }
  }

  /// Returns the number of a name given as bytes; nil if it was not added.
  package func number(of name: UnsafeRawBufferPointer) -> Int? {
    if names.isEmpty { return nil }
    let number = places[place(of: name)] - 1
    return number < 0 ? nil : number
  }

  /// Adds a name under the next number.
  /// - Returns: false if it was there already.
  package mutating func add(_ name: Name) -> Bool { enter(name).isNew }

  /// Returns a name's number; adds a new name under the next one.
  package mutating func enter(_ name: Name) -> (number: Int, isNew: Bool) {
    if 2 * names.count >= places.count { makePlaces(for: 2 * names.count) }
    let place = place(of: name)
    if places[place] != 0 { return (places[place] - 1, false) }
    names.append(name.text)
    places[place] = names.count
    return (names.count - 1, true)
  }

  /// Returns the place of a name, or the place it would have.
  private func place(of name: Name) -> Int {
    name.text.withUTF8Bytes { place(of: $0) }
  }

  private func place(of name: UnsafeRawBufferPointer) -> Int {
    let mask = places.count - 1
    var place = Int(truncatingIfNeeded: Self.hash(name)) & mask
    while places[place] != 0, !names[places[place] - 1].hasSameBytes(as: name) {
      place = (place + 1) & mask
    }
    return place
  }

  /// Differs in each process, so that users cannot choose names with equal hashes.
  private static let seed = UInt64(truncatingIfNeeded: Hasher().finalize()) | 1

  /// Returns a hash of a name's bytes, by multiplication as in wyhash: a fifth of the instructions
  /// of `Hasher`. It differs in each process.
  package static func hash(_ bytes: UnsafeRawBufferPointer) -> UInt64 { hash(bytes, seed) }

  /// Returns the hash of a process with this seed, which is odd.
  @inline(__always)
  static func hash(_ bytes: UnsafeRawBufferPointer, _ seed: UInt64) -> UInt64 {
    let factor = 0x9E37_79B9_7F4A_7C15 ^ seed << 1
    // As many bits as a word, so that no letters cancel out a length.
    var hash = seed &+ UInt64(truncatingIfNeeded: bytes.count) &* 0xD6E8_FEB8_6659_FD93
    func mix(_ word: UInt64) {
      let product = (hash ^ word).multipliedFullWidth(by: factor)
      hash = product.high ^ product.low &+ seed
    }
    guard let base = bytes.baseAddress, bytes.count > 0 else { return hash }
    // The last words may overlap those before them.
    let count = bytes.count
    if count >= 8 {
      var index = 0
      while index &+ 8 < count {
        mix((base + index).loadUnaligned(as: UInt64.self))
        index &+= 8
      }
      mix((base + (count &- 8)).loadUnaligned(as: UInt64.self))
    } else if count >= 4 {
      let first = UInt64(base.loadUnaligned(as: UInt32.self))
      mix(first << 32 | UInt64((base + (count &- 4)).loadUnaligned(as: UInt32.self)))
    } else {
      let first = UInt64(base.load(as: UInt8.self))
      let middle = UInt64((base + count >> 1).load(as: UInt8.self))
      mix(first << 16 | middle << 8 | UInt64((base + (count &- 1)).load(as: UInt8.self)))
    }
    return hash
  }

  /// Makes places for `count` names, and moves the existing names to new ones.
  private mutating func makePlaces(for count: Int) {
    var placeCount = 8
    while placeCount < 2 * count { placeCount *= 2 }
    places = [Int](repeating: 0, count: placeCount)
    for (number, name) in names.enumerated() {
      places[place(of: Name(trusted: name))] = number + 1
    }
  }
}
