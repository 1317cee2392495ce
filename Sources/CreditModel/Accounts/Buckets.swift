/// An account's buckets in burn order, without that of its quota. None is empty, and no two have
/// the same kind and expiry.
///
/// Buckets without an expiry are three numbers, so that a copy needs no memory. Few accounts have
/// others, which burn before those.
package struct Buckets: RandomAccessCollection, Hashable, Sendable {
  package private(set) var undated = UndatedCredits()
  /// The buckets with an expiry, in burn order; nil where there are none.
  package private(set) var dated: [Bucket]?

  package init() {}

  /// - Parameter buckets: in any order; those of one kind and expiry become one.
  package init(_ buckets: some Sequence<Bucket>) {
    for bucket in buckets { add(bucket.credits, kind: bucket.kind, expiresAt: bucket.expiresAt) }
  }

  /// Buckets as a record says them.
  /// - Parameter dated: in burn order; nil where there are none.
  package init(_ undated: UndatedCredits, dated: [Bucket]?) {
    self.undated = undated
    self.dated = dated
  }

  package var startIndex: Int { 0 }

  package var endIndex: Int { datedCount + undated.count }

  var datedCount: Int { dated?.count ?? 0 }

  package subscript(place: Int) -> Bucket {
    if let dated, place < dated.count { return dated[place] }
    return undated[place - datedCount]
  }

  /// The bucket that burns first; nil where there is none.
  package var first: Bucket? { dated?.first ?? undated.first }

  /// What all have.
  var balance: Credits {
    guard let dated else { return undated.balance }
    return dated.reduce(undated.balance) { $0 &+ $1.credits }
  }

  /// Adds (or, where negative, takes) credits of a kind and expiry.
  mutating func add(_ credits: Credits, kind: Bucket.Kind, expiresAt: Timestamp?) {
    guard let expiresAt else {
      undated[kind] += credits
      return
    }
    var list = dated ?? []
    dated = nil
    let bucket = Bucket(kind: kind, credits: credits, expiresAt: expiresAt)
    if let place = list.firstIndex(where: { $0.isSame(kind: kind, expiresAt: expiresAt) }) {
      list[place].credits += credits
      if list[place].credits == 0 { list.remove(at: place) }
    } else if credits != 0 {
      list.insert(bucket, at: list.firstIndex { bucket.burnsBefore($0) } ?? list.endIndex)
    }
    dated = list.isEmpty ? nil : list
  }

  /// Takes a bucket with an expiry out.
  mutating func removeDated(at place: Int) -> Bucket? {
    guard var list = dated, list.indices.contains(place) else { return nil }
    dated = nil
    let bucket = list.remove(at: place)
    dated = list.isEmpty ? nil : list
    return bucket
  }
}

extension Buckets: ExpressibleByArrayLiteral {
  package init(arrayLiteral buckets: Bucket...) { self.init(buckets) }
}
