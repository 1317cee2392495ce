package import CreditModel

/// Which models of a bill are which of the books.
package final class ModelMatch {
  private let maps: [String: String]
  private let catalog: (any PriceSource)?
  private var known: [String: String] = [:]

  /// - Parameters:
  ///   - maps: models of the bill, and what the books call them.
  ///   - catalog: knows the ids and aliases of models; nil for none: names are taken as they are.
  package init(maps: [String: String] = [:], catalog: (any PriceSource)? = nil) {
    self.maps = maps
    self.catalog = catalog
  }

  /// The id of a model that a bill names.
  func id(ofBill name: String) throws(CreditError) -> String { try id(of: maps[name] ?? name) }

  /// Returns the books' model id for a charge without a model on the bill.
  ///
  /// It is nil if the charge is not mapped to a model.
  func id(ofCharge text: String) throws(CreditError) -> String? {
    guard let name = maps[text] else { return nil }
    return try id(of: name)
  }

  /// The id of a model that the books name.
  func id(of name: String) throws(CreditError) -> String {
    guard let catalog else { return name }
    if let id = known[name] { return id }
    let id = try catalog.model(Name(trusted: name), at: .latest)?.id.text ?? name
    known[name] = id
    return id
  }

  /// The model in the catalog, with the price that was in force on a day.
  func model(_ id: String, at time: Timestamp) -> PricedModel? {
    (try? catalog?.model(Name(trusted: id), at: time)) ?? nil
  }
}
