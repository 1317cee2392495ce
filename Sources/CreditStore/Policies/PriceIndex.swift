internal import CreditJSON
internal import CreditModel
internal import CreditSystem
internal import Synchronization

/// Finds models and products in a file of prices without reading all of it, and proves by its
/// existence that the file has been checked.
///
/// The policy has an index, `policy.index`, and so has the catalog that it names, `catalog.index`.
/// An index is a header and slots. A slot has the hash of an id or alias, and the place of its
/// entry's text. A name's slot is at the place of its hash, or soon after it. A look-up reads the
/// slots and then the entry, and compares the entry's names.
///
/// An index belongs to one state of the file: its identity, length and time of change. Numbers have
/// the machine's byte order: the file never leaves it. It is safe to delete.
///
/// The policy's index is read as a whole, with its checksum: names that it lacks are not in the
/// lists. It ends with the policy's rules without the lists, so that a process decodes no more
/// prices than it needs: to decode the whole standard policy takes half of the instructions of one
/// charge. The catalog's index may be large, and its slots are read one by one. Names that it lacks
/// are searched in the whole catalog, so that a damaged index costs only time.
final class PriceIndex {
  /// The file that has the index.
  enum Kind {
    case policy, catalog

    var name: String { self == .policy ? "policy.index" : "catalog.index" }

    /// How the index begins; another version or byte order begins otherwise.
    fileprivate var magic: UInt64 {
      self == .policy ? 0x3249_796c_6f50_7243 : 0x3349_7443_6472_4378
    }

    var beginning: [UInt8] { Array([magic].bytes.dropLast()) }
  }

  private static let headerByteCount = 128
  /// The magic, the file's state, the seed of the hashes, and the number of slots. The checksums of
  /// the rest and of these words follow.
  private static let wordCount = 9
  /// The most bytes of a policy's index. Policies with longer lists should have a catalog.
  private static let policyByteLimit = 1 << 18

  let kind: Kind
  /// The header; of a policy's index everything.
  private let bytes: [UInt8]
  private let file: FileDescriptor?
  private let hasher: KeyHasher
  /// A power of two.
  private let slotCount: Int

  /// Opens an index; nil if it is missing or does not belong to the file in its current state.
  /// - Parameter status: the state of the policy or catalog.
  init?(_ kind: Kind, of status: FileStatus, in directory: StoreDirectory) {
    self.kind = kind
    file = kind == .policy ? nil : try? directory.open(kind.name, .read)
    let read =
      kind == .policy
      ? try? directory.readFile(kind.name, limit: Self.policyByteLimit)
      : try? file?.bytes(0..<Self.headerByteCount)
    guard let bytes = read else { return nil }
    self.bytes = bytes
    guard bytes.count >= Self.headerByteCount, bytes.word(0) == kind.magic,
      status.words.enumerated().allSatisfy({ bytes.word(1 + $0) == $1 }),
      bytes.word(Self.wordCount) == bytes[..<(8 * Self.wordCount)].checksum,
      let slotCount = Int(exactly: bytes.word(7)), (1...1 << 24).contains(slotCount),
      slotCount.nonzeroBitCount == 1
    else { return nil }
    if kind == .policy {
      guard bytes.count >= Self.headerByteCount + 16 * slotCount,
        bytes.word(8) == bytes[(8 * Self.wordCount + 8)...].checksum
      else { return nil }
    }
    hasher = KeyHasher(seed: (bytes.word(5), bytes.word(6)))
    self.slotCount = slotCount
  }

  /// Whether names that the index lacks are not in the file.
  var isComplete: Bool { kind == .policy }

  /// The policy's text with empty lists of models and products.
  var rules: [UInt8] { Array(bytes[(Self.headerByteCount + 16 * slotCount)...]) }

  /// Returns the possible places of the entries with an id or alias. Some may belong to other ids.
  func places(of id: Name, _ kind: PricedKind) -> [PricePlace] {
    let hash = hasher.hash(domain: kind.rawValue, id.text)
    var places: [PricePlace] = []
    var number = Int(truncatingIfNeeded: hash) & (slotCount - 1)
    for _ in 0..<slotCount {
      guard let slot = slot(number), slot.place != 0 else { break }
      if slot.hash == hash { places.append(PricePlace(word: slot.place)) }
      number = (number + 1) & (slotCount - 1)
    }
    return places
  }

  private func slot(_ number: Int) -> (hash: UInt64, place: UInt64)? {
    let start = Self.headerByteCount + 16 * number
    if isComplete { return (bytes.word(start / 8), bytes.word(start / 8 + 1)) }
    guard let slot = try? file?.bytes(start..<start + 16), slot.count == 16 else { return nil }
    return (slot.word(0), slot.word(1))
  }

  /// Returns the possible places of the models with an id or alias, or with the alias that covers
  /// it.
  func models(_ id: Name) -> (name: Name, places: [PricePlace]) {
    let places = places(of: id, .model)
    guard places.isEmpty, let alias = id.datedAlias else { return (id, places) }
    return (alias, self.places(of: alias, .model))
  }

