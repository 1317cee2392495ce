internal import CreditJSON

/// The names of files in the text of a policy that has been checked.
enum PolicyNames {
  /// The names as they are; nil where the text is no JSON.
  static func names(in text: [UInt8]) -> [(member: FileMember, name: String)]? {
    (try? JSONDocument(text))?.withRoot { policy in
      FileMember.all.compactMap { member in
        member.value(in: policy)?.string.map { (member, $0) }
      }
    }
  }

  /// The text with other names in their places, and otherwise as it is, byte for byte.
  static func replacing(_ names: [(member: FileMember, name: String)], in text: [UInt8])
    -> [UInt8]
  {
    guard !names.isEmpty, let document = try? JSONDocument(text) else { return text }
    var places = document.withRoot { policy in
      names.compactMap { member, name in
        member.value(in: policy).map { (range: document.range(of: $0), name: name) }
      }
    }
    places.sort { $0.range.lowerBound > $1.range.lowerBound }
    var text = text
    for (range, name) in places {
      var writer = JSONWriter(capacity: 256)
      writer.string(name)
      text.replaceSubrange(range, with: writer.withBytes { [UInt8]($0) })
    }
    return text
  }

  /// The text as the policy's author wrote it: with the names of what the store keeps that the
  /// author gave it.
  static func authorsText(_ text: [UInt8]) -> [UInt8] {
    let names = names(in: text) ?? []
    return replacing(
      names.compactMap { member, name in KeptFile.authorsName(of: name).map { (member, $0) } },
      in: text)
  }
}
