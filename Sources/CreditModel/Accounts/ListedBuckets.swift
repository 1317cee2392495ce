internal import Synchronization

/// An account's buckets with terms, in the order of use: those with an expiry, and grants.
///
/// Their terms seldom change: copies of an account share them, and a charge only changes numbers.
public struct ListedBuckets: RandomAccessCollection, Equatable, Sendable {
  public private(set) var terms: BucketTerms
  /// Credits of each bucket, never 0.
  public private(set) var credits: [Credits]

  /// - Parameter buckets: in the order of use; if empty, the result is nil.
  public init?(_ buckets: [Bucket]) {
    if buckets.isEmpty { return nil }
    terms = BucketTerms(buckets)
    credits = buckets.map(\.credits)
  }

  public var startIndex: Int { 0 }
  public var endIndex: Int { credits.count }

  public subscript(place: Int) -> Bucket { terms.buckets[place].with(credits[place]) }

  var balance: Credits { credits.reduce(0, &+) }

  /// Credits that may not pay for a model.
  func closedCredits(for model: Name?) -> Credits {
    guard terms.haveScopes else { return 0 }
    return indices.reduce(0) { terms.buckets[$1].pays(for: model) ? $0 : $0 &+ credits[$1] }
  }

  /// Adds credits to the bucket that is the same as one; takes them if negative.
  /// - Returns: false if no bucket is left.
  mutating func add(_ change: Credits, to bucket: Bucket) -> Bool {
    if let place = terms.buckets.firstIndex(where: { $0.isSame(as: bucket) }) {
      credits[place] += change
      return credits[place] != 0 || remove(at: place)
    }
    if change != 0 {
      let place = terms.buckets.firstIndex { bucket.burnsBefore($0) } ?? endIndex
      var buckets = terms.buckets
      buckets.insert(bucket, at: place)
      terms = BucketTerms(buckets)
      credits.insert(change, at: place)
    }
    return true
  }

  /// - Returns: false if no bucket is left.
  mutating func remove(at place: Int) -> Bool {
    credits.remove(at: place)
    if credits.isEmpty { return false }
    var buckets = terms.buckets
    buckets.remove(at: place)
    terms = BucketTerms(buckets)
    return true
  }
}

/// The terms of buckets, without their credits.
public final class BucketTerms: Equatable, Sendable {
  /// In the order of use. Their credits have no meaning.
  fileprivate let buckets: [Bucket]
  /// Time when the next of them expires.
  let nextExpiry: Timestamp?
  public let grantCount: Int
  /// Whether any of them is for some models only.
  let haveScopes: Bool
  private let writtenText = AtomicLazyReference<BucketText>()

  fileprivate init(_ buckets: [Bucket]) {
    self.buckets = buckets
    var nextExpiry: Timestamp?
    var grantCount = 0
    var haveScopes = false
    for bucket in buckets {
      if let expiry = bucket.expiresAt { nextExpiry = min(expiry, nextExpiry ?? expiry) }
      if bucket.grant != nil { grantCount += 1 }
      if bucket.isScoped { haveScopes = true }
    }
    self.nextExpiry = nextExpiry
    self.grantCount = grantCount
    self.haveScopes = haveScopes
  }

  /// Their text, made once.
  public func text(_ make: ([Bucket]) -> BucketText) -> BucketText {
    writtenText.load() ?? writtenText.storeIfNil(make(buckets))
  }

  public static func == (left: BucketTerms, right: BucketTerms) -> Bool {
    left === right
      || left.buckets.elementsEqual(right.buckets) { $0.isSame(as: $1) && $0.grant == $1.grant }
  }
}

/// Text of a list of buckets in a record, in pieces: a bucket's credits go between two of them.
public final class BucketText: Sendable {
  public let bytes: [UInt8]
  /// Ends of all pieces but the last one.
  public let ends: [Int]

  public init(bytes: [UInt8], ends: [Int]) {
    self.bytes = bytes
    self.ends = ends
  }
}
