/// Credits of the buckets without an expiry, in burn order.
///
/// They are 0 if there is no bucket of the kind.
package struct UndatedCredits: Hashable, Sendable, BitwiseCopyable {
  package var bonus: Credits = 0
  package var starter: Credits = 0
  package var purchased: Credits = 0

  package init() {}

  init(purchased: Credits) { self.purchased = purchased }

  package var isEmpty: Bool { bonus == 0 && starter == 0 && purchased == 0 }

  package var balance: Credits { bonus &+ starter &+ purchased }

  /// How many buckets there are.
  var count: Int { (bonus == 0 ? 0 : 1) + (starter == 0 ? 0 : 1) + (purchased == 0 ? 0 : 1) }

  /// The credits of a kind; a quota has none that do not expire.
  subscript(kind: Bucket.Kind) -> Credits {
    get {
      switch kind {
      case .bonus: bonus
      case .starter: starter
      case .purchased: purchased
      case .quota: 0
      }
    }
    set {
      switch kind {
      case .bonus: bonus = newValue
      case .starter: starter = newValue
      case .purchased: purchased = newValue
      case .quota: assertionFailure("a quota expires")
      }
    }
  }

  /// The bucket at a place of the burn order.
  subscript(place: Int) -> Bucket {
    var rest = self
    for _ in 0..<place {
      if let first = rest.first { rest[first.kind] = 0 }
    }
    guard let bucket = rest.first else { preconditionFailure("no bucket at place \(place)") }
    return bucket
  }

  /// The bucket that burns first; nil if there are no credits.
  var first: Bucket? { firstKind.map { Bucket(kind: $0, credits: self[$0]) } }

  package var firstKind: Bucket.Kind? {
    if bonus != 0 { return .bonus }
    if starter != 0 { return .starter }
    return purchased == 0 ? nil : .purchased
  }
}
