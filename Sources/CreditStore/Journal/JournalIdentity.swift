internal import CreditModel

/// By what a journal is known, also where its end is lost. Nothing of it ever changes.
struct JournalIdentity: Equatable {
  /// What its first line says: a store and the import of its export have the same.
  let createdAt: Timestamp
  /// The checksum of its first record; nil where it has none that can be read.
  let first: UInt32?
}

extension JournalFile {
  /// Nil where the first line cannot be read. Reads the first record.
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
