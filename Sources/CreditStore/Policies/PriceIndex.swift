internal import CreditJSON
internal import CreditModel
internal import CreditSystem

/// Finds models and products in a file of prices without reading that whole.
protocol PriceIndex: AnyObject {
  /// Where the entries with an id or alias may be. What is there may be another's.
  func places(of id: Name, _ kind: PriceKind) -> [PricePlace]
}

extension PriceIndex {
  /// Where the models with an id or alias may be; else those with the alias that covers the id.
  func models(_ id: Name) -> (name: Name, places: [PricePlace]) {
    let places = places(of: id, .model)
    guard places.isEmpty, let alias = id.datedAlias else { return (id, places) }
    return (alias, self.places(of: alias, .model))
  }
}

/// What an id belongs to.
enum PriceKind: UInt8 {
  case model = 1
  case product = 2

  init(of entry: CatalogText.EntryPlace) {
    self = entry.isModel ? .model : .product
  }
}

/// Where the text of an entry is, in a word: its first byte, the number of entries that have
/// its names, and its length. A class, as arrays of classes share one type.
final class PricePlace {
  let word: UInt64

  init(word: UInt64) {
    self.word = word
  }

  /// - Parameter start: where in the file the value begins by which the entry is counted.
  /// - Returns: nil for one of so many of a name that their number has no room.
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

  /// How many entries have the names of this one: more than one where prices have dates.
  var total: Int { Int(word >> 24 & 0xff) }
}

extension NamedFile {
  /// All prices of a model whose entries are at places; nil where not as many are found as there
  /// should be.
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

  /// A product whose entry is at one of some places.
  func product(_ id: Name, at places: [PricePlace]) -> Product? {
    for place in places {
      let product = bytes(place.range).flatMap(CatalogText.product)
      if let product, product.id == id { return product }
    }
    return nil
  }
}

/// The models that have been looked up, by the names that they were looked up by.
struct LookedUpModels {
  private var names = NameTable()
  private var models: [DatedPrices] = []

  /// The most look-ups that are remembered.
  private static let limit = 10_000

  subscript(_ name: Name) -> DatedPrices? { names.number(of: name).map { models[$0] } }

  mutating func remember(_ model: DatedPrices, as name: Name) {
    if models.count >= Self.limit { self = LookedUpModels() }
    if names.add(name) { models.append(model) }
  }
}

extension FileStatus {
  /// By what a file is known to be the same, and unchanged.
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
  /// The number in the 8 bytes from 8 × `index` on.
  func word(_ index: Int) -> UInt64 {
    span.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: 8 * index, as: UInt64.self) }
  }

  /// The number in the last 8 bytes.
  var lastWord: UInt64 {
    span.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: count - 8, as: UInt64.self) }
  }

  var checksum: UInt64 { self[...].checksum }
}

extension ArraySlice<UInt8> {
  var checksum: UInt64 { withUnsafeBytes { UInt64(CRC32C.checksum($0)) } }
}
