/// Credits taken from buckets, in the order taken.
///
/// Mostly that is one bucket, which needs no memory.
package struct BucketShares: RandomAccessCollection, Hashable, Sendable {
  private var only: Bucket?
  /// All of them, if they are several; else nil.
  private var several: [Bucket]?

  package init() {}

  package init(_ share: Bucket) { only = share }

  package init(_ shares: some Sequence<Bucket>) {
    for share in shares { append(share) }
  }

  package var startIndex: Int { 0 }

  package var endIndex: Int { several?.count ?? (only == nil ? 0 : 1) }

  package subscript(place: Int) -> Bucket {
    if let several { return several[place] }
    guard place == 0, let only else { preconditionFailure("no share at place \(place)") }
    return only
  }

  /// Returns true if it is one share of `credits` plain credits of a kind.
  package func isPlain(_ credits: Credits, _ kind: Bucket.Kind) -> Bool {
    guard let only else { return false }
    return only.credits == credits && only.kind == kind && only.expiresAt == nil
      && only.grant == nil
  }

  package mutating func append(_ share: Bucket) {
    if several != nil {
      several?.append(share)
    } else if let first = only {
      several = [first, share]
      only = nil
    } else {
      only = share
    }
  }

  mutating func popLast() -> Bucket? {
    guard var list = several else {
      defer { only = nil }
      return only
    }
    several = nil
    let last = list.popLast()
    if list.count == 1 { only = list[0] } else { several = list }
    return last
  }
}

extension BucketShares {
  /// Adds credits at the end, to the last bucket where they are of the same one.
  mutating func add(_ bucket: Bucket) {
    if bucket.credits == 0 { return }
    guard var last, last.isSame(as: bucket) else { return append(bucket) }
    _ = popLast()
    last.credits += bucket.credits
    append(last)
  }

  /// What they come to; they are parts of one charge or refund.
  var total: Credits { reduce(0) { $0 + $1.credits } }

  /// Whether credits of a grant are among them.
  var haveGrants: Bool {
    if several == nil { return only?.grant != nil }
    return contains { $0.grant != nil }
  }
}

extension BucketShares: ExpressibleByArrayLiteral {
  package init(arrayLiteral shares: Bucket...) { self.init(shares) }
}
