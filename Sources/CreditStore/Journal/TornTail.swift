internal import CreditSystem

/// What is left of an append that is not whole at the journal's end.
///
/// The next writer cuts it off the journal, and keeps it in a file beside that for whoever wants to
/// look.
///
/// As a rule the append did not end, and was never acknowledged. Where a disk has lost what it had
/// acknowledged, nothing but an index could tell.
package struct TornTail: Equatable, Sendable {
  /// The file's name in the store's folder: `journal.torn-` and the offset of the bytes in the
  /// journal. Nil for what is still in the journal.
  package let file: String?

  /// How many of its lines are whole records.
  package let records: Int

  package let bytes: Int

  static let namePrefix = "journal.torn-"

  /// One sentence, for standard error.
  package var sentence: String {
    "an append at the journal's end was cut short, or damaged later; its \(bytes) bytes "
      + "(\(records) whole records) are in \(file ?? JournalFile.name)"
  }
}

extension JournalFile {
  /// How many lines of a range are sound.
  func soundLineCount(from start: Int, to end: Int) throws(StoreFault) -> Int {
    var count = 0
    try scan(from: start, to: end) { _, _, isSound in if isSound { count += 1 } }
    return count
  }
}

extension JournalFile {
  /// The torn tail that no writer has set aside yet, as of the last look; nil where there is none.
  func tornTail() throws(StoreFault) -> TornTail? {
    if tornByteCount == 0 { return nil }
    return TornTail(
      file: nil, records: try soundLineCount(from: length, to: length + tornByteCount),
      bytes: tornByteCount)
  }
}

extension LocalStore {
  /// The torn tails that were cut off since the store was made, in the order of their names.
  /// - Throws: ``StoreFault/system(_:)``.
  func tornTails() throws(StoreFault) -> [TornTail] {
    var tails: [TornTail] = []
    for name in try directory.names().sorted() where name.hasPrefix(TornTail.namePrefix) {
      let file = try JournalFile(in: directory, .read, named: name)
      let byteCount = try file.byteCount()
      tails.append(
        TornTail(
          file: name, records: try file.soundLineCount(from: 0, to: byteCount), bytes: byteCount))
    }
    return tails
  }
}
