internal import CreditJSON
internal import CreditModel
internal import CreditSystem

/// `catalog.index`: finds a model or product in the catalog file of the store's policy without
/// reading that file whole, and says by being there that the file has been checked.
///
/// It holds a hash of each id and alias with the place of its entry's text, and belongs to one
/// state of the catalog file: its identity, length and time of change. What it leads to is read
/// from the catalog and held against the id that is looked for, and what it doesn't find is looked
/// for in the whole catalog, so that a damaged index costs time and nothing else. It is safe to
/// delete.
final class CatalogIndex {
  static let name = "catalog.index"

  /// What an id belongs to.
  enum Kind: UInt8 {
    case model = 1
    case product = 2
  }

  private let file: FileDescriptor
  private let header: CatalogIndexHeader

  /// Opens the index of a catalog; nil where there is none that belongs to the catalog as it is.
  init?(of catalog: FileStatus, in directory: StoreDirectory) {
    guard let file = try? directory.open(Self.name, .read),
      let bytes = try? file.bytes(0..<CatalogIndexHeader.byteCount),
      let header = CatalogIndexHeader(bytes), header.isOf(catalog)
    else { return nil }
    self.file = file
    self.header = header
  }

  /// Looks an id or alias up.
  /// - Parameter body: is given every place where an entry's text may be, and of how many entries
  ///   with this name it is one. What is there may be another's.
  /// - Returns: the first that `body` makes of a place.
  func find<Found>(_ id: Name, _ kind: Kind, _ body: (Place) -> Found?) -> Found? {
    let hash = header.hasher.hash(domain: kind.rawValue, id.text)
    var slot = Int(truncatingIfNeeded: hash) & (header.slotCount - 1)
    for _ in 0..<header.slotCount {
      let offset = CatalogIndexHeader.byteCount + 16 * slot
      guard let bytes = try? file.bytes(offset..<offset + 16), bytes.count == 16 else { return nil }
      if bytes.word(1) == 0 { return nil }
      if bytes.word(0) == hash, let found = body(Place(word: bytes.word(1))) { return found }
      slot = (slot + 1) & (header.slotCount - 1)
    }
    return nil
  }

  /// Writes the index of a catalog that has been checked, in place of the one that is there.
  /// - Parameter start: the catalog's first byte that is not white space.
  /// - Throws: where the store can't be written; the next process then reads the catalog again.
  static func write(
    _ entries: [CatalogText.Entry], startingAt start: Int, of catalog: FileStatus,
    in directory: StoreDirectory
  ) throws(StoreFault) {
    let system = directory.system
    let names = entries.reduce(0) { $0 + $1.names.count }
    let header = CatalogIndexHeader(
      of: catalog, names: names, seed: (system.randomWord(), system.randomWord()))
    var slots = [UInt64](repeating: 0, count: 2 * header.slotCount)
    for entry in entries {
      let kind = entry.isModel ? Kind.model : .product
      let place = Place(range: entry.range, startingAt: start, total: entry.total)
      // The whole catalog has it.
      guard place.total == entry.total else { continue }
      for name in entry.names {
        let hash = header.hasher.hash(domain: kind.rawValue, name.text)
        var slot = Int(truncatingIfNeeded: hash) & (header.slotCount - 1)
        while slots[2 * slot + 1] != 0 { slot = (slot + 1) & (header.slotCount - 1) }
        slots[2 * slot] = hash
        slots[2 * slot + 1] = place.word
      }
    }
    let bytes = header.bytes + slots.span.withUnsafeBytes { [UInt8]($0) }
    try replace(with: bytes, in: directory)
  }

  /// Readers take no lock: the file appears whole, and one process at a time makes it, while others
  /// do without. Nothing is synced, as it can be made again.
  private static func replace(with bytes: [UInt8], in directory: StoreDirectory) throws(StoreFault)
  {
    let temporary = name + ".new"
    try removeLeft(temporary, in: directory)
    do throws(StoreFault) {
      let file = try directory.open(temporary, .create)
      try bytes.span.withUnsafeBytes { (bytes) throws(StoreFault) in try file.write(bytes, at: 0) }
      try directory.rename(temporary, to: name)
    } catch {
      // Another process may be at it.
      if case .system(let reason) = error, reason.isPresent { throw error }
      try? directory.removeFile(temporary)
      throw error
    }
  }

  /// Removes what a process left that was killed. One that is merely slow puts another's file in
  /// place then, or none: an index that is not whole costs time and nothing else.
  private static func removeLeft(_ temporary: String, in directory: StoreDirectory)
    throws(StoreFault)
  {
    guard let left = try directory.status(of: temporary) else { return }
    let age = directory.system.currentMilliseconds() - left.changedNanoseconds / 1_000_000
    if age > 60_000 { try directory.removeFile(temporary) }
  }
}

extension CatalogIndex {
  /// Where the text of an entry stands, in a word: its first byte, the number of entries that have
  /// its names, and its length.
  struct Place {
    let word: UInt64

    init(word: UInt64) {
      self.word = word
    }

    init(range: Range<Int>, startingAt start: Int, total: Int) {
      word =
        UInt64(start + range.lowerBound) << 32 | UInt64(total & 0xff) << 24
        | UInt64(range.count)
    }

    var range: Range<Int> {
      let start = Int(word >> 32)
      return start..<start + Int(word & 0xff_ffff)
    }

    /// How many entries have the names of this one: more than one where prices have dates.
    var total: Int { Int(word >> 24 & 0xff) }
  }
}
