internal import CreditJSON

/// A word that stands for the request with it as its only member.
struct RequestWord {
  /// How such a word begins, as no JSON value may.
  let prefix: StaticString
  let member: StaticString

  /// The text of the request.
  func request(_ word: UnsafeRawBufferPointer) -> [UInt8] {
    var request = JSONWriter(capacity: word.count + 64)
    request.beginObject()
    request.key(member)
    request.string(utf8: word)
    request.endObject()
    return request.withBytes { [UInt8]($0) }
  }
}
