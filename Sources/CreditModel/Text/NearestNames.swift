/// Finds the names most similar to an unknown one, for messages only.
public enum NearestNames {
  /// The most names in a message.
  static let limit = 3

  /// Returns the nearest names, nearest first.
  ///
  /// They differ by edits of at most a third of the length, or one is a part of the other. Case
  /// does not count, nor does a prefix before a slash, such as a provider's name.
  public static func find(_ name: Name, among candidates: [Name]) -> [Name] {
    // A longer text is not a name.
    guard name.text.utf8.count <= Name.idLimit else { return [] }
    let wanted = Spelling(name)
    let ranked = candidates.compactMap { candidate in
      wanted.distance(to: Spelling(candidate)).map { (distance: $0, name: candidate) }
    }
    let sorted = ranked.sorted { ($0.distance, $0.name) < ($1.distance, $1.name) }
    var nearest: [Name] = []
    for entry in sorted where nearest.count < limit && !nearest.contains(entry.name) {
      nearest.append(entry.name)
    }
    return nearest
  }

  /// Returns the names that begin with a word of two letters or more, or else the nearest ones.
  public static func completed(_ word: String, among candidates: [Name]) -> [Name] {
    let begun = candidates.filter { word.utf8.count > 1 && $0.text.hasPrefix(word) }
    return begun.isEmpty ? find(Name(trusted: word), among: candidates) : begun
  }

  /// Returns the known name that an unknown one probably misspells.
  ///
  /// They differ in case, and by two letters at most; by one if the known one has up to five.
  public static func misspelt(_ name: String, among known: [String]) -> String? {
    near(Spelling.folded(name), among: known) { $0 > 5 ? 2 : 1 }.min { $0.edits < $1.edits }?.known
  }

  /// Returns the known texts that are some edits from one, each with their number.
  /// - Parameter reach: the most edits, by a known text's length.
  private static func near(
    _ wanted: [UInt8], among known: [String], reach: (Int) -> Int
  ) -> [(edits: Int, known: String)] {
    known.compactMap { known in
      let candidate = Spelling.folded(known)
      let reach = reach(candidate.count)
      guard abs(candidate.count - wanted.count) <= reach else { return nil }
      let edits = Spelling.distance(wanted[...], candidate[...])
      return edits <= reach ? (edits, known) : nil
    }
  }

  /// Returns the other names that differ from one by a slip of the hand, nearest first.
  ///
  /// That is one edit, two from eight letters on, case, or characters that look alike. Names that
  /// differ in their digits are a series. Short ones are alike by chance: of three letters a name
  /// counts alone, and only if it has the same letters or one more or less; of two it has a letter
  /// doubled. The domain of two addresses does not count.
  public static func similar(to name: Name, among candidates: [Name]) -> [Name] {
    let wanted = Spelling.folded(name.text)
    let digits = wanted.filter { (0x30...0x39).contains($0) }
    let near = candidates.compactMap { candidate -> (edits: Int, name: Name, isShort: Bool)? in
      if candidate == name { return nil }
      if candidate.text.looks(like: name.text) { return (0, candidate, false) }
      guard abs(candidate.text.utf8.count - wanted.count) <= 2 else { return nil }
      let other = Spelling.folded(candidate.text)
      guard other.filter({ (0x30...0x39).contains($0) }) == digits else { return nil }
      let (left, right) = Spelling.withoutSharedDomain(wanted, other)
      let least = min(left.count, right.count)
      let isDoubled = least > 1 && Spelling.withoutRepeats(left) == Spelling.withoutRepeats(right)
      let isFar = least < 3 && left != right && !isDoubled
      let edits = isFar ? 3 : Spelling.distance(left, right)
      guard edits <= (least < 8 ? 1 : 2) else { return nil }
      let isShort = least < 4 && edits > 0 && !isDoubled
      if isShort, left.count == right.count, left.sorted() != right.sorted() { return nil }
      return (edits, candidate, isShort)
    }
    // A chance likeness hides no name that differs in case alone.
    let isByChance = near.count > 1 && near.contains(where: \.isShort)
    let found = isByChance ? near.filter { $0.edits == 0 } : near
    return found.sorted { ($0.edits, $0.name) < ($1.edits, $1.name) }.prefix(limit).map(\.name)
  }

