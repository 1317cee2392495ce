internal import CreditJSON
internal import CreditModel
internal import CreditSystem

/// Finds models and products in a file of prices without reading all of it.
protocol PriceIndex: AnyObject {
  /// Returns the possible places of the entries with an id or alias. Some may belong to other ids.
  func places(of id: Name, _ kind: PriceKind) -> [PricePlace]
}

extension PriceIndex {
  /// Returns the possible places of models with an id or alias.
  ///
  /// Without any, of those with the alias that covers the id.
  func models(_ id: Name) -> (name: Name, places: [PricePlace]) {
    let places = places(of: id, .model)
    guard places.isEmpty, let alias = id.datedAlias else { return (id, places) }
    return (alias, self.places(of: alias, .model))
  }
}

/// The kind of thing that an id names.
enum PriceKind: UInt8 {
  case model = 1
  case product = 2

  init(of entry: CatalogText.EntryPlace) {
    self = entry.isModel ? .model : .product
  }
}

/// The place of an entry's text, in a word: its first byte, the number of entries that have its
/// names, and its length. A class, as arrays of classes share one type.
final class PricePlace {
  let word: UInt64

  init(word: UInt64) {
    self.word = word
  }

  /// - Parameter start: offset in the file of the value in which the entry's place is counted.
  /// - Returns: nil if the entry is too long, or too many entries have its name.
  init?(_ entry: CatalogText.EntryPlace, startingAt start: Int) {
    guard entry.total <= 0xff, entry.range.count <= 0xff_ffff else { return nil }
    word =
      UInt64(start + entry.range.lowerBound) << 32 | UInt64(entry.total) << 24
      | UInt64(entry.range.count)
  }

  var range: Range<Int> {
    let start = Int(word >> 32)
    return start..<start + Int(word & 0xff_ffff)
  }

  /// Number of entries that have the names of this one: more than one if prices have dates.
  var total: Int { Int(word >> 24 & 0xff) }
}

extension NamedFile {
  /// Returns all prices of a model whose entries are at places; nil if some are missing.
  func model(_ id: Name, at places: [PricePlace]) -> DatedPrices? {
    var total = 0
    var models: [PricedModel] = []
    for place in places {
      guard let model = bytes(place.range).flatMap(CatalogText.model) else { continue }
      models.append(model)
      total = place.total
    }
    guard let named = models.first(where: { $0.id == id || $0.aliases.contains(id) }) else {
      return nil
    }
    let all = models.filter { $0.id == named.id }
    return all.count == total ? DatedPrices(all) : nil
  }

  /// Returns a product whose entry is at one of some places.
  func product(_ id: Name, at places: [PricePlace]) -> Product? {
    for place in places {
      let product = bytes(place.range).flatMap(CatalogText.product)
      if let product, product.id == id { return product }
    }
    return nil
  }
}

/// Models that have been looked up, by the names used for that.
struct LookedUpModels: ~Copyable {
  private var names = NameTable()
  private var models: [DatedPrices] = []

  /// The most look-ups that are cached.
  private static let limit = 10_000

  subscript(_ name: Name) -> DatedPrices? { names.number(of: name).map { models[$0] } }

  mutating func remember(_ model: DatedPrices, as name: Name) {
    if models.count >= Self.limit { self = LookedUpModels() }
    if names.add(name) { models.append(model) }
  }
}

extension FileStatus {
  /// Numbers that change if a file is changed or replaced.
  var words: [UInt64] {
    [
      identity.device, identity.inode, UInt64(byteCount), UInt64(bitPattern: changedNanoseconds),
    ]
  }
}

extension [UInt64] {
  /// The words in the machine's byte order: caches never leave it.
  var bytes: [UInt8] { span.withUnsafeBytes { [UInt8]($0) } }
}

extension [UInt8] {
  /// Returns the number in the 8 bytes from 8 × `index` on.
  func word(_ index: Int) -> UInt64 {
    span.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: 8 * index, as: UInt64.self) }
  }

  var lastWord: UInt64 {
    span.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: count - 8, as: UInt64.self) }
  }

  var checksum: UInt64 { self[...].checksum }
}

extension ArraySlice<UInt8> {
  var checksum: UInt64 { withUnsafeBytes { UInt64(CRC32C.checksum($0)) } }
}
