internal import CreditJSON
internal import CreditModel
internal import CreditSystem

/// `catalog.index`: finds an entry in the policy's catalog without reading the whole file.
///
/// Its presence means that the catalog has been checked. It has a hash of each id and alias with
/// the place of its entry's text, and belongs to one state of the catalog file: its identity,
/// length and time of change. An entry that it leads to is read from the catalog and compared with
/// the id. An id that it lacks is searched in the whole catalog, so that a damaged index only costs
/// time. It is safe to delete.
final class CatalogIndex: PriceIndex {
  static let name = "catalog.index"

  private let file: FileDescriptor
  private let header: CatalogIndexHeader

  /// Opens the index of a catalog; nil if none belongs to the catalog's current state.
  init?(of catalog: FileStatus, in directory: StoreDirectory) {
    guard let file = try? directory.open(Self.name, .read),
      let bytes = try? file.bytes(0..<CatalogIndexHeader.byteCount),
      let header = CatalogIndexHeader(bytes), header.isOf(catalog)
    else { return nil }
    self.file = file
    self.header = header
  }

  func places(of id: Name, _ kind: PriceKind) -> [PricePlace] {
    let hash = header.hasher.hash(domain: kind.rawValue, id.text)
    var places: [PricePlace] = []
    var slot = Int(truncatingIfNeeded: hash) & (header.slotCount - 1)
    for _ in 0..<header.slotCount {
      let offset = CatalogIndexHeader.byteCount + 16 * slot
      guard let bytes = try? file.bytes(offset..<offset + 16), bytes.count == 16,
        bytes.word(1) != 0
      else { break }
      if bytes.word(0) == hash { places.append(PricePlace(word: bytes.word(1))) }
      slot = (slot + 1) & (header.slotCount - 1)
    }
    return places
  }

  /// Writes the index of a checked catalog, and replaces the existing one.
  /// - Parameter start: the catalog's first byte that is not white space.
  /// - Throws: if the store cannot be written; the next process then reads the catalog again.
  static func write(
    _ entries: [CatalogText.EntryPlace], startingAt start: Int, of catalog: FileStatus,
    in directory: StoreDirectory
  ) throws(StoreFault) {
    let system = directory.system
    let names = entries.reduce(0) { $0 + $1.names.count }
    let header = CatalogIndexHeader(
      of: catalog, names: names, seed: (system.randomWord(), system.randomWord()))
    var slots = [UInt64](repeating: 0, count: 2 * header.slotCount)
    for entry in entries {
      let kind = PriceKind(of: entry)
      // The whole catalog has it.
      guard let place = PricePlace(entry, startingAt: start) else { continue }
      for name in entry.names {
        let hash = header.hasher.hash(domain: kind.rawValue, name.text)
        var slot = Int(truncatingIfNeeded: hash) & (header.slotCount - 1)
        while slots[2 * slot + 1] != 0 { slot = (slot + 1) & (header.slotCount - 1) }
        slots[2 * slot] = hash
        slots[2 * slot + 1] = place.word
      }
    }
    try directory.replaceCache(name, with: header.bytes + slots.bytes)
  }
}

/// The first bytes of a catalog's index. Numbers have the machine's byte order: the file never
/// leaves it.
struct CatalogIndexHeader {
  static let byteCount = 128

  /// The beginning of the file; it differs for another version or byte order.
  private static let magic: UInt64 = 0x3249_7443_6472_4378
  private static let wordCount = 8

  /// The file's first bytes.
  static var beginning: [UInt8] { [magic].bytes }

  /// The catalog's identity, length and time of change.
  private let catalog: [UInt64]
  private let seed: (UInt64, UInt64)
  /// A power of two.
  let slotCount: Int

  var hasher: KeyHasher { KeyHasher(seed: seed) }

  /// Makes the header of a new index, which is at most half full.
  init(of status: FileStatus, names: Int, seed: (UInt64, UInt64)) {
    catalog = status.words
    self.seed = seed
    var slotCount = 16
    while slotCount < 2 * names { slotCount *= 2 }
    self.slotCount = slotCount
  }

  /// Reads a header; nil if the bytes are not one.
  init?(_ bytes: [UInt8]) {
    guard bytes.count == Self.byteCount, bytes.word(0) == Self.magic,
      bytes.word(Self.wordCount) == Self.checksum(bytes),
      let slotCount = Int(exactly: bytes.word(7)), slotCount > 0, slotCount <= 1 << 24,
      slotCount.nonzeroBitCount == 1
    else { return nil }
    catalog = (1...4).map { bytes.word($0) }
    seed = (bytes.word(5), bytes.word(6))
    self.slotCount = slotCount
  }

  /// Whether it belongs to the catalog file's current state.
  func isOf(_ status: FileStatus) -> Bool { catalog == status.words }

