import CreditModel

/// The state of a response after some chunks: begun, ended, or followed by another.
struct ResponseCourse {
  private(set) var form: ResponseForm?
  private(set) var hasSecond = false
  /// True after a response begins again under its id, until it ends as before.
  private(set) var repeats = false
  private var chunkCount = 0
  private var hasBegun = false
  /// Whether no further billed usage is due.
  private var hasEnded = false
  private var endedByWord = false
  /// Whether pieces of a response have come rather than a whole one.
  private var isInPieces = false
  private var endedInPieces = false
  private var finalUsage: ReportedUsage?
  private var hasUsage = false
  private var id: String?
  /// How many chunks in a row have had this id.
  private var idCount = 0
  private var parts = ResponseParts()

  /// The role of a chunk in its response.
  private struct Place {
    var isStart = false
    var isOpen = false
    var isEnd = false
    /// Whether it ends parts of which there were pieces.
    var endsPieces = false
  }

  /// Takes the next chunk and the usage known with it; nil without one.
  mutating func add(_ chunk: SearchedObject, usage: ReportedUsage?) {
    chunkCount += 1
    let known = form.flatMap { $0.telling.anyOccurs(in: chunk) ? $0 : nil }
    let form = known ?? ResponseForm.of(chunk)
    // A chunk without a known form is a whole response, or irrelevant.
    guard form != nil || usage != nil else { return }
    var place = Place(isEnd: true)
    if let form { place = self.place(of: chunk, form, hasUsage: usage != nil) }
    let id = form?.ids.first(in: chunk, \.word)
    if isSecond(chunk, place, form, id: id, usage) { hasSecond = true }
    if place.isStart, finalUsage != nil { repeats = true }
    if place.isStart { hasBegun = true }
    if place.isStart || place.isOpen { isInPieces = true }
    if place.isEnd { hasEnded = true }
    if place.endsPieces { endedInPieces = true }
    if let usage {
      hasUsage = true
      let isFinal = form?.finals.anyOccurs(in: chunk) == true
      if repeats {
        // Until its end it has less than the known usage.
        if place.isEnd || isFinal { repeats = usage != finalUsage }
      } else if hasEnded || isFinal {
        finalUsage = usage
      }
    }
    if let id { idCount = id == self.id ? idCount + 1 : 1 }
    self.id = id ?? self.id
    self.form = form ?? self.form
  }

  /// Takes the word that closes a stream of events.
  mutating func addWord() {
    guard form?.endsByWord ?? true else { return }
    hasEnded = true
    endedByWord = true
  }

  /// Whether one chunk has come that may be a whole response.
  var isSingle: Bool { chunkCount == 1 && !isInPieces }

  /// Whether all billed usage has been reported.
  /// - Parameter isStream: true if the response came as a stream, with any content.
  func isComplete(isStream: Bool) -> Bool {
    if !isStream, isSingle { return true }
    guard let form else { return hasUsage }
    if endedByWord { return true }
    // A chat's usage follows the reason why it ended.
    return hasEnded && (finalUsage != nil || !hasUsage && !form.endsByWord)
  }

  /// Whether the response is at its end: further text is of another one.
  func isOver(isStream: Bool) -> Bool {
    endedByWord || hasUsage && !isStream && isSingle
  }

  private mutating func place(of chunk: SearchedObject, _ form: ResponseForm, hasUsage: Bool)
    -> Place
  {
    var place = Place()
    place.isStart = form.starts.anyOccurs(in: chunk)
    place.isOpen = form.open.anyOccurs(in: chunk)
    place.isEnd = form.ends.anyOccurs(in: chunk)
    guard let rule = form.parts else {
      // Neither of these, it is a response as a whole.
      if hasUsage, !place.isStart, !place.isOpen, !form.finals.anyOccurs(in: chunk) {
        place.isEnd = true
      }
      return place
    }
    guard let list = rule.list.value(in: chunk), list.kind == .array else { return place }
    var isEmpty = true
    for part in list.elements {
      isEmpty = false
      switch parts.take(part, rule) {
      case .continues: place.isOpen = true
      case .ends: place.endsPieces = true
      case .isWhole: break
      }
    }
    let haveEnded = parts.open == 0 && parts.ended != 0
    if isEmpty ? hasUsage : haveEnded { place.isEnd = true }
    return place
  }

