package import CreditModel

/// Reads requests of the plain form, and gathers those that follow one another to a run.
///
/// It reads a request once, from its first byte to its last, and takes it or leaves it: what it
/// leaves is read by the scanner and ``RequestReader``, which come to the same for what it takes.
package struct PlainRequests {
  /// What the tool's requests ask for: a charge may also be under an authorization.
  private let action: PlainRequest.Action
  /// Whether results are to be added to the requests.
  private let isPassed: Bool
  private var requests: ContiguousArray<PlainRequest> = []
  private var text: ContiguousArray<UInt8> = []

  /// How many requests are a run.
  private static let runLimit = 512

  package init(_ action: PlainRequest.Action, isPassed: Bool = false) {
    self.action = action
    self.isPassed = isPassed
  }

  package var isFull: Bool { requests.count >= Self.runLimit }

  /// Takes the request that bytes of the input begin with.
  /// - Parameter line: the line on which it stands.
  /// - Returns: how many bytes it has; 0 where it is not plain, or not all there.
  package mutating func take(from bytes: UnsafeRawBufferPointer, line: Int) -> Int {
    var cursor = PlainCursor(bytes, offset: text.count)
    guard var request = read(&cursor, line: line) else { return 0 }
    request.whole = PlainRequest.Part(start: text.count, count: cursor.position)
    if requests.count == Self.longCount { reserve() }
    requests.append(request)
    text.append(contentsOf: UnsafeRawBufferPointer(rebasing: bytes[..<cursor.position]))
    return cursor.position
  }

  /// How many requests show that a run is long. Of short ones there may be many at once.
  private static let longCount = 128

  /// Makes room for the rest of a long run: to grow what it is gathered in copies it.
  private mutating func reserve() {
    requests.reserveCapacity(Self.runLimit)
    text.reserveCapacity(text.count * Self.runLimit / Self.longCount)
  }

  /// The run of the requests that were taken; nil where there were none.
  package mutating func takeRun() -> PlainRun? {
    if requests.isEmpty { return nil }
    defer {
      requests = []
      text = []
    }
    return PlainRun(requests, isPassed: isPassed, text)
  }

  private func read(_ cursor: inout PlainCursor, line: Int) -> PlainRequest? {
    switch action {
    case .charge, .settle: return readCharge(&cursor, line: line)
    case .authorize: return readAuthorization(&cursor, line: line)
    case .topUp, .topUpByKey: return readTopUp(&cursor, line: line)
    }
  }

  private func readAuthorization(_ cursor: inout PlainCursor, line: Int) -> PlainRequest? {
    var request = PlainRequest(.authorize, line: line)
    // What the work is, for the charge that is to follow.
    var charge = PlainRequest(.charge, line: line)
    readMembers(&cursor) { (cursor) in
      if cursor.skip("account\":") {
        return cursor.text(into: &request.account, limit: Name.accountLimit)
      }
      if cursor.skip("authorization\":") {
        return cursor.text(into: &request.reference, limit: Name.idLimit)
      }
      return cursor.chargeMember(&charge)
    }
    return finished(request, cursor)
  }

  private func readTopUp(_ cursor: inout PlainCursor, line: Int) -> PlainRequest? {
    var request = PlainRequest(.topUp, line: line)
    var key = PlainRequest.Part.none
    // None yet.
    var credits: Int64 = -1
    readMembers(&cursor) { (cursor) in
      if cursor.skip("account\":") {
        return cursor.text(into: &request.account, limit: Name.accountLimit)
      }
      if cursor.skip("transaction\":") {
        return cursor.text(into: &request.reference, limit: Name.idLimit)
      }
      if cursor.skip("key\":") { return cursor.text(into: &key, limit: Name.idLimit) }
      if cursor.skip("product\":") {
        return cursor.text(into: &request.subject, limit: Name.idLimit)
      }
      return cursor.skip("credits\":") && credits < 0 && cursor.count(into: &credits)
    }
    // A transaction or a key, a product or credits, and not both.
    cursor.require((request.reference.count > 0) != (key.count > 0))
    cursor.require((request.subject.count > 0) != (credits > 0) && credits != 0)
    request.credits = max(0, credits)
    if key.count > 0 { request = request.topUp(byKey: key) }
    return finished(request, cursor)
  }

  private func readCharge(_ cursor: inout PlainCursor, line: Int) -> PlainRequest? {
    var request = PlainRequest(.charge, line: line)
    var authorization = PlainRequest.Part.none
    var owner = PlainRequest.Part.none
    var balance: Int64 = -1
    readMembers(&cursor) { cursor in
      if cursor.skip("account\":") {
        return cursor.text(into: &request.account, limit: Name.accountLimit)
      }
      if cursor.skip("authorization\":") {
        return cursor.authorization(id: &authorization, account: &owner)
      }
      // What a passed result of `credit-authorize` says besides.
      if cursor.skip("balance\":") { return balance < 0 && cursor.count(into: &balance) }
      return cursor.chargeMember(&request)
    }
    cursor.require(request.hasUsage && request.subject.count > 0)
    if authorization.count > 0 {
      cursor.require(
        request.account.count == 0 || owner.count == 0 || cursor.areSame(request.account, owner))
      // A key beside an authorization is passed over.
      return finished(settling(request, authorization, owner), cursor)
    }
    cursor.require(request.reference.count > 0)
    return finished(request, cursor)
  }

  /// The charge as one under an authorization.
  private func settling(
    _ charge: PlainRequest, _ authorization: PlainRequest.Part, _ owner: PlainRequest.Part
  ) -> PlainRequest {
    var request = PlainRequest(.settle, line: charge.line)
    request.account = owner.count > 0 ? owner : charge.account
    request.reference = authorization
    request.subject = charge.subject
    request.counts = charge.counts
    return request
  }

  @inline(__always)
  private func readMembers(
    _ cursor: inout PlainCursor, _ member: (inout PlainCursor) -> Bool
  ) {
    cursor.expect("{\"")
    repeat { cursor.require(member(&cursor)) } while cursor.skip(",\"")
    cursor.expect("}")
  }

  private func finished(_ request: PlainRequest, _ cursor: PlainCursor) -> PlainRequest? {
    cursor.hasFailed ? nil : request
  }
}
