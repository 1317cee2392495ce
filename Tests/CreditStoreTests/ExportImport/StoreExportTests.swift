import CreditJSON
import CreditModel
import CreditSystem
import Foundation
import Testing

@testable import CreditStore
@testable import TestSupport

/// A store as text, and back.
@Suite(.slow) struct StoreExportTests {
  private func export(
    _ store: LocalStore, _ disclosure: RecordDisclosure = RecordDisclosure()
  ) throws -> [UInt8] {
    let export = try StoreExport(store, disclosure)
    var output = JSONWriter()
    while try export.write(into: &output) {}
    return output.withBytes { Array($0) }
  }

  private func emptyPlace() throws -> (TemporaryStore, LocalStore) {
    let files = try TemporaryStore()
    return (files, LocalStore(at: files.directory.path))
  }

  @discardableResult
  private func importText(
    _ text: [UInt8], into store: LocalStore, pieceByteCount: Int = 100
  ) throws(CreditError) -> StoreSummary {
    let copy = try StoreImport(store)
    do throws(CreditError) {
      var rest = text[...]
      while !rest.isEmpty {
        let piece = Array(rest.prefix(pieceByteCount))
        rest = rest.dropFirst(pieceByteCount)
        let result = piece.withBytes { bytes -> Result<Void, CreditError> in
          do throws(CreditError) {
            return .success(try copy.append(bytes))
          } catch {
            return .failure(error)
          }
        }
        try result.get()
      }
      return try copy.finish()
    } catch {
      copy.abandon()
      throw error
    }
  }

  @Test(arguments: [1, 7, 1000, 1 << 20])
  func anImportIsTheStoreAgain(pieceByteCount: Int) throws {
    let ledger = try LedgerStore.filled()
    let text = try export(ledger.store)
    let (files, store) = try emptyPlace()
    let summary = try importText(text, into: store, pieceByteCount: pieceByteCount)
    #expect(summary.records == (try ledger.lines().count) - 1)
    #expect(summary.accounts == 3)
    try expectSameJournal(files, ledger.files)
    let names = ["index", "journal.jsonl", "lock", "policy.json"]
    #expect(try files.directory.names().sorted() == names)
    #expect(try files.bytes(IndexFile.name).count > 0)
    #expect(try store.verify().findings.isEmpty)
    #expect(try export(store) == text)
  }

  @Test func everyRequestIsAnsweredAsBefore() throws {
    let ledger = try LedgerStore.filled()
    let (_, store) = try emptyPlace()
    try importText(try export(ledger.store), into: store)
    let gate = LocalCreditGate(store) { _ in "new" }
    let results = try gate.perform(
      [
        ledger.charge("alice", key: "k-2", units: 33),
        ledger.charge("alice", key: "k-2", units: 34),
        ledger.topUp("bob", .transaction("t-2"), 9),
      ], under: store.policy())
    guard case .success(.receipt(let charge, isReplay: true)) = results[0] else {
      Issue.record("no replay: \(results[0])")
      return
    }
    #expect(charge.receipt.creditsCharged == 33)
    #expect(throws: CreditError.self) { try results[1].get() }
    guard case .success(.topUp(let topUp, isReplay: true)) = results[2] else {
      Issue.record("no replay: \(results[2])")
      return
    }
    #expect(topUp.transaction.status == .refunded)
  }

  @Test func linesStandForThemselves() throws {
    let ledger = try LedgerStore.filled()
    let lines = try export(ledger.store).split(separator: newline).map {
      try #require(try JSONSerialization.jsonObject(with: Data($0)) as? [String: Any])
    }
    #expect(lines[0]["export"] as? String == "credit")
    #expect(lines[0]["records"] as? Int == lines.count - 2)
    #expect((lines[1]["policy"] as? [String: Any])?["starterCredits"] as? Int == 100)
    for line in lines.dropFirst(2) {
      #expect(line["state"] != nil)
      #expect(line["previous"] == nil && line["original"] == nil && line["crc"] == nil)
    }
  }

  @Test func aStoreWithRecordsIsLeftAlone() throws {
    let ledger = try LedgerStore()
    let text = try export(ledger.store)
    // Its own policy gives way to that of the export.
    let (files, store) = try emptyPlace()
    _ = try store.create(store.policyDraft(text: Array("{}".utf8)), at: ledger.now)
    try importText(text, into: store)
    #expect(String(decoding: try files.bytes("policy.json"), as: UTF8.self).contains("simulated"))
    try ledger.fill()
    let error = #expect(throws: CreditError.self) { try importText(text, into: ledger.store) }
    #expect(error?.code == .cannotCreate)
  }

