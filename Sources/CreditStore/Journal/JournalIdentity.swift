internal import CreditModel

/// Identifies a journal, even if its end is lost: it never changes.
struct JournalIdentity: Equatable {
  /// Time in its first line: a store and the import of its export share it.
  let createdAt: Timestamp
  /// Checksum of its first record; nil if it has no readable record.
  let first: UInt32?
}

extension JournalFile {
  /// Returns the identity, reading the first record; nil if the first line is unreadable.
  func fullIdentity() throws(StoreFault) -> JournalIdentity? {
    guard let header else { return nil }
    var first: UInt32?
    do throws(StoreFault) {
      first =
        try withLine(at: JournalHeader.byteCount) { JournalLine.writtenChecksum($0) } ?? nil
    } catch {
      guard case .damaged = error else { throw error }
    }
    return JournalIdentity(createdAt: header.createdAt, first: first)
  }
}
