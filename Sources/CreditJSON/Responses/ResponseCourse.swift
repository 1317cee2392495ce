import CreditModel

/// The state of a response after some chunks: begun, ended, or followed by another.
struct ResponseCourse {
  private(set) var form: ResponseForm?
  /// Whether there is a second response.
  private(set) var isDoubled = false
  private var chunkCount = 0
  private var hasBegun = false
  /// Whether nothing is due any more that is billed.
  private var hasEnded = false
  private var endedByWord = false
  /// Whether pieces of a response have come rather than a whole one.
  private var isInPieces = false
  /// The usage of a chunk that ended the response, or of a later one.
  private var finalUsage: ReportedUsage?
  private var hasUsage = false
  private var id: String?
  private var parts = ResponseParts()

  /// What a chunk is to its response.
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
    // What tells of no form is a response as a whole, or not of interest.
    guard form != nil || usage != nil else { return }
    var place = Place(isEnd: true)
    if let form { place = self.place(of: chunk, form, hasUsage: usage != nil) }
    let id = form?.id(of: chunk)
    if isSecond(chunk, place, form, id: id, usage) { isDoubled = true }
    if place.isStart { hasBegun = true }
    if place.isStart || place.isOpen { isInPieces = true }
    if place.isEnd { hasEnded = true }
    if let usage {
      hasUsage = true
      if hasEnded || form?.finals.anyOccurs(in: chunk) == true { finalUsage = usage }
    }
    self.id = id ?? self.id
    self.form = form ?? self.form
  }

  /// Takes the word that closes a stream of events.
  mutating func addWord() {
    guard form?.endsByWord ?? true else { return }
    hasEnded = true
    endedByWord = true
  }

  /// Whether all that is billed has been said.
  /// - Parameter isStream: whether the response came as a stream, whatever is in it.
  func isComplete(isStream: Bool) -> Bool {
    if !isStream, chunkCount == 1, !isInPieces { return true }
    guard let form else { return hasUsage }
    if endedByWord { return true }
    // A chat's usage follows the reason why it ended.
    return hasEnded && (finalUsage != nil || !hasUsage && !form.endsByWord)
  }

  /// Returns true if a response by itself is not a piece of one. Most are not.
  static func isWhole(_ response: SearchedObject) -> Bool {
    guard let form = ResponseForm.of(response) else { return true }
    if form.starts.anyOccurs(in: response) || form.open.anyOccurs(in: response) { return false }
    guard let rule = form.parts, let list = rule.list.value(in: response) else { return true }
    return !list.elements.contains { part in
      rule.pieces.contains { $0.isPresent(in: part) } && !rule.reason.isPresent(in: part)
    }
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
      case .goesOn: place.isOpen = true
      case .ends: place.endsPieces = true
      case .isWhole: break
      }
    }
    if isEmpty ? hasUsage : parts.haveEnded { place.isEnd = true }
    return place
  }

  /// Whether a chunk is of another response than those before it.
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
    guard hasEnded else { return false }
    if place.isOpen && !place.isEnd { return isOther || form?.ids.isEmpty == true }
    guard let usage, let finalUsage, form?.finals.anyOccurs(in: chunk) != true else { return false }
    let goesOn = isSame || usage == finalUsage || place.endsPieces && usage.follows(finalUsage)
    return place.isEnd && (isOther || !goesOn)
  }
}

/// The parts of a response that end each for itself.
private struct ResponseParts {
  enum Piece {
    case goesOn
    case ends
    case isWhole
  }

  private var open: [Int64] = []
  private var ended: [Int64] = []

  /// The most parts that are told apart; OpenAI's `n` is at most 128.
  private static let limit = 128

  /// Whether all parts that there were have ended.
  var haveEnded: Bool { open.isEmpty && !ended.isEmpty }

  /// Takes what a chunk says of one part.
  mutating func take(_ part: JSONValue, _ rule: ResponseForm.Parts) -> Piece {
    let index = rule.index.value(in: part)?.int64 ?? 0
    let isPiece = rule.pieces.contains { $0.isPresent(in: part) }
    if isPiece, !rule.reason.isPresent(in: part) {
      // Some providers repeat a part that has ended, with the usage.
      if !ended.contains(index) { Self.add(index, to: &open) }
      return .goesOn
    }
    open.removeAll { $0 == index }
    Self.add(index, to: &ended)
    return isPiece ? .ends : .isWhole
  }

  private static func add(_ index: Int64, to parts: inout [Int64]) {
    if parts.count < limit, !parts.contains(index) { parts.append(index) }
  }
}

extension ReportedUsage {
  /// Whether it may be a later usage of the same response: the same input and no less output.
  fileprivate func follows(_ earlier: ReportedUsage) -> Bool {
    guard case .counts(.tokens(let tokens)) = self, case .counts(.tokens(let others)) = earlier
    else { return false }
    return tokens.totalInput == others.totalInput && tokens.outputTokens >= others.outputTokens
  }
}
