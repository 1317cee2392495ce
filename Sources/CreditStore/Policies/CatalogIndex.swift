internal import CreditJSON
internal import CreditModel
internal import CreditSystem

/// `catalog.index`: finds a model or product in the catalog file of the store's policy without
/// reading that file whole, and says by being there that the file has been checked.
///
/// It holds a hash of each id and alias with the place of its entry's text, and belongs to one state
/// of the catalog file: its identity, length and time of change. What it leads to is read from the
/// catalog and held against the id that is looked for, and what it doesn't find is looked for in the
/// whole catalog, so that a damaged index costs time and nothing else. It is safe to delete.
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
  /// - Parameter body: makes what is looked for of the place where the entry's text may be; nil where
  ///   it is another's.
  func find<Found>(_ id: Name, _ kind: Kind, _ body: (Range<Int>) -> Found?) -> Found? {
    let hash = header.hasher.hash(domain: kind.rawValue, id.text)
    var slot = Int(truncatingIfNeeded: hash) & (header.slotCount - 1)
    for _ in 0..<header.slotCount {
      let offset = CatalogIndexHeader.byteCount + 16 * slot
      guard let bytes = try? file.bytes(offset..<offset + 16), bytes.count == 16 else { return nil }
      let place = bytes.word(1)
      if place == 0 { return nil }
      if bytes.word(0) == hash, let found = body(Self.range(place)) { return found }
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
      let place = UInt64(start + entry.range.lowerBound) << 32 | UInt64(entry.range.count)
      for name in entry.names {
        let hash = header.hasher.hash(domain: kind.rawValue, name.text)
        var slot = Int(truncatingIfNeeded: hash) & (header.slotCount - 1)
        while slots[2 * slot + 1] != 0 { slot = (slot + 1) & (header.slotCount - 1) }
        slots[2 * slot] = hash
        slots[2 * slot + 1] = place
      }
    }
    let bytes = header.bytes + slots.span.withUnsafeBytes { [UInt8]($0) }
    try replace(with: bytes, in: directory)
  }

  /// Readers take no lock: the file appears whole, and one process at a time makes it, while others do
  /// without. Nothing is synced, as it can be made again.
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

  /// Removes what a process left that was killed. One that is merely slow puts another's file in place
  /// then, or none: an index that is not whole costs time and nothing else.
  private static func removeLeft(_ temporary: String, in directory: StoreDirectory)
    throws(StoreFault)
  {
    guard let left = try directory.status(of: temporary) else { return }
    let age = directory.system.currentMilliseconds() - left.changedNanoseconds / 1_000_000
    if age > 60_000 { try directory.removeFile(temporary) }
  }

  private static func range(_ place: UInt64) -> Range<Int> {
    let start = Int(place >> 32)
    return start..<start + Int(place & 0xffff_ffff)
  }
}
