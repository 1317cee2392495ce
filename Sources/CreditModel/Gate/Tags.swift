/// Labels that a caller gives its work, for reports: names with a text each, in the given order.
///
/// A class, as most records have none.
public final class Tags: Equatable, Sendable {
  /// Names and values in turn: a list of texts is a type that every process has.
  private let texts: [String]

  /// The most tags that one record has.
  public static let countLimit = 16
  /// The most bytes of a name.
  public static let nameLimit = 64
  /// The most bytes of a value.
  public static let valueLimit = 256
  /// The most bytes of all names and values together.
  public static let byteLimit = 1024

  fileprivate init(_ texts: [String]) { self.texts = texts }

  /// Returns a text as a tag's value: without control characters, and the end of a long one, as
  /// ends differ more than beginnings.
  public static func value(of text: String) -> String {
    let text = text.withoutControlCharacters
    var end = text.utf8.suffix(valueLimit)
    if end.startIndex == text.startIndex { return text }
    // A scalar is kept whole or not at all.
    end = end.drop { $0 & 0xc0 == 0x80 }
    return String(Substring(end))
  }

  public func forEachTag<Failure>(
    _ body: (_ name: String, _ value: String) throws(Failure) -> Void
  ) throws(Failure) {
    for place in stride(from: 0, to: texts.count, by: 2) {
      try body(texts[place], texts[place + 1])
    }
  }

  public subscript(name: String) -> String? { Self.value(of: name, in: texts) }

  fileprivate static func value(of name: String, in texts: [String]) -> String? {
    for place in stride(from: 0, to: texts.count, by: 2)
    where texts[place].hasSameBytes(as: name) {
      return texts[place + 1]
    }
    return nil
  }

  /// Whether all tags of a list are among these.
  public func contains(_ others: Tags) -> Bool {
    var hasAll = true
    others.forEachTag { name, value in
      let isSame = self[name].map(value.hasSameBytes) ?? false
      hasAll = hasAll && isSame
    }
    return hasAll
  }

  /// Adds tags of others with further names, if there is room.
  public static func filling(_ tags: Tags?, from others: Tags?) -> Tags? {
    guard let others else { return tags }
    var list = TagList(tags)
    others.forEachTag { name, value in _ = list.add(name, value) }
    return list.tags
  }

  /// Returns a tag's fault, to follow its name in a message; nil if valid.
  public static func problem(_ name: String, _ value: String) -> String? {
    let isOfNames = name.utf8.allSatisfy { $0.isLetterOrDigit || "_-/".utf8.contains($0) }
    if name.isEmpty || name.utf8.count > nameLimit || !isOfNames {
      return "must have a name of 1 to \(nameLimit) of A-Z a-z 0-9 _ - /"
    }
    if value.utf8.count > valueLimit { return "is longer than \(valueLimit) bytes" }
    return nil
  }

  /// The same for a tag in a request. Records of earlier versions may have control characters in
  /// their tags, which would break lines and columns of results read as text.
  public static func problem(inRequest name: String, _ value: String) -> String? {
    if let problem = problem(name, value) { return problem }
    return value.hasControlCharacter ? "has a control character in it" : nil
  }

  public static func == (left: Tags, right: Tags) -> Bool {
    left.texts.count == right.texts.count
      && zip(left.texts, right.texts).allSatisfy { $0.hasSameBytes(as: $1) }
  }
}

public struct TagList {
  private var texts: [String] = []
  private var byteCount = 0

  public init(_ tags: Tags? = nil) { tags?.forEachTag { append($0, $1) } }

  /// Nil if the list is empty.
  public var tags: Tags? { texts.isEmpty ? nil : Tags(texts) }

  public var count: Int { texts.count / 2 }

  /// Adds a tag, unless it is there already.
  /// - Returns: the tag's fault, to follow its name in a message; nil if it has none.
  public mutating func add(_ name: String, _ value: String) -> String? {
    if let problem = Tags.problem(name, value) { return problem }
    if let known = Tags.value(of: name, in: texts) {
      return known.hasSameBytes(as: value) ? nil : "has two values"
    }
    if count == Tags.countLimit { return "is one tag too many: \(Tags.countLimit) are allowed" }
    if byteCount + name.utf8.count + value.utf8.count > Tags.byteLimit {
      return "would make the tags longer than \(Tags.byteLimit) bytes"
    }
    append(name, value)
    return nil
  }

  private mutating func append(_ name: String, _ value: String) {
    texts.append(name)
    texts.append(value)
    byteCount += name.utf8.count + value.utf8.count
  }
}