  @Test func faultsAreFoundAndNothingIsKept() throws {
    let ledger = try LedgerStore.filled()
    let text = String(decoding: try export(ledger.store), as: UTF8.self)
    let lines = text.split(separator: "\n").map(String.init)
    func expect(
      _ code: CreditError.Code, line: Int?, _ change: (inout [String]) -> Void,
      sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
      var changed = lines
      change(&changed)
      let (files, store) = try emptyPlace()
      let error = #expect(throws: CreditError.self, sourceLocation: sourceLocation) {
        try importText(Array((changed.joined(separator: "\n") + "\n").utf8), into: store)
      }
      #expect(error?.code == code, "\(String(describing: error))", sourceLocation: sourceLocation)
      #expect(error?.place.first == line, sourceLocation: sourceLocation)
      #expect(try !files.directory.names().contains("journal.import"))
      if try files.directory.status(of: JournalFile.name) != nil {
        #expect(try store.verify().records == 0, sourceLocation: sourceLocation)
      }
    }
    try expect(.invalidRequest, line: nil) { $0.removeLast() }
    try expect(.invalidRequest, line: nil) { $0 = [] }
    try expect(.invalidRequest, line: nil) { $0.removeLast($0.count - 1) }
    try expect(.invalidJSON, line: 1) { $0[0] = "export" }
    try expect(.invalidRequest, line: 1) { $0.removeFirst() }
    try expect(.invalidPolicy, line: nil) { $0[1] = #"{"policy":{"starterCredits":-1}}"# }
    try expect(.invalidRequest, line: 2) { $0[1] = #"{"policies":{}}"# }
    try expect(.invalidRequest, line: 3) { $0.remove(at: 2) }
    try expect(.invalidRequest, line: 4) { $0.insert($0[2], at: 3) }
    try expect(.invalidJSON, line: 5) { $0[4].removeLast() }
    try expect(.invalidRequest, line: 5) { $0[4] = "{}" }
    try expect(.invalidJSON, line: 5) { $0[4] += " {}" }
    try expect(.invalidRequest, line: 5) { $0[4] = " " + $0[4] }
    try expect(.invalidRequest, line: 5) {
      $0[4].removeLast()
      $0[4] += #","crc":"00000000"}"#
    }
  }

  @Test func aDamagedStoreIsNotExportedAsAWhole() throws {
    let ledger = try LedgerStore.filled()
    var lines = try ledger.lines()
    lines[5][40] ^= 1
    try ledger.write(lines)
    let export = try StoreExport(ledger.store)
    var output = JSONWriter()
    let error = #expect(throws: CreditError.self) { while try export.write(into: &output) {} }
    #expect(error?.code == .corruptStore)
    #expect(error?.place.first == 6)
    let (_, store) = try emptyPlace()
    let text = output.withBytes { Array($0) }
    #expect(throws: CreditError.self) { try importText(text, into: store) }
  }

  /// The last batch counts as a whole or not at all, for an export as for everything else.
  @Test func anIncompleteBatchIsNotExported() throws {
    let ledger = try LedgerStore.filled()
    let text = try export(ledger.store)
    let whole = try ledger.files.bytes(JournalFile.name)
    try ledger.perform(
      ledger.charge("bob", key: "k-8", units: 1), ledger.charge("bob", key: "k-9", units: 1))
    var cut = try ledger.files.bytes(JournalFile.name)
    let sector = (whole.count / 512 + 1) * 512
    for offset in whole.count..<sector { cut[offset] = 0 }
    try ledger.files.write(cut, to: JournalFile.name)
    // The index knows that it was acknowledged.
    #expect(try ledger.store.verify().findings.first?.lost == 1)
    #expect(throws: CreditError.self) { try export(ledger.store) }
    try ledger.files.directory.removeFile(IndexFile.name)
    #expect(try ledger.store.verify().findings.isEmpty)
    #expect(try export(ledger.store) == text)
  }

  @Test func anInterruptedImportIsBegunAgain() throws {
    let ledger = try LedgerStore.filled()
    let text = try export(ledger.store)
    let (files, store) = try emptyPlace()
    do {
      let copy = try StoreImport(store)
      try text.dropLast(100).withBytes { try copy.append($0) }
      // Another one at the same time does not wait.
      let error = #expect(throws: CreditError.self) { try importText(text, into: store) }
      #expect(error?.code == .storeLocked)
    }
    // Neither the records nor the policy are there.
    let error = #expect(throws: CreditError.self) { try store.verify() }
    #expect(error?.code == .noStore)
    #expect(try files.directory.status(of: PolicyFile.name) == nil)
    try importText(text, into: store)
    try expectSameJournal(files, ledger.files)
  }

  /// A store that is there keeps its policy until the records come, too.
  @Test func anImportThatEndsEarlyLeavesThePolicy() throws {
    let ledger = try LedgerStore.filled()
    let text = try export(ledger.store)
    let (files, store) = try emptyPlace()
    _ = try store.create(at: ledger.now)
    let policy = try files.bytes(PolicyFile.name)
    do {
      let copy = try StoreImport(store)
      try text.dropLast(100).withBytes { try copy.append($0) }
    }
    #expect(try files.bytes(PolicyFile.name) == policy)
    #expect(try store.verify().records == 0)
    try importText(text, into: store)
    #expect(try store.verify().records > 0)
  }

  /// Accounts whose parents are a ring, or are not there, are no sound export.
  @Test func anImportRefusesBrokenChains() throws {
    let ledger = try LedgerStore()
    try ledger.fillPool()
    let text = String(decoding: try export(ledger.store), as: UTF8.self)
    for parent in ["member", "nobody there"] {
      let changed = text.replacingOccurrences(
        of: #""parent":"company""#, with: "\"parent\":\"\(parent)\"")
      #expect(changed != text)
      let (_, store) = try emptyPlace()
      let error = #expect(throws: CreditError.self) {
        try importText(Array(changed.utf8), into: store)
      }
      #expect(error?.code == .invalidRequest)
    }
  }

  /// The only difference is the grouping of appends.
  private func expectSameJournal(_ left: TemporaryStore, _ right: TemporaryStore) throws {
    let texts = try [left, right].map { files in
      String(decoding: try files.bytes(JournalFile.name), as: UTF8.self)
        .replacingOccurrences(of: #","and":""#, with: #","crc":""#)
    }
    #expect(texts[0] == texts[1])
  }

  /// Without a removed account the rest is unchanged, and its ids are taken.
  @Test func removedAccountLeavesItsIDsAlone() throws {
    let ledger = try LedgerStore.filled()
    let reader = try StoreReader(ledger.store)
    let end = try reader.bookmark().position
    let accounts = try reader.accounts(after: nil, before: end, limit: 100)
    for removed in accounts.map(\.record.account.name) {
      let (_, store) = try emptyPlace()
      let text = try export(ledger.store, RecordDisclosure(removed: [removed]))
      try importText(text, into: store)
      #expect(try store.verify().findings.isEmpty)
      let left = try StoreReader(store)
      let others = try left.accounts(
        after: nil, before: try left.bookmark().position, limit: 100)
      #expect(
        others.map(\.record.account)
          == accounts.map(\.record.account).filter { $0.name != removed })
      for id in try ids(of: removed, in: reader) {
        let claim = try left.newest(of: id)
        #expect(claim?.record.event == .claim(id))
      }
      // The rest may only need an earlier version.
      let again = try export(store).split(separator: UInt8(ascii: "\n"))
      #expect(again.dropFirst() == text.split(separator: UInt8(ascii: "\n")).dropFirst())
    }
  }

  private func ids(of account: Name, in reader: StoreReader) throws -> [RecordKey] {
    let end = try reader.bookmark().position
    let records = try reader.records(of: account, before: end, skipping: 0, limit: 1000)
    return records.compactMap(\.record.event.id)
  }

  /// A catalog too long for one line, cut at characters of several bytes. Each cut is in one of
  /// them, or behind it; the others are plain, which a debug build reads in a fraction of the time.
  @Test func longFileIsExportedInPieces() {
    for shift in 0..<4 {
      let unit = String(repeating: "x", count: 60) + "𝄞"
      let text = String(repeating: "x", count: shift) + String(repeating: unit, count: 3 << 16)
      var output = JSONWriter()
      output.exported(KeptFile(member: .catalog, name: "c", bytes: Array(text.utf8)))
      let pieces = output.withBytes { bytes in
        var (pieces, rest): ([String], Bytes) = ([], bytes)
        while let end = rest.firstNewline() {
          let line = try? JSONDocument([UInt8](rest[..<end]))
          pieces.append(line?.withRoot { $0.string("text") } ?? "")
          rest = Bytes(rebasing: rest[(end + 1)...])
        }
        return pieces
      }
      #expect(pieces.count == (shift == 0 ? 3 : 4) && pieces.joined() == text)
    }
  }
}
