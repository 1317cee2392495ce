import CreditBytes
import CreditModel
import Testing

@testable import CreditStore
@testable import TestSupport

/// Seals hold as long as no record before them is changed.
@Suite struct StoreSealTests {
  /// A store of all kinds of records, sealed after each batch; its version rises meanwhile.
  private func sealed() throws -> (LedgerStore, [StoreSeal]) {
    let ledger = try LedgerStore()
    var seals = [try ledger.store.seal(at: ledger.now, after: [])]
    for number in 1...3 {
      try ledger.charge(["ann", "bea", Name(trusted: "new-\(number)")])
      seals.append(try ledger.store.seal(at: ledger.now, after: seals))
    }
    try ledger.fill()
    seals.append(try ledger.store.seal(at: ledger.now, after: seals))
    return (ledger, seals)
  }

  private func sum(_ text: some Sequence<UInt8>) -> String {
    SHA256.text(SHA256.digest(Array(text)))
  }

  @Test func sealsHoldWhileTheStoreGrows() throws {
    let (ledger, seals) = try sealed()
    #expect(try ledger.store.hold(seals) == seals.map { _ in true })
    let newest = try #require(seals.last)
    let lines = try ledger.lines()
    #expect(newest.records == lines.count - 1 && newest.bytes == lines.joined().count)
    #expect(newest.records == (try ledger.store.info().summary.recordCount))
    #expect(newest.sha256 == sum(lines.joined()))
    // The first seals are of a journal of the first version.
    #expect(String(decoding: lines[0], as: UTF8.self).contains(#""version":7"#))
    #expect(seals[1].sha256 != sum(lines.joined().prefix(seals[1].bytes)))
    try ledger.store.rebuild()
    #expect(try ledger.store.hold(seals) == seals.map { _ in true })
  }

  /// Each line is changed with the right checksum, as somebody who may write the store can.
  @Test func noSealHoldsAfterAChangeBeforeIt() throws {
    let (ledger, seals) = try sealed()
    let lines = try ledger.lines()
    for place in lines.indices.dropFirst() {
      var changed = lines
      changed[place] = LedgerStore.resealed(
        lines[place], replacing: "\"at\":\"2026", with: "\"at\":\"2025")
      try ledger.write(changed)
      let start = lines[..<place].joined().count
      #expect(try ledger.store.hold(seals) == seals.map { $0.bytes <= start }, "line \(place + 1)")
    }
    try ledger.write(Array(lines.dropLast()))
    #expect(try ledger.store.hold(seals) == [true, true, true, true, false])
    #expect(throws: CreditError.self) { try ledger.store.seal(at: ledger.now, after: seals) }
  }

  @Test func eachMemberCounts() throws {
    let (ledger, seals) = try sealed()
    let seal = try #require(seals.last)
    func changed(records: Int = 0, bytes: Int = 0, sum: String? = nil) -> StoreSeal {
      StoreSeal(
        store: seal.store, records: seal.records + records, bytes: seal.bytes + bytes,
        sha256: sum ?? seal.sha256, at: seal.at)
    }
    let others = [
      changed(records: 1), changed(bytes: 1), changed(bytes: -1), changed(bytes: 1 << 40),
      changed(bytes: -seal.bytes), changed(sum: seals[0].sha256),
    ]
    #expect(try ledger.store.hold(others) == others.map { _ in false })
  }

  @Test func aTornTailIsOutside() throws {
    let (ledger, seals) = try sealed()
    let lines = try ledger.lines()
    try ledger.write(lines + [Array(#"{"at":"2026-"#.utf8)])
    let seal = try ledger.store.seal(at: ledger.now, after: seals)
    #expect(seal.bytes == lines.joined().count && seal.sha256 == seals.last?.sha256)
  }
}
