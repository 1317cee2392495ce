internal import CreditModel

// Lists of credits: buckets by kind and expiry, holds by expiry.

/// Buckets: `[{"bonus":5,"expiresAt":"2026-03-01T00:00:00.000Z"},{"starter":7}]`.
enum BucketList: MemberForm {
  static func write(_ value: borrowing [Bucket], to writer: inout JSONWriter) {
    writer.beginArray()
    for bucket in copy value { writer.recordedBucket(bucket) }
    writer.endArray()
  }
  static func read(_ reader: inout RecordReader) -> [Bucket]? { reader.buckets() }
  static var shape: JSONShape { .list(.recordedBucket) }
}

/// The buckets that had some credits: the same list.
enum Shares: MemberForm {
  static func write(_ value: borrowing BucketShares, to writer: inout JSONWriter) {
    writer.beginArray()
    // They are looked at one by one, as their iterator takes memory.
    for place in 0..<value.endIndex { writer.recordedBucket(value[place]) }
    writer.endArray()
  }
  static func read(_ reader: inout RecordReader) -> BucketShares? {
    BucketShares(reader.buckets())
  }
  static var shape: JSONShape { .list(.recordedBucket) }
}

/// An account's buckets with terms: the same list, of whose text most was made before.
enum TermBuckets: MemberForm {
  static func write(_ value: borrowing ListedBuckets, to writer: inout JSONWriter) {
    let text = value.terms.text(text)
    let credits = value.credits
    writer.beginRawValue()
    text.bytes.withBytes { bytes in
      var start = 0
      for (end, credits) in zip(text.ends, credits) {
        writer.append(Bytes(rebasing: bytes[start..<end]))
        writer.append(credits)
        start = end
      }
      writer.append(Bytes(rebasing: bytes[start...]))
    }
    writer.endRawValue()
  }

  private static func text(of buckets: [Bucket]) -> BucketText {
    var writer = JSONWriter(capacity: 128 * buckets.count)
    var ends: [Int] = []
    writer.beginArray()
    for bucket in buckets {
      writer.beginObject()
      writer.key(bucket.kind.plainName)
      ends.append(writer.count)
      writer.endRawValue()
      _ = writer.terms(bucket.expiresAt, bucket.grant)
      writer.endObject()
    }
    writer.endArray()
    return BucketText(bytes: writer.withBytes { Array($0) }, ends: ends)
  }

  static func read(_ reader: inout RecordReader) -> ListedBuckets? {
    let buckets = reader.buckets()
    let haveTerms = buckets.allSatisfy { $0.expiresAt != nil || $0.grant != nil }
    return haveTerms ? ListedBuckets(buckets) : nil
  }

  static var shape: JSONShape { .list(.recordedBucket) }
}

extension JSONWriter {
  fileprivate mutating func recordedBucket(_ bucket: Bucket) {
    beginObject()
    key(bucket.kind.plainName)
    integer(bucket.credits)
    _ = terms(bucket.expiresAt, bucket.grant)
    endObject()
  }
}

extension RecordReader {
  fileprivate mutating func buckets() -> [Bucket] {
    cursor.expect("[")
    if cursor.skip("]") { return [] }
    return elements { reader in
      reader.cursor.expect("{")
      let kind = reader.bucketKind()
      var bucket = Bucket(kind: kind, credits: reader.cursor.integer())
      (bucket.expiresAt, bucket.grant) = reader.terms(nil, nil)
      reader.cursor.expect("}")
      return bucket
    }
  }

  private mutating func bucketKind() -> Bucket.Kind {
    for kind in [Bucket.Kind.purchased, .starter, .bonus] where cursor.skipMember(kind.plainName) {
      return kind
    }
    require(cursor.skipMember("quota"))
    return .quota
  }
}