  /// Writes the index of a file that has been checked.
  /// - Parameters:
  ///   - start: the offset in the file from which the entries' places are counted.
  ///   - rules: the policy's text without the lists.
  /// - Throws: if the store can't be written; the next process then reads the whole file again.
  static func write(
    _ kind: Kind, _ entries: [CatalogText.EntryPlace], startingAt start: Int, rules: [UInt8] = [],
    of status: FileStatus, in directory: StoreDirectory
  ) throws(StoreFault) {
    let names = entries.reduce(0) { $0 + $1.names.count }
    var slotCount = 16
    while slotCount < 2 * names { slotCount *= 2 }
    let seed = (directory.system.randomWord(), directory.system.randomWord())
    let hasher = KeyHasher(seed: seed)
    var slots = [UInt64](repeating: 0, count: 2 * slotCount)
    for entry in entries {
      guard let place = PricePlace(entry, startingAt: start) else {
        if kind == .policy { return }
        continue
      }
      for name in entry.names {
        let hash = hasher.hash(domain: entry.kind.rawValue, name.text)
        var slot = Int(truncatingIfNeeded: hash) & (slotCount - 1)
        while slots[2 * slot + 1] != 0 { slot = (slot + 1) & (slotCount - 1) }
        slots[2 * slot] = hash
        slots[2 * slot + 1] = place.word
      }
    }
    let padding = [UInt8](repeating: 0, count: headerByteCount - 8 * (wordCount + 1))
    let body = padding + slots.bytes + rules
    let header = [kind.magic] + status.words + [seed.0, seed.1, UInt64(slotCount), body.checksum]
    let bytes = (header + [header.bytes.checksum]).bytes + body
    if kind == .policy && bytes.count > policyByteLimit { return }
    try directory.replaceCache(kind.name, with: bytes)
  }
}

/// The place of an entry's text, in a word: its first byte, the number of entries that have its
/// names, and its length. A class, as arrays of classes share one type.
final class PricePlace {
  let word: UInt64

  init(word: UInt64) { self.word = word }

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

/// Models and products of a file, looked up through its index, and after them those of `next`.
final class IndexedPrices: PriceSource, @unchecked Sendable {
  private let index: PriceIndex
  private let file: NamedFile
  private let next: (any PriceSource)?
  private let directory: StoreDirectory
  private let readFile: () throws(CreditError) -> any PriceSource
  /// The whole file's prices, with those of `next`. Nil until needed.
  private let whole = Mutex<(any PriceSource)?>(nil)

  /// - Parameter readFile: reads the whole file.
  init(
    _ index: PriceIndex, of file: NamedFile, in directory: StoreDirectory,
    next: (any PriceSource)?, whole readFile: @escaping () throws(CreditError) -> any PriceSource
  ) {
    self.index = index
    self.file = file
    self.next = next
    self.directory = directory
    self.readFile = readFile
  }

  func model(_ id: Name) throws(CreditError) -> DatedPrices? {
    if let whole = known { return try whole.model(id) }
    let (name, places) = index.models(id)
    if places.isEmpty, index.isComplete { return try next?.model(id) }
    if let model = file.model(name, at: places) { return model }
    return try missing { prices throws(CreditError) in try prices.model(id) }
  }

  func product(_ id: Name) throws(CreditError) -> Product? {
    if let whole = known { return try whole.product(id) }
    let places = index.places(of: id, .product)
    if places.isEmpty, index.isComplete { return try next?.product(id) }
    if let product = file.product(id, at: places) { return product }
    return try missing { prices throws(CreditError) in try prices.product(id) }
  }

  func names(_ kind: PricedKind) throws(CreditError) -> [Name] { try readWhole().names(kind) }

  /// Searches the whole file for an entry that the index lacks. If it exists, the index is damaged.
  private func missing<Found>(_ find: (any PriceSource) throws(CreditError) -> Found?)
    throws(CreditError) -> Found?
  {
    let found = try find(try readWhole())
    if found != nil { try? directory.removeFile(index.kind.name) }
    return found
  }

  private var known: (any PriceSource)? { whole.withLock { $0 } }

  private func readWhole() throws(CreditError) -> any PriceSource {
    try whole.withLock { known throws(CreditError) in
      if let known { return known }
      let prices = try readFile()
      known = prices
      return prices
    }
  }
}

extension NamedFile {
  /// Returns all prices of a model whose entries are at places; nil if some are missing.
  fileprivate func model(_ id: Name, at places: [PricePlace]) -> DatedPrices? {
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
  fileprivate func product(_ id: Name, at places: [PricePlace]) -> Product? {
    for place in places {
      let product = bytes(place.range).flatMap(CatalogText.product)
      if let product, product.id == id { return product }
    }
    return nil
  }
}

extension FileStatus {
  /// Numbers that change if a file is changed or replaced.
  fileprivate var words: [UInt64] {
    [
      identity.device, identity.inode, UInt64(byteCount), UInt64(bitPattern: changedNanoseconds),
    ]
  }
}

extension [UInt64] {
  /// The words in the machine's byte order: caches never leave it.
  fileprivate var bytes: [UInt8] { span.withBytes { [UInt8]($0) } }
}

extension [UInt8] {
  /// Returns the number in the 8 bytes from 8 × `index` on.
  fileprivate func word(_ index: Int) -> UInt64 {
    span.withBytes { $0.loadUnaligned(fromByteOffset: 8 * index, as: UInt64.self) }
  }

  fileprivate var checksum: UInt64 { self[...].checksum }
}

extension ArraySlice<UInt8> {
  fileprivate var checksum: UInt64 { span.withBytes { UInt64(CRC32C.checksum($0)) } }
}
