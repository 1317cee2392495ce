import CreditJSON
import CreditModel
import CreditSystem
import Foundation
import Testing

@testable import CreditStore
@testable import TestSupport

/// Stores whose journal cannot be read in places.
@Suite(.slow) struct StoreSalvageTests {
  private func filled() throws -> LedgerStore {
    let ledger = try LedgerStore()
    try ledger.fillPool()
    try ledger.fill()
    return ledger
  }

  private func freePath(_ ledger: LedgerStore) -> String {
    ledger.files.directory.path + "/dropped-" + UUID().uuidString
  }

  private func drop(_ ledger: LedgerStore, into path: String) throws -> DroppedRecords? {
    try ledger.store.rebuild(droppingDamagedInto: path) { _, _ in }
  }

  /// Flips a bit in the middle of lines, counted from 0.
  private func damaged(_ lines: [[UInt8]], _ numbers: Set<Int>) -> [[UInt8]] {
    lines.enumerated().map { number, line in
      guard numbers.contains(number) else { return line }
      var line = line
      line[line.count / 2] ^= 1
      return line
    }
  }

  /// The newest balance of each account in lines that can be read.
  private func balances(_ lines: [[UInt8]]) throws -> [Name: Credits] {
    var reader = RecordReader()
    var balances: [Name: Credits] = [:]
    for line in lines.dropFirst() {
      try line.dropLast().withBytes { bytes in
        guard JournalLine.isSound(bytes) else { return }
        let stored = reader.read(bytes, at: RecordPosition(0))
        let record = try #require(stored).record
        balances[record.account.name] = record.account.balance
      }
    }
    return balances
  }

  /// The store is sound, has the newest balances that can be read, and can be moved.
  private func expectSound(
    _ ledger: LedgerStore, _ expected: [Name: Credits], _ comment: Comment
  ) throws {
    let summary = try ledger.store.verify()
    #expect(summary.findings.map(\.message) == [], comment)
    let books = try ledger.store.books()
    for (name, balance) in expected {
      let newest = try books.newest(of: .account(name))?.record.account
      #expect(newest?.balance == balance, "\(comment): \(name.text)")
    }
    #expect(summary.credits == expected.values.reduce(0) { $0 + Int128($1) }, comment)
    let copy = try LedgerStore()
    let export = try StoreExport(ledger.store)
    let importing = try copy.store.importing()
    var output = JSONWriter()
    while try export.write(into: &output) {}
    try output.withBytes { try importing.append($0) }
    let copied = try importing.finish()
    #expect(copied.credits == summary.credits && copied.records == summary.records, comment)
    #expect(try copy.store.verify().findings.map(\.message) == [], comment)
  }

  /// After the loss of any line the rest is a store, and the line's bytes are kept.
  @Test func goesOnWithoutAnyOneLine() throws {
    let ledger = try filled()
    let lines = try ledger.lines()
    for number in lines.indices {
      let changed = damaged(lines, [number])
      try ledger.write(changed)
      let path = freePath(ledger)
      let dropped = try #require(try drop(ledger, into: path))
      #expect(dropped.file == path && dropped.bytes == changed[number].count)
      #expect(dropped.places == 1 && dropped.lost == 0)
      let kept = try Data(contentsOf: URL(fileURLWithPath: path))
      #expect(Array(kept) == changed[number])
      try expectSound(ledger, try balances(changed), "line \(number)")
      // Charges continue as before.
      try ledger.perform(ledger.charge("alice", key: Name(trusted: "after-\(number)"), units: 1))
      try ledger.perform(ledger.chargePool(Name(trusted: "after-\(number)"), 3))
      #expect(try ledger.store.verify().findings.map(\.message) == [], "after line \(number)")
      // No more can be dropped a second time.
      #expect(try drop(ledger, into: freePath(ledger)) == nil)
    }
  }