extension MemberVisitor where Self: ~Copyable {
  /// Visits the members that distinguish a bucket from the plain one of its kind:
  /// `"expiresAt":"…","grant":"0199…","number":3,"priority":10,"models":["claude-*"]`.
  fileprivate mutating func terms(_ expiresAt: Timestamp?, _ known: Grant?) -> (Timestamp?, Grant?)
  {
    let expiresAt = optional("expiresAt", expiresAt, Time.self)
    let id = optional("grant", known?.id, ID.self)
    let number = member("number", known?.number, Whole.self, if: id != nil)
    let priority = member("priority", known?.priority, Whole.self, unless: Grant.usualPriority)
    let models = optional("models", known?.models, Models.self)
    guard let id, let number else {
      require(priority == Grant.usualPriority && models == nil)
      return (expiresAt, nil)
    }
    require(Grant.priorities.contains(priority))
    return (expiresAt, Grant(id: id, number: number, priority: priority, models: models))
  }
}

extension JSONShape {
  fileprivate static var recordedBucket: JSONShape {
    var terms = ShapeRecorder()
    _ = terms.terms(nil, nil)
    return .named(
      "bucket",
      .choice(terms.members, oneOf: Bucket.Kind.allCases.map { .integer($0.rawValue) }))
  }
}

/// Holds: `["2026-02-19T11:00:32.000Z",5,"+32000",3,7,"+64000",2]`.
///
/// The first expiry comes first, then its credits. Each `+` gives the milliseconds from one expiry
/// to the next from there on. Holds expire in steps, so that the spacing seldom changes.
enum Holds: MemberForm {
  static func write(_ value: borrowing [HoldSum], to writer: inout JSONWriter) {
    let holds = copy value
    guard var last = holds.first?.expiresAt else { return }
    writer.beginArray()
    writer.timestamp(last)
    var spacing: Int64 = 0
    for hold in holds {
      let distance = hold.expiresAt.milliseconds - last.milliseconds
      if distance != spacing { write(distance: distance, to: &writer) }
      spacing = distance
      last = hold.expiresAt
      writer.integer(hold.credits)
    }
    writer.endArray()
  }

  private static func write(distance milliseconds: Int64, to writer: inout JSONWriter) {
    withTemporaryBytes(byteCount: 24, alignment: 8) { text in
      text[0] = .quote
      text[1] = UInt8(ascii: "+")
      let count = 2 + JSONDigits.write(milliseconds.magnitude, to: text, at: 2)
      text[count] = .quote
      writer.raw(Bytes(rebasing: text[...count]))
    }
  }

  private static let longestDistance =
    Timestamp.latest.milliseconds - Timestamp.earliest.milliseconds

  static func read(_ reader: inout RecordReader) -> [HoldSum]? {
    reader.cursor.expect("[")
    var last = reader.time().milliseconds
    var spacing: Int64 = 0
    var holds: [HoldSum] = []
    while reader.cursor.skip(",") {
      if reader.cursor.skip("\"+") {
        let distance = reader.cursor.integer()
        reader.require(1...Self.longestDistance ~= distance && distance != spacing)
        spacing = distance
        reader.cursor.expect("\",")
      }
      // Only the first one has no spacing.
      reader.require(holds.isEmpty == (spacing == 0))
      last &+= spacing
      reader.require(last <= Timestamp.latest.milliseconds)
      holds.append(
        HoldSum(credits: reader.cursor.integer(), expiresAt: Timestamp(milliseconds: last)))
      if reader.cursor.hasFailed { break }
    }
    reader.cursor.expect("]")
    return holds.nonEmpty
  }

  // A time, credits, and from each `+` on the milliseconds between two expiries.
  static var shape: JSONShape { .list(.anyOf([.value(.integer), .value(.text)])) }
}

extension Bucket.Kind {
  /// The raw value, as text that is written without a look at it.
  var plainName: StaticString {
    switch self {
    case .quota: "quota"
    case .bonus: "bonus"
    case .starter: "starter"
    case .purchased: "purchased"
    }
  }
}
