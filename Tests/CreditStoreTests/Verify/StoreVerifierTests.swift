import CreditModel
import CreditSystem
import Foundation
import Testing

@testable import CreditStore
@testable import TestSupport

/// Faults that `verify` finds, and states that it accepts.
@Suite struct StoreVerifierTests {
  /// The start of each line.
  private func offsets(_ lines: [[UInt8]]) -> [Int] {
    lines.reduce(into: [0]) { $0.append(($0.last ?? 0) + $1.count) }
  }

  /// The number of the first line that has a text in it, from 0.
  private func index(of text: String, in lines: [[UInt8]]) throws -> Int {
    try #require(lines.firstIndex { String(decoding: $0, as: UTF8.self).contains(text) })
  }

  /// Writes the lines and expects one finding, at the line of a number.
  private func expectFinding(
    _ ledger: LedgerStore, _ lines: [[UInt8]], line: Int, _ reason: String,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    try ledger.write(lines)
    let summary = try ledger.store.verify()
    let messages = summary.findings.map(\.message)
    #expect(summary.findingCount == 1, "\(messages)", sourceLocation: sourceLocation)
    let finding = try #require(summary.findings.first, sourceLocation: sourceLocation)
    #expect(finding.code == .corruptStore, sourceLocation: sourceLocation)
    #expect(
      finding.place == [line + 1, offsets(lines)[line]], "\(messages)",
      sourceLocation: sourceLocation)
    #expect(finding.message.contains(reason), "\(messages)", sourceLocation: sourceLocation)
  }

  @Test func findsNoFaultInASoundStore() throws {
    let ledger = try LedgerStore()
    #expect(try ledger.store.verify().bytes > 0)
    try ledger.fill()
    let lines = try ledger.lines()
    for (step, keepsIndex) in [true, false].enumerated() {
      if !keepsIndex { try ledger.write(lines) }
      let summary = try ledger.store.verify()
      #expect(summary.findings.map(\.message) == [], "step \(step)")
      #expect(summary.records == lines.count - 1)
      #expect(summary.accounts == 3)
      #expect(summary.bytes == lines.joined().count)
    }
    let events = try Set(
      lines.dropFirst().map { line in
        let object = try JSONSerialization.jsonObject(with: Data(line)) as? [String: Any]
        return object?["event"] as? String ?? ""
      })
    #expect(events.count == 12, "\(events)")
  }

  /// A journal that other tools made is refused by its version, and not called damaged.
  @Test(arguments: [(1, "an earlier, unreleased version"), (8, "a later version")])
  func aJournalOfAnotherVersionIsRefused(version: Int, maker: String) throws {
    let ledger = try LedgerStore.filled()
    var lines = try ledger.lines()
    lines[0] = LedgerStore.resealed(
      lines[0], replacing: #""version":7"#, with: "\"version\":\(version)")
    try ledger.write(lines)
    let policy = try ledger.store.policy()
    for use in [
      { _ = try ledger.store.verify() }, { _ = try StoreReader(ledger.store).bookmark() },
      { _ = try LocalCreditGate(ledger.store) { _ in "new" }.perform([], under: policy) },
      { try ledger.store.rebuild() }, { _ = try StoreExport(ledger.store) },
    ] as [() throws -> Void] {
      let error = try #require(throws: CreditError.self) { try use() }
      #expect(error.code == .unavailable && error.endsRun)
      #expect(error.message.contains("journal version \(version), made by \(maker)"))
    }
    #expect(try ledger.lines() == lines)
  }

  /// Neither side of a transfer stands alone, or says something else than the other.
  @Test func findsHalfATransfer() throws {
    let ledger = try LedgerStore.filled()
    let lines = try ledger.lines()
    let out = try index(of: #""event":"transfer-out""#, in: lines)
    let half = lines[...out].map { LedgerStore.resealed($0, replacing: "", with: "") }
    try ledger.write(half)
    let messages = try ledger.store.verify().findings.map(\.message)
    #expect(messages.count == 1 && messages[0].contains("between the two sides"), "\(messages)")
    var changed = lines
    changed[out + 1] = LedgerStore.resealed(
      lines[out + 1], replacing: #""key":"g-1""#, with: #""key":"g-2""#)
    try expectFinding(ledger, changed, line: out + 1, "receives a transfer that the")
  }

  @Test func findsEveryFlippedByte() throws {
    let ledger = try LedgerStore.filled()
    let lines = try ledger.lines()
    let starts = offsets(lines)
    for index in lines.indices {
      var changed = lines
      changed[index][lines[index].count / 2] ^= 1
      try ledger.write(changed)
      let summary = try ledger.store.verify()
      #expect(summary.findings.map(\.place) == [[index + 1, starts[index]]])
    }
  }

  @Test func findsLinesThatAreMissingDoubledOrSwapped() throws {
    let ledger = try LedgerStore.filled()
    let lines = try ledger.lines()
    let starts = offsets(lines)
    for index in lines.indices.dropFirst().dropLast() {
      var changed = lines
      changed.remove(at: index)
      try ledger.write(changed)
      var findings = try ledger.store.verify().findings
      #expect(!findings.isEmpty)
      #expect(findings.allSatisfy { $0.place[0] > index && $0.place[1] >= starts[index] })
      changed = lines
      changed.insert(lines[index], at: index)
      try ledger.write(changed)
      findings = try ledger.store.verify().findings
      #expect(findings.first?.place == [index + 2, starts[index + 1]])
      changed = lines
      changed.swapAt(index, index + 1)
      if changed == lines || index + 1 == lines.count - 1 { continue }
      try ledger.write(changed)
      findings = try ledger.store.verify().findings
      // Two lines of one length without references to them may be swapped.
      if lines[index].count != lines[index + 1].count { #expect(!findings.isEmpty) }
      #expect(findings.allSatisfy { $0.place[1] >= starts[index] })
    }
  }

  @Test func findsWrongContentUnderARightChecksum() throws {
    let ledger = try LedgerStore.filled()
    let lines = try ledger.lines()
    func expect(_ text: String, _ old: String, _ new: String, _ reason: String) throws {
      let index = try index(of: text, in: lines)
      var changed = lines
      changed[index] = LedgerStore.resealed(lines[index], replacing: old, with: new)
      #expect(changed[index] != lines[index], "\(old)")
      try ledger.write(changed)
      let findings = try ledger.store.verify().findings
      let first = try #require(findings.first, "\(old)")
      #expect(first.place == [index + 1, offsets(lines)[index]], "\(first.message)")
      #expect(first.message.contains(reason), "\(first.message)")
    }
    let charge = #""event":"charge","account":"alice","authorization":{"id":"a-1""#
    try expect(
      charge, #""starter":93"#, #""starter":94"#, "the balance 94")
    try expect(charge, #""starter":93"#, #""bonus":93"#, "taken or timestamp")
    try expect(charge, #""records":3"#, #""records":4"#, "whose records its events")
    try expect(charge, #""transactions":2"#, #""transactions":3"#, "whose transactions its")
    try expect(charge, #""creditsCharged":7"#, #""creditsCharged":6"#, "make it 94")
    try expect(
      charge, #""creditsCharged":7"#,
      #""creditsCharged":7,"taken":[{"bonus":7}]"#, "taken or timestamp")
    try expect(charge, #""previous":"#, #""previous":1"#, "its account's record before it")
    try expect(charge, #""id":"a-1""#, #""id":"b-1""#, "is not open")
    try expect(
      #""event":"charge-refund""#, #""original":"#, #""original":1"#, "its first record")
    try expect(
      #""event":"authorization","account":"bob","authorization":{"id":"b-2""#,
      #""id":"b-2""#, #""id":"b-1""#, "that of an earlier record")
    try expect(#""id":"t-4""#, #""id":"t-4""#, #""id":"t-2""#, "that of an earlier record")
    try expect(#""event":"void""#, #""event":"void""#, #""event":"nothing""#, "not a record")
    try expect(#""event":"void""#, #"{"at""#, #"{ "at""#, "not a record")
    try expect(#""event":"void""#, #""account":"bob""#, #""account":"""#, "not a record")
    try expect(#""event":"void""#, #""at":"2026"#, #""at":"2025"#, "earlier")
    try expect(#""event":"refill""#, #""credits":3"#, #""credits":4"#, "the balance")
    try expect(#""event":"expiry""#, #""credits":-"#, #""credits":-1"#, "the expired quota")
    try expect(#""store":"credit""#, #""createdAt":"#, #""madeAt":"#, "is not a store's header")
  }

  @Test func aKeyIsUsedOnce() throws {
    let ledger = try LedgerStore()
    try ledger.perform(
      ledger.charge("alice", key: "k-1", units: 1), ledger.charge("alice", key: "k-2", units: 1))
    var lines = try ledger.lines()
    lines[3] = LedgerStore.resealed(lines[3], replacing: "k-2", with: "k-1")
    try expectFinding(ledger, lines, line: 3, "uses a key that the record at byte")
  }

  @Test func aWrongIndexIsAFinding() throws {
    let ledger = try LedgerStore.filled()
    let file = try ledger.files.bytes(IndexFile.name)
    var wrongCount = 0
    for offset in stride(from: IndexLayout.headerByteCount, to: file.count, by: 8) {
      let word = file[offset..<offset + 8]
      if word.allSatisfy({ $0 == 0 }) { continue }
      var changed = file
      changed[offset] ^= 2
      try ledger.files.write(changed, to: IndexFile.name)
      let findings = try ledger.store.verify().findings
      #expect(findings.count == 1)
      #expect(findings.first?.message.contains("credit-store rebuild") ?? false)
      wrongCount += 1
    }
    #expect(wrongCount > 20)
    try ledger.store.rebuild()
    #expect(try ledger.store.verify().findings.isEmpty)
  }

  /// A missing parent is found, with its repair.
  @Test func findsBrokenChains() throws {
    let ledger = try LedgerStore()
    try ledger.perform(
      ledger.topUp("company", .key("t"), 10), ledger.place("team", below: "company"))
    var lines = try ledger.lines()
    let last = lines.count - 1
    lines[last] = LedgerStore.resealed(
      lines[last], replacing: #""parent":"company""#, with: #""parent":"gone""#)
    try ledger.write(lines)
    let findings = try ledger.store.verify().findings
    #expect(findings.count == 1)
    #expect(findings.first?.message.contains("credit-account --parent none mends it") ?? false)
    let error = #expect(throws: CreditError.self) {
      try ledger.perform(ledger.charge("team", key: "k", units: 1))
    }
    #expect(error?.message.contains("credit-account --parent none mends it") ?? false)
    var request = AccountRequest(account: "team", time: ledger.now)
    request.parent = .remove
    try ledger.perform(.account(request))
    #expect(try ledger.store.verify().findings.isEmpty)
    try ledger.perform(ledger.topUp("team", .key("t"), 10))
    try ledger.perform(ledger.charge("team", key: "k", units: 1))
  }

  /// An index that is older than the journal is not a fault, even of a partial copy; nor is one
  /// that another process updates during the check.
  @Test func anOlderIndexIsNotAFinding() throws {
    let ledger = try LedgerStore.filled()
    try ledger.charge("bob", batches: 5)
    let early = try ledger.files.bytes(IndexFile.name)
    try ledger.perform(ledger.charge("alice", key: "late", units: 1))
    var torn = early
    for place in IndexLayout.headerByteCount..<IndexLayout.headerByteCount + 64 { torn[place] ^= 1 }
    for index in [early, torn] {
      try ledger.files.write(index, to: IndexFile.name)
      let summary = try ledger.store.verify()
      #expect(summary.findings.map(\.message) == [])
      #expect(summary.isIndexBehind)
    }
    try ledger.files.write(early, to: IndexFile.name)
    var count = 0
    let summary = try ledger.store.verify { _, _ in
      count += 1
      _ = try? ledger.perform(
        ledger.charge("alice", key: Name(trusted: "meanwhile-\(count)"), units: 1))
    }
    #expect(count > 0 && summary.findings.map(\.message) == [])
    #expect(try !ledger.store.verify().isIndexBehind)
  }

  /// A torn tail that no write has set aside yet is reported.
  @Test func aTornTailIsReportedBeforeAWriteSetsItAside() throws {
    let ledger = try LedgerStore.filled()
    let whole = try ledger.files.bytes(JournalFile.name)
    try ledger.files.write(whole + Array("{\"half".utf8), to: JournalFile.name)
    let expected = [TornTail(file: nil, records: 0, bytes: 6)]
    #expect(try ledger.store.verify().tornTails == expected)
    #expect(try ledger.store.info().tornTails == expected)
  }

  @Test func anIndexMayLackTheTail() throws {
    let ledger = try LedgerStore()
    try ledger.perform(ledger.charge("alice", key: "k-1", units: 1))
    let early = try ledger.files.bytes(IndexFile.name)
    try ledger.fill()
    try ledger.files.write(early, to: IndexFile.name)
    #expect(try ledger.store.verify().findings.isEmpty)
    try ledger.files.write([1, 2, 3], to: IndexFile.name)
    #expect(try ledger.store.verify().findings.isEmpty)
  }

  @Test func aTornTailIsNotAFindingAndAMarkIsOne() throws {
    let ledger = try LedgerStore.filled()
    let bytes = try ledger.files.bytes(JournalFile.name)
    try ledger.files.write(bytes + Array("{\"half".utf8), to: JournalFile.name)
    let summary = try ledger.store.verify()
    #expect(summary.findings.isEmpty)
    #expect(summary.bytes == bytes.count)
    try ledger.files.write(Array("sync failed".utf8), to: StoreLock.name)
    let findings = try ledger.store.verify().findings
    #expect(findings.count == 1)
    #expect(findings.first?.message.contains("sync failed") ?? false)
  }

  @Test func manyFindingsAreCounted() throws {
    let ledger = try LedgerStore()
    var lines = try ledger.lines()
    for number in 0..<1200 { lines.append(sealedLine(number)) }
    try ledger.write(lines)
    let summary = try ledger.store.verify()
    #expect(summary.findingCount == 1200)
    #expect(summary.findings.count == StoreSummary.findingLimit)
  }

  @Test func theLockIsNotHeldWhileItReads() throws {
    let ledger = try LedgerStore()
    for round in 0..<50 {
      try ledger.perform(
        .topUp(
          TopUpRequest(
            account: Name(trusted: "account \(round)"), reference: .key("k"), grant: .credits(1),
            time: ledger.now)))
    }
    var lines = try ledger.lines()
    // Enough for reports of progress.
    while lines.count < 5000 { lines.append(sealedLine(lines.count)) }
    try ledger.write(lines)
    var callCount = 0
    _ = try ledger.store.verify { _, _ in
      callCount += 1
      let lock = try? StoreLock(in: ledger.files.directory, .update)
      #expect(throws: Never.self) {
        try lock?.withLock(.exclusive, waitMilliseconds: 0) { () throws(StoreFault) in }
      }
    }
    #expect(callCount > 0)
  }
}

extension Collection<UInt8> {
  fileprivate func withContiguous<Result>(_ body: (Bytes) -> Result) -> Result {
    Array(self).withBytes(body)
  }
}
