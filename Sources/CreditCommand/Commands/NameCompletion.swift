internal import CreditModel
internal import CreditStore

/// `credit complete KIND START [STORE]`: prints the names in the store that begin with START, a
/// line each, for the shells' completions.
///
/// It must be as quick as a key press, in a store of any size. It waits for no lock, changes no
/// file, not even a cache, and prints nothing if it can't answer.
public struct NameCompletion {
  private let kind: NameKind
  private let start: String
  /// The store on the command line being written; nil if it names none.
  private let store: String?

  /// The most names that are printed.
  private static let limit = 200

  /// - Parameter words: the words after `complete`.
  init(_ words: [String]) throws(UsageError) {
    let kinds = NameKind.allCases.map(\.rawValue).joined(separator: ", ")
    guard words.count == 2 || words.count == 3, let kind = NameKind(rawValue: words[0]) else {
      throw UsageError("complete takes one of \(kinds), the beginning of a name, and a store")
    }
    self.kind = kind
    start = words[1]
    store = words.count == 3 && !words[2].isEmpty ? words[2] : nil
  }

  /// Returns the names in their order; empty also if the store is missing, locked or damaged.
  func text(on host: Host) -> String {
    let names = (try? names(on: host)) ?? []
    var lines = ""
    for name in Set(names).sorted() {
      // A line is a name.
      if !name.text.utf8.contains(where: { $0 < 0x20 || $0 == 0x7f }) { lines += name.text + "\n" }
    }
    return lines
  }

  private func names(on host: Host) throws(CreditError) -> [Name] {
    guard let location = try? Settings.location(store, host) else { return [] }
    var options = StoreOptions(lockTimeoutSeconds: 0)
    options.isReadOnly = true
    options.isHasty = true
    let store = try host.open(location, options)
    switch kind {
    case .account: return try store.accounts(beginningWith: start, limit: Self.limit)
    case .authorization: return try authorizations(.open, in: store)
    case .charge: return try authorizations(.charged, in: store)
    case .model: return begun(try store.policy().prices.names(.model))
    case .product: return begun(try store.policy().prices.names(.product))
    case .plan: return begun(try store.policy().plans.map(\.id) + [Name(trusted: "none")])
    case .limit:
      let periods = LimitPeriod.words.compactMap(\.word).map { Name(trusted: "\($0)") }
      return begun(try store.policy().plans.flatMap(\.limits).map(\.id) + periods)
    }
  }

  private func authorizations(_ state: RecentAuthorizations.State, in store: any Store)
    throws(CreditError) -> [Name]
  {
    try RecentAuthorizations(state, in: store.books())
      .ids(beginningWith: start, limit: Self.limit)
  }

  private func begun(_ names: [Name]) -> [Name] {
    Array(names.filter { $0.text.utf8.starts(with: start.utf8) }.sorted().prefix(Self.limit))
  }
}
