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
final class CatalogIndex: PriceIndex {
  static let name = "catalog.index"

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

  /// Writes the index of a catalog that has been checked, in place of the one that is there.
  /// - Parameter start: the catalog's first byte that is not white space.
  /// - Throws: where the store can't be written; the next process then reads the catalog again.
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
