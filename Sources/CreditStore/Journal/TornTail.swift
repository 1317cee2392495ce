internal import CreditSystem

/// What was left of an append that did not end: never acknowledged, cut off the journal, and kept
/// in a file beside it for whoever wants to look.
package struct TornTail: Equatable, Sendable {
  /// The file's name in the store's folder: `journal.torn-` and the offset of the bytes in the
  /// journal.
  package let file: String

  /// How many of its lines are whole records.
  package let records: Int

  package let bytes: Int

  static let namePrefix = "journal.torn-"

  /// One sentence, for standard error.
  package var sentence: String {
    "an earlier append was cut short; its \(bytes) bytes (\(records) whole records, none of them "
      + "acknowledged) are in \(file)"
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