  private func isSecond(
    _ chunk: SearchedObject, _ place: Place, _ form: ResponseForm?, id: String?,
    _ usage: ReportedUsage?
  ) -> Bool {
    guard hasBegun || hasEnded || isInPieces else { return false }
    if endedByWord || form != nil && self.form != nil && form !== self.form {
      return place.isStart || place.isOpen || place.isEnd
    }
    let isSame = id != nil && id == self.id
    let isOther = id != nil && self.id != nil && id != self.id
    if place.isStart { return (hasBegun || hasEnded) && !isSame }
    // A continuing response never reports less than a final usage.
    let isLess = finalUsage.map { final in usage.map { !$0.includes(final) } ?? false } ?? false
    if !repeats, form?.finals.anyOccurs(in: chunk) == true { return isLess }
    if !hasEnded {
      // Some providers give each chunk an id of its own.
      return isOther && idCount > 1 && (place.isOpen || place.isEnd && !place.endsPieces)
    }
    if place.isOpen && !place.isEnd {
      return isOther || form?.ids.all.isEmpty == true || isLess && !repeats
    }
    guard let usage, let finalUsage, !repeats else { return false }
    let isPiece = place.endsPieces || endedInPieces && isSame
    let continues = usage == finalUsage || isPiece && !isLess
    return place.isEnd && (isOther || !continues)
  }
}

private struct ResponseParts {
  enum Piece {
    case continues
    case ends
    case isWhole
  }

  /// A bit for each part by its index: OpenAI's `n` is at most 128.
  private(set) var open: UInt128 = 0
  private(set) var ended: UInt128 = 0

  mutating func take(_ part: JSONValue, _ rule: ResponseForm.Parts) -> Piece {
    let index = rule.index.value(in: part)?.int64 ?? 0
    let bit: UInt128 = 1 &<< UInt128(truncatingIfNeeded: index)
    let isPiece = rule.pieces.contains { $0.isPresent(in: part) }
    if isPiece, !rule.reason.isPresent(in: part) {
      // Some providers repeat a part that has ended, with the usage.
      open |= bit & ~ended
      return .continues
    }
    open &= ~bit
    ended |= bit
    return isPiece ? .ends : .isWhole
  }
}

extension ReportedUsage {
  /// True if it may be a later usage of the same response.
  ///
  /// It has no less input, of whichever kind, and no less of anything else.
  fileprivate func includes(_ earlier: ReportedUsage) -> Bool {
    guard case .counts(.tokens(let tokens)) = self, case .counts(.tokens(let others)) = earlier
    else { return self == earlier }
    return tokens.totalInput >= others.totalInput
      && UsageCount.allCases.allSatisfy { $0.row.kind == .input || tokens[$0] >= others[$0] }
  }
}

/// How one family of providers marks a response's beginning and end: one row of `ResponseForm.all`.
///
/// A class, so that a row is passed as one reference.
public final class ResponseForm: Sendable {
  /// Parts of a response that end separately, such as the choices of a chat.
  public struct Parts: Sendable {
    /// The array of a chunk's parts.
    public let list: MemberPath
    /// A part's number; one without is 0.
    let index: MemberPath
    /// Why a part has ended; absent or `null` before.
    public let reason: MemberPath
    /// A piece of the part has one of these members; a whole part has none.
    let pieces: [MemberPath]
  }

  public let name: StaticString
  /// The provider's page: for who reads or checks the table, not for the tools.
  public let documentation: StaticString
  let telling: ResponseMarks
  let starts: ResponseMarks
  /// In a chunk that is neither the last nor the whole of a response.
  let open: ResponseMarks
  /// In a chunk after which no billed usage is due.
  public let ends: ResponseMarks
  /// Marks of a chunk whose usage is final before the response ends.
  public let finals: ResponseMarks
  public let parts: Parts?
  /// Members that differ between one response and the next.
  let ids: MemberPaths
  /// Whether the word that closes a stream of events ends the response.
  public let endsByWord: Bool

  init(
    _ name: StaticString, _ documentation: StaticString, telling: ResponseMarks,
    starts: ResponseMarks = [], open: ResponseMarks = [], ends: ResponseMarks = [],
    finals: ResponseMarks = [], parts: Parts? = nil, ids: MemberPaths = [],
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
}