  /// Returns the ids that an unknown one probably misspells: by one edit, or two from eight letters
  /// on. None if more than three are so near, as the ids of a series are.
  public static func misspelt(_ id: Name, amongIDs known: [Name]) -> [Name] {
    let wanted = Spelling.folded(id.text)
    let near = near(wanted, among: known.map(\.text)) { _ in wanted.count < 8 ? 1 : 2 }
      .map { (edits: $0.edits, name: Name(trusted: $0.known)) }
    if near.count > limit { return [] }
    return near.sorted { ($0.edits, $0.name) < ($1.edits, $1.name) }.map(\.name)
  }

  /// Returns the end of a message with the nearest names, if any: `; the nearest is "gpt-4o"`.
  public static func hint(_ nearest: [Name]) -> String {
    if nearest.isEmpty { return "" }
    let names = nearest.map { quoted($0.text) }.joined(separator: ", ")
    return "; the nearest \(nearest.count == 1 ? "is" : "are") \(names)"
  }

  /// Returns the end of a message that asks for the name that an unknown one probably means or
  /// misspells: `; did you mean "purchase"?`. Empty if no name is near.
  public static func question(_ name: String, among known: [String]) -> String {
    let meant = usualWords[name].flatMap { known.contains($0) ? $0 : nil }
    return (meant ?? misspelt(name, among: known)).map { "; did you mean \(quoted($0))?" } ?? ""
  }

  /// Words of other programs, and the ones that they mean here.
  private static let usualWords = [
    "charge": "usage", "client": "tag.client", "customer": "account", "daily": "day",
    "date": "day", "dollars": "USD", "gift": "bonus", "grant": "bonus", "hourly": "hour",
    "md": "text", "monthly": "month", "no": "false", "paid": "completed", "pdf": "html",
    "project": "tag.project", "promo": "bonus", "succeeded": "completed", "table": "text",
    "team": "parent", "topup": "purchase", "user": "account", "weekly": "week", "yes": "true",
  ]
}

/// A name in the form for comparison.
private struct Spelling {
  /// In lower case.
  private let whole: [UInt8]
  /// The part after the last slash.
  private let core: ArraySlice<UInt8>

  /// The least length of a matching part.
  private static let partMinimum = 4

  init(_ name: Name) {
    let whole = Self.folded(name.text)
    let slash = whole.lastIndex(of: UInt8(ascii: "/"))
    self.whole = whole
    core = slash.map { whole[($0 + 1)...] } ?? whole[...]
  }

  /// Returns a text in lower case.
  static func folded(_ text: String) -> [UInt8] { Array(text.lowercased().utf8) }

  /// Returns a text in lower case, with one of the characters that look alike for all.
  static func seen(_ text: String) -> [UInt8] {
    folded(String(decoding: text.utf8.map { twins[$0] ?? $0 }, as: UTF8.self))
  }

  /// `1` and `I` look like `l`, `0` like `O`, and `_` like `-`.
  private static let twins: [UInt8: UInt8] = [0x31: 0x6c, 0x49: 0x6c, 0x30: 0x4f, 0x5f: 0x2d]

  /// Returns a text without a letter that follows itself.
  static func withoutRepeats(_ text: ArraySlice<UInt8>) -> [UInt8] {
    text.reduce(into: []) { if $0.last != $1 { $0.append($1) } }
  }

