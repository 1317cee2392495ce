/// How one family of providers says where a response begins and ends: one row of
/// `ResponseForm.all`.
///
/// A class, so that a row is handed on as one reference.
final class ResponseForm: Sendable {
  /// Parts of a response that end each for itself, such as the choices of a chat.
  struct Parts: Sendable {
    /// The array of what a chunk says of the parts.
    let list: MemberPath
    /// A part's number; one without is 0.
    let index: MemberPath
    /// Why a part has ended; absent or `null` before.
    let reason: MemberPath
    /// The members of which one is there where a chunk has a piece of the part rather than all of
    /// it.
    let pieces: [MemberPath]
  }

  let name: StaticString
  /// The provider's page: for who reads or checks the table, not for the tools.
  let documentation: StaticString
  /// Each chunk has one of them of this form, and none in another's.
  let telling: [ResponseMark]
  /// In a chunk that begins a response, and in no other.
  let starts: [ResponseMark]
  /// In a chunk that is neither the last nor the whole of a response.
  let open: [ResponseMark]
  /// In a chunk after which nothing is due that is billed.
  let ends: [ResponseMark]
  /// In a chunk whose usage is final though the response may not have ended yet.
  let finals: [ResponseMark]
  let parts: Parts?
  /// Members that differ between one response and the next.
  let ids: [MemberPath]
  /// Whether the word that closes a stream of events ends the response.
  let endsByWord: Bool

  init(
    _ name: StaticString, _ documentation: StaticString, telling: [ResponseMark],
    starts: [ResponseMark] = [], open: [ResponseMark] = [], ends: [ResponseMark] = [],
    finals: [ResponseMark] = [], parts: Parts? = nil, ids: [MemberPath] = [],
    endsByWord: Bool = false
  ) {
    self.name = name
    self.documentation = documentation
    self.telling = telling
    self.starts = starts
    self.open = open
    self.ends = ends
    self.finals = finals
    self.parts = parts
    self.ids = ids
    self.endsByWord = endsByWord
  }

  /// The form of a chunk; nil for one that tells of none.
  static func of(_ chunk: SearchedObject) -> ResponseForm? {
    all.first { $0.telling.anyOccurs(in: chunk) }
  }

  /// Returns the id of a chunk's response; nil if the chunk has none.
  func id(of chunk: SearchedObject) -> String? {
    for path in ids {
      if let id = path.value(in: chunk)?.string, !id.isEmpty { return id }
    }
    return nil
  }
}
