internal import CreditModel

// Lists of credits, as records say them: buckets by kind and expiry, holds by expiry.
extension JSONWriter {
  /// `[{"bonus":5,"expiresAt":"2026-03-01T00:00:00.000Z"},{"starter":7}]`; credits of a grant say
  /// which: `{"bonus":5,"grant":"0199…","number":3,"priority":10,"models":["claude-*"]}`.
  mutating func member(_ key: StaticString, _ buckets: some Sequence<Bucket>) {
    self.key(key)
    beginArray()
    for bucket in buckets { value(bucket) }
    endArray()
  }

  /// The same of shares, which are looked at one by one: their iterator takes memory.
  mutating func member(_ key: StaticString, _ shares: BucketShares) {
    self.key(key)
    beginArray()
    for place in 0..<shares.endIndex { value(shares[place]) }
    endArray()
  }

  private mutating func value(_ bucket: Bucket) {
    beginObject()
    member(bucket.kind.plainName, bucket.credits)
    terms(of: bucket)
    endObject()
  }

  private mutating func terms(of bucket: Bucket) {
    if let expiresAt = bucket.expiresAt { member("expiresAt", expiresAt) }
    if let grant = bucket.grant { members(of: grant) }
  }

  /// The same list of an account's buckets, of whose text most was made before.
  mutating func member(_ key: StaticString, _ buckets: ListedBuckets) {
    let text = buckets.terms.text(Self.text)
    self.key(key)
    beginLaidOut()
    text.bytes.withUnsafeBytes { bytes in
      var start = 0
      for (end, credits) in zip(text.ends, buckets.credits) {
        append(UnsafeRawBufferPointer(rebasing: bytes[start..<end]))
        append(credits)
        start = end
      }
      append(UnsafeRawBufferPointer(rebasing: bytes[start...]))
    }
    endLaidOut()
  }

  private static func text(of buckets: [Bucket]) -> BucketText {
    var writer = JSONWriter(capacity: 128 * buckets.count)
    var ends: [Int] = []
    writer.beginArray()
    for bucket in buckets {
      writer.beginObject()
      writer.key(bucket.kind.plainName)
      ends.append(writer.count)
      writer.endLaidOut()
      writer.terms(of: bucket)
      writer.endObject()
    }
    writer.endArray()
    return BucketText(bytes: writer.withBytes { Array($0) }, ends: ends)
  }

  private mutating func members(of grant: Grant) {
    member("grant", grant.id)
    member("number", grant.number)
    if grant.priority != Grant.usualPriority { member("priority", grant.priority) }
    if let models = grant.models { member("models", models) }
  }

  mutating func member(_ key: StaticString, _ models: ModelPatterns) {
    self.key(key)
    beginArray()
    for name in models.names { string(name.text) }
    endArray()
  }

  /// Grants that have not started, with the times when they do.
  mutating func scheduled(_ grants: [ScheduledGrant]) {
    member("scheduled", grants.map(\.bucket))
    key("startsAt")
    beginArray()
    for grant in grants { timestamp(grant.startsAt) }
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
      if cursor.skip(",\"grant\":") { bucket.grant = grant(&cursor) }
      cursor.expect("}")
      buckets.append(bucket)
    } while cursor.skip(",")
    cursor.expect("]")
    return buckets
  }

  /// A grant, after its first member's name.
  private mutating func grant(_ cursor: inout RecordCursor) -> Grant {
    let id = self.id(&cursor)
    cursor.expect(",\"number\":")
    let number = cursor.integer()
    var priority = Grant.usualPriority
    if cursor.skip(",\"priority\":") {
      priority = cursor.integer()
      cursor.require(Grant.priorities.contains(priority) && priority != Grant.usualPriority)
    }
    let models = cursor.skip(",\"models\":[") ? models(&cursor) : nil
    return Grant(id: id, number: number, priority: priority, models: models)
  }

  /// Names of models, after their opening bracket.
  mutating func models(_ cursor: inout RecordCursor) -> ModelPatterns {
    var names: [Name] = []
    repeat { names.append(textName(&cursor)) } while cursor.skip(",")
    cursor.expect("]")
    return ModelPatterns(trusted: names)
  }

  /// Grants that have not started, after the name of the list.
  mutating func scheduled(_ cursor: inout RecordCursor) -> [ScheduledGrant] {
    let buckets = self.buckets(&cursor)
    cursor.require(!buckets.isEmpty)
    cursor.expect(",\"startsAt\":[")
    var grants: [ScheduledGrant] = []
    for bucket in buckets {
      if !grants.isEmpty { cursor.expect(",") }
      grants.append(ScheduledGrant(bucket, startsAt: time(&cursor)))
    }
    cursor.expect("]")
    return grants
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
