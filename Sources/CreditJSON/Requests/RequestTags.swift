internal import CreditModel

extension RequestReader {
  /// Returns the tags of the request and the flags. No tag may have two values.
  /// - Parameter customID: a name that the request has by itself, a tag if there is room for it.
  /// - Throws: `invalid_request`.
  func tags(customID: String? = nil) throws(CreditError) -> Tags? {
    var flagged: Tags?
    if case .tags(let tags) = flags["tags"] { flagged = tags }
    let given = member("tags")
    if given == nil, customID == nil { return flagged }
    var list = TagList()
    if let given { try Self.read(given, into: &list) }
    try flagged?.forEachTag { name, value throws(CreditError) in
      if let problem = list.add(name, value) {
        throw Self.invalid("tag \(quoted(name)) of the request and of the flags \(problem)")
      }
    }
    if let customID { _ = list.add("custom_id", Self.clipped(customID.withoutControlCharacters)) }
    return list.tags
  }

  private static func read(_ tags: JSONValue, into list: inout TagList) throws(CreditError) {
    guard tags.isObject else {
      throw invalid("tags must be an object of names with texts, such as {\"project\":\"x\"}")
    }
    for (name, value) in tags.members {
      let name = name.string ?? ""
      guard let value = value.string else { throw invalid("tag \(quoted(name)) must be text") }
      if let problem = Tags.problem(inRequest: name, value) ?? list.add(name, value) {
        throw invalid("tag \(quoted(name)) \(problem)")
      }
    }
  }

  /// As much of a text's end as a tag can have, which tells more texts apart than their beginnings.
  private static func clipped(_ text: String) -> String {
    var end = text.utf8.suffix(Tags.valueLimit)
    if end.startIndex == text.startIndex { return text }
    // A scalar is kept whole or not at all.
    end = end.drop { $0 & 0xc0 == 0x80 }
    return String(Substring(end))
  }
}
