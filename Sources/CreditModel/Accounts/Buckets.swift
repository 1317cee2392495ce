/// An account's buckets in the order of use, without that of its quota. None is empty, and no two
/// are the same.
///
/// Plain credits are three numbers, so that a copy needs no memory. Few accounts have others: those
/// with an expiry, and grants, in one list.
package struct Buckets: Sequence, Hashable, Sendable {
  package private(set) var undated = UndatedCredits()
  /// The buckets with terms, in the order of use; nil if no bucket has terms.
  package private(set) var listed: ListedBuckets?

  package init() {}

  /// - Parameter buckets: in any order; those that are the same become one.
  package init(_ buckets: some Sequence<Bucket>) {
    for bucket in buckets { add(bucket.credits, to: bucket) }
  }

  /// Buckets as a record says them.
  /// - Parameter listed: in the order of use; nil if no bucket has terms.
  package init(_ undated: UndatedCredits, listed: ListedBuckets?) {
    self.undated = undated
    self.listed = listed
  }

  /// Merges the list with the plain ones.
  package struct Iterator: IteratorProtocol {
    fileprivate var undated: UndatedCredits
    fileprivate let listed: ListedBuckets?
    fileprivate var place = 0

    package mutating func next() -> Bucket? {
      let plain = undated.first
      if let listed, place < listed.count {
        let bucket = listed[place]
        if plain.map(bucket.burnsBefore) ?? true {
          place += 1
          return bucket
        }
      }
      if let plain { undated[plain.kind] = 0 }
      return plain
    }
  }

  package func makeIterator() -> Iterator { Iterator(undated: undated, listed: listed) }

  package var count: Int { listedCount + undated.count }

  var listedCount: Int { listed?.count ?? 0 }

  /// The bucket that is used first; nil if there are no buckets.
  package var first: Bucket? {
    if listed == nil { return undated.first }
    var all = makeIterator()
    return all.next()
  }

  /// How many grants there are.
  var grantCount: Int { listed?.terms.grantCount ?? 0 }

  /// What all have.
  var balance: Credits {
    guard let listed else { return undated.balance }
    return undated.balance &+ listed.balance
  }

  /// When the next of them expires.
  var nextExpiry: Timestamp? { listed?.terms.nextExpiry }

  /// The bucket of a grant.
  func bucket(of grant: Name) -> Bucket? { listed?.first { $0.grant?.id == grant } }

  /// Adds (or, where negative, takes) credits to the bucket that is the same as one.
  mutating func add(_ credits: Credits, to bucket: Bucket) {
    if bucket.expiresAt == nil, bucket.grant == nil {
      undated[bucket.kind] += credits
      return
    }
    guard var list = listed else {
      listed = credits == 0 ? nil : ListedBuckets([bucket.with(credits)])
      return
    }
    listed = nil
    if list.add(credits, to: bucket) { listed = list }
  }

  /// Takes the first bucket out that expires at a time.
  mutating func removeFirst(expiringAt time: Timestamp) -> Bucket? {
    guard var list = listed, let place = list.firstIndex(where: { $0.expiresAt == time }) else {
      return nil
    }
    listed = nil
    let bucket = list[place]
    if list.remove(at: place) { listed = list }
    return bucket
  }
}

extension Buckets: ExpressibleByArrayLiteral {
  package init(arrayLiteral buckets: Bucket...) { self.init(buckets) }
}