  var bytes: [UInt8] {
    let words = [Self.magic] + catalog + [seed.0, seed.1, UInt64(slotCount)]
    var bytes = words.bytes
    bytes += [Self.checksum(bytes)].bytes
    return bytes + [UInt8](repeating: 0, count: Self.byteCount - bytes.count)
  }

  private static func checksum(_ bytes: [UInt8]) -> UInt64 {
    bytes[..<(8 * wordCount)].checksum
  }
}

/// `policy.index`: a policy's rules without its lists, and the places of its models and products.
///
/// So a process decodes only the prices that it needs from `policy.json`: to read the whole
/// standard policy is half of the instructions of one charge. Its presence means that the policy
/// has been checked. It belongs to one state of that file: its identity, length and time of change.
/// It is read whole and has a checksum: a damaged one is ignored, and a sound one names every entry
/// of the lists. It is safe to delete.
final class PolicyIndex: PriceIndex {
  static let name = "policy.index"

  /// The beginning of the file; it differs for another version or byte order.
  private static let magic: UInt64 = 0x3149_796c_6f50_7243
  /// The magic, the policy's status, the seed of the hashes, and the size of the rest.
  private static let wordCount = 9
  /// The most bytes: policies with longer lists should have a catalog.
  private static let byteLimit = 1 << 16

  /// The file's first bytes.
  static var beginning: [UInt8] { [magic].bytes }

  private let bytes: [UInt8]
  private let nameCount: Int
  private let hasher: KeyHasher

  /// Opens the index of a policy; nil if none belongs to the policy's current state.
  init?(of policy: FileStatus, in directory: StoreDirectory) {
    guard let bytes = try? directory.readFile(Self.name, limit: Self.byteLimit),
      bytes.count >= 8 * (Self.wordCount + 1), bytes.word(0) == Self.magic,
      policy.words.enumerated().allSatisfy({ bytes.word(1 + $0) == $1 }),
      let nameCount = Int(exactly: bytes.word(7)), nameCount <= Self.byteLimit,
      let ruleCount = Int(exactly: bytes.word(8)), ruleCount <= Self.byteLimit,
      bytes.count == 8 * (Self.wordCount + 1) + 16 * nameCount + ruleCount,
      Self.isSound(bytes)
    else { return nil }
    self.bytes = bytes
    self.nameCount = nameCount
    hasher = KeyHasher(seed: (bytes.word(5), bytes.word(6)))
  }

  /// The policy's text with empty lists of models and products.
  var rules: [UInt8] { Array(bytes[(8 * Self.wordCount + 16 * nameCount)...].dropLast(8)) }

  func places(of id: Name, _ kind: PriceKind) -> [PricePlace] {
    let hash = hasher.hash(domain: kind.rawValue, id.text)
    var places: [PricePlace] = []
    for number in 0..<nameCount where bytes.word(Self.wordCount + 2 * number) == hash {
      places.append(PricePlace(word: bytes.word(Self.wordCount + 2 * number + 1)))
    }
    return places
  }

  /// Writes the index of a checked policy, and replaces the existing one.
  /// - Throws: if the store cannot be written; the next process then reads the policy again.
  static func write(_ text: [UInt8], of policy: FileStatus, in directory: StoreDirectory)
    throws(StoreFault)
  {
    guard let document = try? JSONDocument(text) else { return }
    let seed = (directory.system.randomWord(), directory.system.randomWord())
    let bytes = document.withRoot { value in
      made(of: value, in: document, text, policy, seed)
    }
    if let bytes { try directory.replaceCache(name, with: bytes) }
  }

  private static func made(
    of value: JSONValue, in document: borrowing JSONDocument, _ text: [UInt8],
    _ policy: FileStatus, _ seed: (UInt64, UInt64)
  ) -> [UInt8]? {
    let hasher = KeyHasher(seed: seed)
    var names: [UInt64] = []
    for entry in CatalogText.entries(value) {
      guard let place = PricePlace(entry, startingAt: document.range(of: value).lowerBound) else {
        return nil
      }
      for name in entry.names {
        names += [hasher.hash(domain: PriceKind(of: entry).rawValue, name.text), place.word]
      }
    }
    var rules = text
    let lists = [value.member("models"), value.member("products")].compactMap(\.self)
    let ranges = lists.map { document.range(of: $0) }
    for range in ranges.sorted(by: { $0.lowerBound > $1.lowerBound }) {
      rules.replaceSubrange(range, with: "[]".utf8)
    }
    let counts = [UInt64(names.count / 2), UInt64(rules.count)]
    var bytes = ([magic] + policy.words + [seed.0, seed.1] + counts + names).bytes + rules
    bytes += [bytes.checksum].bytes
    return bytes.count <= byteLimit ? bytes : nil
  }

  private static func isSound(_ bytes: [UInt8]) -> Bool {
    bytes.lastWord == bytes.dropLast(8).checksum
  }
}
