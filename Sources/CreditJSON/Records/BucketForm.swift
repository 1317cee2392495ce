internal import CreditModel

// Lists of credits, as records say them: buckets by kind and expiry, holds by expiry.
extension JSONWriter {
  /// `[{"bonus":5,"expiresAt":"2026-03-01T00:00:00.000Z"},{"starter":7}]`
  mutating func member(_ key: StaticString, _ buckets: some Sequence<Bucket>) {
    self.key(key)
    beginArray()
    for bucket in buckets {
      beginObject()
      member(bucket.kind.plainName, bucket.credits)
      if let expiresAt = bucket.expiresAt { member("expiresAt", expiresAt) }
      endObject()
    }
    endArray()
  }

  /// `["2026-02-19T11:00:32.000Z",5,"+32000",3,7,"+64000",2]`: when the first hold expires, what it
  /// sets aside, and from each `+` on how many milliseconds lie between one expiry and the next.
  /// Holds expire in steps, so that most are as far apart as the ones before them.
  mutating func holdList(_ holds: [HoldSum]) {
    guard var last = holds.first?.expiresAt else { return }
    beginArray()
    timestamp(last)
    var spacing: Int64 = 0
    for hold in holds {
      let distance = hold.expiresAt.milliseconds - last.milliseconds
      if distance != spacing { self.distance(distance) }
      spacing = distance
      last = hold.expiresAt
      integer(hold.credits)
    }
    endArray()
  }

  private mutating func distance(_ milliseconds: Int64) {
    withUnsafeTemporaryAllocation(byteCount: 24, alignment: 8) { text in
      guard let start = text.baseAddress else { return }
      text[0] = .quote
      text[1] = UInt8(ascii: "+")
      let count = 2 + JSONDigits.write(milliseconds.magnitude, to: start + 2)
      text[count] = .quote
      raw(UnsafeRawBufferPointer(rebasing: text[...count]))
    }
  }
}

extension RecordReader {
  mutating func buckets(_ cursor: inout RecordCursor) -> [Bucket] {
    cursor.expect("[")
    if cursor.skip("]") { return [] }
    var buckets: [Bucket] = []
    repeat {
      cursor.expect("{\"")
      let kind = bucketKind(&cursor)
      var bucket = Bucket(kind: kind, credits: cursor.integer())
      if cursor.skip(",\"expiresAt\":") { bucket.expiresAt = time(&cursor) }
      cursor.expect("}")
      buckets.append(bucket)
    } while cursor.skip(",")
    cursor.expect("]")
    return buckets
  }

  /// What was taken from which buckets.
  mutating func shares(_ cursor: inout RecordCursor) -> BucketShares {
    BucketShares(buckets(&cursor))
  }

  private func bucketKind(_ cursor: inout RecordCursor) -> Bucket.Kind {
    if cursor.skip("purchased\":") { return .purchased }
    if cursor.skip("starter\":") { return .starter }
    if cursor.skip("bonus\":") { return .bonus }
    cursor.expect("quota\":")
    return .quota
  }

  private static let longestDistance =
    Timestamp.latest.milliseconds - Timestamp.earliest.milliseconds

  /// What ``JSONWriter/holdList(_:)`` writes, after the opening bracket.
  mutating func holds(_ cursor: inout RecordCursor) -> [HoldSum] {
    var last = time(&cursor).milliseconds
    var spacing: Int64 = 0
    var holds: [HoldSum] = []
    while cursor.skip(",") {
      if cursor.skip("\"+") {
        let distance = cursor.integer()
        cursor.require(1...Self.longestDistance ~= distance && distance != spacing)
        spacing = distance
        cursor.expect("\",")
      }
      // The first one alone has none before it.
      cursor.require(holds.isEmpty == (spacing == 0))
      last &+= spacing
      cursor.require(last <= Timestamp.latest.milliseconds)
      holds.append(
        HoldSum(credits: cursor.integer(), expiresAt: Timestamp(milliseconds: last)))
      if cursor.hasFailed { break }
    }
    cursor.require(!holds.isEmpty)
    cursor.expect("]")
    return holds
  }
}