  /// Returns two texts in lower case without the `@` and the domain that both end in, if they do.
  static func withoutSharedDomain(_ left: [UInt8], _ right: [UInt8])
    -> (ArraySlice<UInt8>, ArraySlice<UInt8>)
  {
    let at = UInt8(ascii: "@")
    guard let leftEnd = left.lastIndex(of: at), let rightEnd = right.lastIndex(of: at),
      left[leftEnd...] == right[rightEnd...]
    else { return (left[...], right[...]) }
    return (left[..<leftEnd], right[..<rightEnd])
  }

  /// Returns how far two names are apart; nil if they are not alike.
  func distance(to other: Spelling) -> Int? {
    let edits = [Self.edits(whole[...], other.whole[...]), Self.edits(core, other.core)]
    if let least = edits.compactMap({ $0 }).min() { return least }
    let isLonger = core.count > other.core.count
    let (part, text) = isLonger ? (other.core, core) : (core, other.core)
    guard part.count >= Self.partMinimum, Self.contains(text, part) else { return nil }
    return 1 + (text.count - part.count) / 4
  }

  private static func contains(_ text: ArraySlice<UInt8>, _ part: ArraySlice<UInt8>) -> Bool {
    (text.startIndex...(text.endIndex - part.count)).contains { text[$0...].starts(with: part) }
  }

  /// Returns the edit distance; nil if it is more than a third of the length.
  ///
  /// A distance of up to 2 is never too far.
  private static func edits(_ left: ArraySlice<UInt8>, _ right: ArraySlice<UInt8>) -> Int? {
    let reach = max(2, max(left.count, right.count) / 3)
    guard abs(left.count - right.count) <= reach else { return nil }
    let distance = distance(left, right)
    return distance <= reach ? distance : nil
  }

  /// Returns the edit distance, in which two neighbours that changed places are one edit (optimal
  /// string alignment), one row at a time.
  static func distance(_ left: ArraySlice<UInt8>, _ right: ArraySlice<UInt8>) -> Int {
    let (left, right) = (Array(left), Array(right))
    var before: [Int] = []
    var row = Array(0...right.count)
    for i in left.indices {
      var next = [i + 1]
      for j in right.indices {
        var edits = min(row[j] + (left[i] == right[j] ? 0 : 1), next[j] + 1, row[j + 1] + 1)
        if i > 0, j > 0, left[i] == right[j - 1], left[i - 1] == right[j] {
          edits = min(edits, before[j - 1] + 1)
        }
        next.append(edits)
      }
      (before, row) = (row, next)
    }
    return row[right.count]
  }
}

extension String {
  /// Returns true if two texts differ only in hidden characters, in accents or their coding, or in
  /// characters that look alike.
  fileprivate func looks(like other: String) -> Bool {
    if utf8.allSatisfy({ $0 < 0x80 }), other.utf8.allSatisfy({ $0 < 0x80 }) {
      return utf8.count == other.utf8.count && Spelling.seen(self) == Spelling.seen(other)
    }
    let shown = [self, other].map { text in
      String(String.UnicodeScalarView(text.unicodeScalars.filter { !$0.isHidden }))
    }
    if shown[0] == shown[1] { return true }
    let accents = "\u{300}\u{301}\u{302}\u{303}\u{304}\u{308}\u{30A}\u{30C}\u{327}".unicodeScalars
    return shown[0].count == shown[1].count
      && zip(shown[0], shown[1]).allSatisfy { left, right in
        left == right
          || accents.contains { "\(left)\($0)" == "\(right)" || "\(right)\($0)" == "\(left)" }
      }
  }
}

extension String.UTF8View {
  /// Whether the bytes of a text are somewhere in these.
  public func contains(_ text: String) -> Bool {
    String(self).withUTF8Bytes { bytes in
      text.withUTF8Bytes { part in
        guard let first = part.first else { return true }
        var place = 0
        while place + part.count <= bytes.count {
          if bytes[place] == first,
            Bytes(rebasing: bytes[place..<place + part.count]).hasSameBytes(as: part)
          {
            return true
          }
          place += 1
        }
        return false
      }
    }
  }
}
