internal import CreditModel

/// What one provider of a file sells: a model under the provider's id for it, and its prices.
struct Offer {
  let provider: String
  let id: String
  /// Further names that the file finds it by.
  var names: [String] = []
  /// Its prices, with the time from which each holds.
  var prices: [(from: Timestamp?, list: ImportedPrices)]
  /// Whether the file has this provider found by the model's id alone.
  var isFoundByID = false

  fileprivate var qualifiedID: String { provider + "/" + id }

  fileprivate func costsTheSame(as other: Offer) -> Bool {
    prices.elementsEqual(other.prices) { $0.from == $1.from && $0.list == $1.list }
  }
}

/// The offers of all providers of a file. A catalog has one meaning for a name, so that what
/// several sell under one id at different prices is found as `provider/id`; by the id alone only
/// what the model's maker sells, where the file tells who that is.
struct ProviderOffers {
  private var offers: [Offer] = []
  /// The offers of each id, by their places.
  private var places: [String: [Int]] = [:]

  mutating func add(_ offer: Offer) {
    places[offer.id, default: []].append(offers.count)
    offers.append(offer)
  }

  /// Adds the models to a catalog, in the order of the file.
  func add(to catalog: inout CatalogImport) {
    var ids = offers.indices.map { id(of: $0) }
    var takenNames = Set(ids.compactMap { $0 })
    // An id with the provider's name before it may be another one's id as it stands.
    for place in offers.indices where ids[place] == offers[place].qualifiedID {
      if isNamed(offers[place].qualifiedID) {
        ids[place] = nil
        catalog.leaveOut(.soldApart)
      }
    }
    for place in offers.indices {
      guard let id = ids[place] else { continue }
      let offer = offers[place]
      var aliases: [Name] = []
      for name in [offer.qualifiedID] + sameOffers(as: place).map(\.qualifiedID) + offer.names
      where name != id {
        guard Name.problem(with: name, limit: Name.idLimit) == nil else { continue }
        if takenNames.insert(name).inserted {
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

  /// The id under which a catalog has an offer; nil for one that an earlier one stands for.
  private func id(of place: Int) -> String? {
    let offer = offers[place]
    let others = places[offer.id] ?? []
    let first = others.first ?? place
    if others.allSatisfy({ offers[$0].costsTheSame(as: offers[first]) }) {
      return place == first ? offer.id : nil
    }
    let makers = others.filter { offers[$0].isFoundByID || isNamed(offers[$0].qualifiedID) }
    return makers == [place] ? offer.id : offer.qualifiedID
  }

  /// Whether some provider calls a model so: by its maker's name and id.
  private func isNamed(_ id: String) -> Bool { places[id] != nil }

  /// The further offers that one stands for.
  private func sameOffers(as place: Int) -> [Offer] {
    let others = places[offers[place].id] ?? []
    guard others.count > 1, others.first == place,
      others.allSatisfy({ offers[$0].costsTheSame(as: offers[place]) })
    else { return [] }
    return others.dropFirst().map { offers[$0] }
  }
}
