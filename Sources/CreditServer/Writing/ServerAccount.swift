internal import CreditModel

/// An account whose row is locked, or that has none yet, while a batch is made.
final class ServerAccount {
  let name: Name
  /// As its newest record left it; nil before it has one.
  var account: Account?
  /// The number of its newest record among its own, from 1 on; 0 before it has one.
  var sequence: Int64 = 0
  var position: RecordPosition?
  /// The text of its newest record.
  var newest: [UInt8] = []
  /// The sequence in its row; 0 if it has no row.
  private(set) var storedSequence: Int64 = 0

  init(_ name: Name) { self.name = name }

  /// - Parameter stored: its newest record.
  init(_ stored: StoredRecord, sequence: Int64) {
    name = stored.record.account.name
    account = stored.record.account
    self.sequence = sequence
    storedSequence = sequence
    position = stored.position
  }

  /// Takes note that the batch that has changed it is on disk.
  func settle() {
    storedSequence = sequence
    newest = []
  }

  var isStored: Bool { storedSequence > 0 }
  var isChanged: Bool { sequence != storedSequence }
}
