import CreditModel
import CreditSystem
import Foundation
import Testing

@testable import CreditStore
@testable import TestSupport

/// A journal that tools have written which knew no version but 2: quotas, holds, charges, a
/// correction, a purchase and a refund. It is read and goes on, in version 3 from the first write
/// on that needs it.
@Suite struct VersionTwoTests {
  private static let fixture = Result {
    try Data(
      contentsOf: Checkout.root.appending(
        components: "Tests", "Fixtures", "version-2.jsonl"))
  }

  private static let now = Timestamp(milliseconds: 1_771_500_000_000)

  private static func policy() throws -> Policy {
    var policy = Policy(
      prices: try PriceCatalog(
        models: [PricedModel(id: "unit", aliases: [], pricing: .perUnit(decimal("1")))],
        products: []))
    policy.clockIsSimulated = true
    policy.plans = [Plan(id: "pro", quota: 50, period: .month)]
    return policy
  }

  private static func store(_ files: TemporaryStore) -> LocalStore {
    LocalStore(at: files.directory.path, options: StoreOptions(lockTimeoutSeconds: 1, syncs: false))
  }

  private static func gate(_ files: TemporaryStore) -> LocalCreditGate {
    LocalCreditGate(store(files)) { _ in "made" }
  }

  private static func charge(_ account: Name, _ key: Name) -> GateRequest {
    .charge(
      ChargeRequest(
        reference: .key(key, account: account), model: "unit", usage: .counts(.units(7)),
        time: now))
  }

  /// - Parameters:
  ///   - tail: the bytes after the last line.
  ///   - index: the index's bytes, if there is one.
  private func check(tail: String = "", index: [UInt8]? = nil) throws {
    let files = try TemporaryStore()
    let old = try Array(Self.fixture.get())
    try files.write(old + tail.utf8, to: JournalFile.name)
    if let index { try files.write(index, to: IndexFile.name) }
    let store = Self.store(files)
    #expect(try store.info().version == 2)

    // A repeat is found, and an ordinary write leaves the version as it is.
    let gate = Self.gate(files)
    let first = try gate.perform(
      [Self.charge("ben", "new"), Self.charge("ana", "new")], under: Self.policy())
    #expect(first.count == 2)
    for case .failure(let error) in first { Issue.record("\(error.message)") }
    #expect(try store.info().version == 2)
    #expect(try files.bytes(JournalFile.name).starts(with: old))
    #expect(try store.verify().findings.isEmpty)

    // A parent needs version 3: only the first line changes.
    var request = AccountRequest(account: "ana", time: Self.now)
    request.parent = .set("ben")
    for case .failure(let error) in try gate.perform([.account(request)], under: Self.policy()) {
      Issue.record("\(error.message)")
    }
    #expect(try store.info().version == 3)
    let header = JournalHeader.byteCount
    #expect(
      try files.bytes(JournalFile.name).dropFirst(header).starts(with: old.dropFirst(header)))
    let summary = try store.verify()
    #expect(summary.findings.isEmpty && summary.accounts == 2)
    let reader = try StoreReader(store)
    #expect(try reader.newest(of: .account("ana"))?.record.account.parent == "ben")
    #expect(try reader.newest(of: .account("ben"))?.record.account.held == 40)
  }

  @Test func isReadAndContinues() throws { try check() }

  /// A killed process's incomplete last line is cut off.
  @Test func continuesAfterATornTail() throws {
    try check(tail: #"{"at":"2026-02-19T10:00:00.000Z","event":"charge","acc"#)
  }

  @Test func continuesWithADamagedIndex() throws {
    try check(index: Array(repeating: 0x5A, count: 28_672))
    try check(index: [])
  }
}
