internal import CreditModel
internal import CreditStore

/// The records that ids and keys lead to, and the rows of `credit.identity` that differ.
///
/// Two hashes a key, of random seeds, stand for all that is known of it: no other row can be made
/// that has the same ones. Without all of them it has the sum over all keys, and the keys that
/// later records may use.
struct KeyTargets {
  private let hasher: KeyHasher
  private let keepsAll: Bool
  private var targets: [UInt64: UInt64] = [:]
  /// The sums over the records' keys, and over the rows.
  private var sums = (records: IndexSum(), rows: IndexSum())
  /// The first rows that lead to another record. A known key is one of a record's.
  private(set) var misled: [(key: KeyColumns, account: Name, sequence: Int64, isKnown: Bool)] = []

  init(_ hasher: KeyHasher, keepsAll: Bool) {
    self.hasher = hasher
    self.keepsAll = keepsAll
  }

  /// Has the keys of a record lead to it, which is newer than the ones before.
  /// - Parameter charge: the charge that it is about, if that was not kept.
  mutating func lead(_ record: LedgerRecord, _ sequence: Int64, of charge: LedgerRecord?) {
    let target = target(record.account.name, sequence)
    let mayFollow =
      switch record.event {
      case .charge, .void: keepsAll
      default: true
      }
    record.keys.visit { key in
      let hash = hash(KeyColumns(key))
      if !keepsAll {
        let old =
          targets[hash] ?? charge.map { self.target($0.account.name, $0.account.recordCount) }
        if let old { sums.records.remove(hash, Int(truncatingIfNeeded: old)) }
        sums.records.add(hash, Int(truncatingIfNeeded: target))
      }
      targets[hash] = mayFollow ? target : nil
    }
  }

  /// Whether the record that a key leads to is kept.
  func knows(_ key: KeyColumns) -> Bool { targets[hash(key)] != nil }

  var agree: Bool { sums.records == sums.rows }

  /// Compares rows: their kind, scope, id, account and number. The keys without a row remain.
  mutating func compare(_ rows: any ServerRows) {
    for row in 0..<rows.count {
      let kind = rows.int(row, 0) ?? -1
      let hash: UInt64 = rows.withText(row, 1) { scope -> UInt64 in
        rows.withText(row, 2) { self.hash(kind, scope ?? Bytes(), $0 ?? Bytes()) }
      }
      let sequence = rows.int(row, 4) ?? 0
      let led = rows.withText(row, 3) { target($0 ?? Bytes(), sequence) }
      if !keepsAll {
        sums.rows.add(hash, Int(truncatingIfNeeded: led))
        continue
      }
      let known = targets.removeValue(forKey: hash)
      if known == led || misled.count == StoreSummary.findingLimit { continue }
      let names = (1...3).map { Name(trusted: rows.text(row, $0) ?? "") }
      misled.append(
        (
          KeyColumns(kind: kind, scope: names[0], id: names[1]), names[2], sequence, known != nil
        ))
    }
  }

  /// Whether keys of records have no row.
  var hasOthers: Bool { !targets.isEmpty }

  mutating func takeOther(_ key: KeyColumns) -> Bool {
    targets.removeValue(forKey: hash(key)) != nil
  }

  private func hash(_ key: KeyColumns) -> UInt64 {
    key.scope.text.withUTF8Bytes { scope in
      key.id.text.withUTF8Bytes { hash(key.kind, scope, $0) }
    }
  }

  private func hash(_ kind: Int64, _ scope: Bytes, _ id: Bytes) -> UInt64 {
    // No kind is 255.
    hasher.hash(domain: UInt8(exactly: kind) ?? .max, scope, id)
  }

  private func target(_ account: Name, _ sequence: Int64) -> UInt64 {
    account.text.withUTF8Bytes { target($0, sequence) }
  }

  private func target(_ account: Bytes, _ sequence: Int64) -> UInt64 {
    hasher.hash(domain: .max, account) &+ UInt64(bitPattern: sequence) &* 0x9E37_79B9_7F4A_7C15
  }
}
