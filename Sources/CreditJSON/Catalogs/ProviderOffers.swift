internal import CreditModel

/// A model that one provider of a file sells. It has the provider's id for it, and its prices.
struct Offer {
  let provider: String
  let id: String
  /// Further names that the file finds it by.
  var names: [String] = []
  /// Its prices, with the time from which each holds.
  var prices: [(from: Timestamp?, list: ImportedPrices)]
  /// Whether the file has this provider found by the model's id alone.
  var isFoundByID = false

  /// Repeats its current prices with each of some times as their start.
  mutating func begin(at times: [Timestamp]) {
    prices.sort { ($0.from ?? .earliest) < ($1.from ?? .earliest) }
    for time in times {
      guard let place = prices.lastIndex(where: { $0.from ?? .earliest <= time }),
        prices[place].from ?? .earliest < time
      else { continue }
      prices.insert((time, prices[place].list), at: place + 1)
    }
  }

  fileprivate var qualifiedID: String { provider + "/" + id }
}

/// The offers of all providers of a file, under unique names.
///
/// `provider/id` is always that provider's offer: an equal id of another provider is only found
/// behind its seller's name. Offers under one id at different prices are found as `provider/id`,
/// too. The id alone is only the offer of the model's maker, if the file shows who that is.
struct ProviderOffers {
  private var offers: [Offer] = []
  private var places: [String: [Int]] = [:]
  private var providers: Set<String> = []
  private var qualifiedIDs: Set<String> = []

  mutating func add(_ offer: Offer) {
    places[offer.id, default: []].append(offers.count)
    offers.append(offer)
    providers.insert(offer.provider)
    qualifiedIDs.insert(offer.qualifiedID)
  }

  /// Adds the models to a catalog, in the order of the file.
  func add(to catalog: inout CatalogImport) {
    let ids = offers.indices.map { id(of: $0) }
    var takenNames = Set(ids.compactMap { $0 })
    for place in offers.indices {
      guard let id = ids[place] else { continue }
      let offer = offers[place]
      var aliases: [Name] = []
      // The further offers that it replaces, which have no id of their own.
      let same = id == offer.id ? (places[id] ?? []).filter { ids[$0] == nil } : []
      let qualified = [offer.qualifiedID] + same.map { offers[$0].qualifiedID }
      for name in qualified + offer.names where name != id {
        guard Name.problem(with: name, limit: Name.idLimit) == nil else { continue }
        let isFree = qualified.contains(name) || !isOfOtherProvider(name, than: offer.provider)
        if isFree, takenNames.insert(name).inserted {
          aliases.append(Name(trusted: name))
        } else if offer.names.contains(name), !aliases.contains(Name(trusted: name)) {
          catalog.leaveOut(name: .takenName)
        }
      }
      for (index, price) in offer.prices.enumerated() {
        catalog.add(
          ImportedModel(
            id: Name(trusted: id), aliases: index == 0 ? aliases : [], from: price.from,
            prices: price.list))
      }
    }
  }

  /// Returns the id of an offer in a catalog; nil if an earlier offer replaces it.
  private func id(of place: Int) -> String? {
    let offer = offers[place]
    let others = places[offer.id] ?? []
    let first = others.first ?? place
    if isOfOtherProvider(offer.id, than: offer.provider) { return offer.qualifiedID }
    let prices = offers[first].prices
    let costTheSame = others.allSatisfy {
      offers[$0].prices.elementsEqual(prices) { $0.from == $1.from && $0.list == $1.list }
    }
    if costTheSame { return place == first ? offer.id : nil }
    // Some provider calls the model of a maker by the maker's name and id.
    let makers = others.filter { offers[$0].isFoundByID || places[offers[$0].qualifiedID] != nil }
    return makers == [place] ? offer.id : offer.qualifiedID
  }

  /// Returns true if a name is of another provider's goods, sold or not. Such a name begins with
  /// that provider's own.
  private func isOfOtherProvider(_ name: String, than provider: String) -> Bool {
    guard let slash = name.utf8.firstIndex(of: UInt8(ascii: "/")) else { return false }
    let owner = String(name[..<slash])
    if owner == provider { return qualifiedIDs.contains(name) }
    return providers.contains(owner)
  }
}