  /// Several lines of any accounts.
  @Test(arguments: 1...40) func goesOnWithoutSomeLines(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let ledger = try filled()
    let lines = try ledger.lines()
    var numbers: Set<Int> = []
    for _ in 0..<(1 + random.number(below: 8)) { numbers.insert(random.number(below: lines.count)) }
    let changed = damaged(lines, numbers)
    try ledger.write(changed, keepsIndex: random.once(in: 2))
    let dropped = try #require(try drop(ledger, into: freePath(ledger)))
    #expect(dropped.bytes == numbers.reduce(0) { $0 + lines[$1].count })
    try expectSound(ledger, try balances(changed), "seed \(seed), lines \(numbers.sorted())")
  }

  /// Lost neighbouring lines, at each place with shares: groups without their beginning, their
  /// middle or their end; and again, with lost notes of dropped records.
  @Test(arguments: 2...3) func goesOnWithoutNeighbours(count: Int) throws {
    let ledger = try filled()
    let lines = try ledger.lines()
    let isShare = lines.map { String(decoding: $0, as: UTF8.self).contains(#""event":"share""#) }
    let starts = 1..<(lines.count - count)
    for start in starts where isShare[start..<(start + count)].contains(true) {
      let changed = damaged(lines, Set(start..<(start + count)))
      try ledger.write(changed)
      _ = try #require(try drop(ledger, into: freePath(ledger)))
      try expectSound(ledger, try balances(changed), "\(count) lines from \(start)")
      let rest = try ledger.lines()
      let again = damaged(rest, [min(start, rest.count - 1), rest.count / 3])
      try ledger.write(again)
      _ = try #require(try drop(ledger, into: freePath(ledger)))
      try expectSound(ledger, try balances(again), "again, \(count) lines from \(start)")
    }
  }

  /// A charge whose payer's share is lost is kept, and so is a share whose charge is.
  @Test(arguments: [true, false]) func keepsTheRestOfACharge(losesShare: Bool) throws {
    let ledger = try filled()
    let lines = try ledger.lines()
    let charge = try #require(
      lines.firstIndex { String(decoding: $0, as: UTF8.self).contains(#""key":"p-2""#) })
    try ledger.write(damaged(lines, [losesShare ? charge + 2 : charge]))
    let dropped = try #require(try drop(ledger, into: freePath(ledger)))
    #expect(dropped.accounts == ["company", "member", "team"])
    let end = try ledger.store.books().bookmark().position
    for name in dropped.accounts {
      let records = try ledger.store.books().records(of: name, before: end, skipping: 0, limit: 100)
      let credits = records.compactMap { stored -> Credits? in
        if case .dropped(let credits) = stored.record.event { credits } else { nil }
      }
      #expect(credits == [losesShare && name == "company" ? -5 : 0], "\(name.text)")
      let sum = records.reduce(0) { $0 + $1.record.event.movedCredits }
      #expect(sum == records.first?.record.account.balance, "\(name.text)")
    }
  }

  /// Accounts that lost credits with their newest record are named: by the index, and by the rest
  /// of a charge.
  @Test(arguments: [true, false]) func namesWhoHasLostTheNewestRecord(hasIndex: Bool) throws {
    let ledger = try filled()
    try ledger.perform(ledger.chargePool("newest", 9))
    var lines = try ledger.lines()
    // The share of an account above.
    let share = lines.count - 1
    let payer = try #require(
      (["team", "company"] as [Name]).first {
        String(decoding: lines[share], as: UTF8.self).contains("\"account\":\"\($0.text)\"")
      })
    lines[share] = Array(repeating: UInt8(ascii: "x"), count: 100) + [newline]
    try ledger.write(lines, keepsIndex: hasIndex)
    let dropped = try #require(try drop(ledger, into: freePath(ledger)))
    #expect(dropped.accounts.contains(payer))
    #expect(try ledger.store.verify().findings.isEmpty)
  }

  /// A name that a changed byte has made is no account's.
  @Test(arguments: [true, false]) func namesOnlyExistingAccounts(hasIndex: Bool) throws {
    let ledger = try filled()
    try ledger.perform(ledger.charge("alice", key: "newest", units: 1))
    var lines = try ledger.lines()
    let line = String(decoding: lines[lines.count - 1], as: UTF8.self)
    lines[lines.count - 1] = Array(
      line.replacingOccurrences(of: #""alice""#, with: #""amice""#).utf8)
    try ledger.write(lines, keepsIndex: hasIndex)
    let dropped = try #require(try drop(ledger, into: freePath(ledger)))
    #expect(dropped.accounts == (hasIndex ? ["alice"] : []))
  }

  /// A parent of which no record is left is registered again.
  @Test func registersAParentThatIsGone() throws {
    let ledger = try LedgerStore()
    try ledger.perform(
      ledger.topUp("company", .key("t"), 10), ledger.place("team", below: "company"))
    let lines = try ledger.lines()
    let company = lines.indices.filter {
      String(decoding: lines[$0], as: UTF8.self).contains(#""account":"company""#)
    }
    try ledger.write(damaged(lines, Set(company)))
    let dropped = try #require(try drop(ledger, into: freePath(ledger)))
    #expect(dropped.accounts.contains("company"))
    #expect(try ledger.store.verify().findings.map(\.message) == [])
    try ledger.perform(ledger.topUp("company", .key("again"), 10))
    try ledger.perform(ledger.charge("team", key: "k", units: 1))
  }

  /// A share that can be read and says another amount than its charge is not dropped.
  @Test func keepsAWrongShare() throws {
    let ledger = try filled()
    var lines = try ledger.lines()
    let charge = try #require(
      lines.firstIndex { String(decoding: $0, as: UTF8.self).contains(#""key":"p-2""#) })
    lines[charge + 2] = LedgerStore.resealed(
      lines[charge + 2], replacing: #""credits":-5"#, with: #""credits":-4"#)
    try ledger.write(lines)
    let error = try #require(throws: CreditError.self) { try drop(ledger, into: freePath(ledger)) }
    #expect(error.code == .corruptStore)
    #expect(try ledger.lines() == lines)
  }

  /// The line in the history keeps the sum of all lines the balance, and the journal is of the
  /// version that has such records.
  @Test func theHistoryShowsMissingRecords() throws {
    let ledger = try filled()
    let lines = try ledger.lines()
    let number = try #require(
      lines.firstIndex { String(decoding: $0, as: UTF8.self).contains(#""key":"k-2""#) })
    try ledger.write(damaged(lines, [number]))
    let dropped = try #require(try drop(ledger, into: freePath(ledger)))
    #expect(dropped.accounts.contains("alice"))
    let books = try ledger.store.books()
    let end = try books.bookmark().position
    let records = try books.records(of: "alice", before: end, skipping: 0, limit: 100)
    let drops = records.filter { if case .dropped = $0.record.event { true } else { false } }
    #expect(drops.count == 1)
    let line = drops.first?.record.historyLine
    #expect(line?.kind == .adjustment && line?.credits == -33)
    #expect(try ledger.store.info().version == 7)
  }

  /// A journal that is shorter than its index knows.
  @Test func continuesWithoutTheCutPart() throws {
    let ledger = try filled()
    let lines = try ledger.lines()
    try ledger.write(lines.dropLast(2), keepsIndex: true)
    #expect(throws: CreditError.self) { try ledger.store.rebuild() }
    let dropped = try #require(try drop(ledger, into: freePath(ledger)))
    #expect(dropped.lost == 2 && dropped.file == nil && dropped.bytes == 0)
    #expect(dropped.accounts == ["alice"])
    try expectSound(ledger, try balances(lines.dropLast(2)), "cut")
  }

  /// The last record of the index is missing if its line cannot be read.
  @Test func countsADamagedLastRecord() throws {
    let ledger = try filled()
    let lines = try ledger.lines()
    let changed = damaged(lines, [lines.count - 1])
    try ledger.write(changed, keepsIndex: true)
    let dropped = try #require(try drop(ledger, into: freePath(ledger)))
    #expect(dropped.lost == 1 && dropped.places == 1 && dropped.accounts == ["alice"])
    try expectSound(ledger, try balances(changed), "last")
  }

  /// Without its first line a journal has all records: it gets another one.
  @Test func replacesAMissingFirstLine() throws {
    let ledger = try filled()
    let lines = try ledger.lines()
    try ledger.write(Array(lines.dropFirst()))
    #expect(throws: CreditError.self) { try ledger.store.rebuild() }
    #expect(try drop(ledger, into: freePath(ledger)) == nil)
    try expectSound(ledger, try balances(lines), "headless")
    #expect(try ledger.lines().count == lines.count)
  }

  /// A readable record that breaks a rule is not dropped, and nothing is changed.
  @Test func keepsAWrongRecord() throws {
    let ledger = try filled()
    var lines = try ledger.lines()
    let number = try #require(
      lines.firstIndex {
        String(decoding: $0, as: UTF8.self).contains(#""event":"charge","account":"alice""#)
      })
    lines[number] = LedgerStore.resealed(
      lines[number], replacing: #""starter":"#, with: #""purchased":"#)
    try ledger.write(lines)
    let path = freePath(ledger)
    let error = try #require(throws: CreditError.self) { try drop(ledger, into: path) }
    #expect(error.code == .corruptStore)
    #expect(try ledger.lines() == lines)
    #expect(!FileManager.default.fileExists(atPath: path))
  }

  @Test func aFileThatIsThereStays() throws {
    let ledger = try filled()
    let lines = damaged(try ledger.lines(), [5])
    try ledger.write(lines)
    let path = freePath(ledger)
    try Data("mine".utf8).write(to: URL(fileURLWithPath: path))
    let error = try #require(throws: CreditError.self) { try drop(ledger, into: path) }
    #expect(error.code == .cannotCreate)
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == Data("mine".utf8))
    #expect(try ledger.lines() == lines)
  }

  /// After the failure of any call, the journal is the old one or the new one.
  @Test func aFailureLeavesTheOldStoreOrTheNew() throws {
    let ledger = try filled()
    let lines = damaged(try ledger.lines(), [7, 12])
    try ledger.write(lines)
    _ = try drop(ledger, into: freePath(ledger))
    let new = try ledger.lines()
    let system = FaultySystem()
    let store = LocalStore(at: ledger.files.directory.path, system: system)
    var (failures, isWhole) = (0, false)
    for call in 1...400 where !isWhole {
      try ledger.write(lines)
      let failing = system.callCount + call
      system.failing = failing
      system.isLasting = call % 2 == 0
      let result = Result {
        try store.rebuild(droppingDamagedInto: freePath(ledger)) { _, _ in }
      }
      system.failing = nil
      let now = try ledger.lines()
      #expect(now == lines || now == new, "call \(call)")
      if case .failure = result { failures += 1 } else { #expect(now == new, "call \(call)") }
      // Further calls are not made.
      isWhole = system.callCount < failing
    }
    #expect(failures > 20 && isWhole)
  }

  /// The losses of a shortened journal are known until the new one is in place, and the dropped
  /// bytes are kept afterwards, wherever the process is stopped.
  @Test func aFailureLosesNoKnowledge() throws {
    let ledger = try filled()
    let lines = damaged(try ledger.lines().dropLast(2), [7])
    let index = try ledger.files.bytes(IndexFile.name)
    try ledger.write(lines, keepsIndex: true)
    _ = try drop(ledger, into: freePath(ledger))
    let new = try ledger.lines()
    let system = FaultySystem()
    let store = LocalStore(at: ledger.files.directory.path, system: system)
    var failures = 0
    for call in 1...400 {
      try ledger.write(lines)
      try ledger.files.write(index, to: IndexFile.name)
      let path = freePath(ledger)
      system.failing = system.callCount + call
      system.isLasting = true
      let result = Result { try store.rebuild(droppingDamagedInto: path) { _, _ in } }
      system.failing = nil
      let now = try ledger.lines()
      try StoreLock(in: ledger.files.directory, .update).clearMark()
      if now == lines {
        #expect(try ledger.store.info().lost ?? 0 > 0, "call \(call)")
      } else {
        #expect(now == new, "call \(call)")
        #expect(FileManager.default.fileExists(atPath: path), "call \(call)")
      }
      guard case .failure = result else { break }
      failures += 1
    }
    #expect(failures > 20)
  }
}
