import CreditModel
import CreditSystem
import Testing

@testable import CreditStore
@testable import TestSupport

/// Batches so long that the journal writes their pieces while more is made.
@Suite struct PendingLinesTests {
  private let store: TemporaryStore
  private let journal: JournalFile
  private let batch: PendingLines
  private let lineCount = 3_000

  init(_ system: any SystemCalls = PosixSystem()) throws {
    store = try TemporaryStore(system)
    journal = try store.journal([sealedLine(0)])
    batch = PendingLines(
      of: journal, changing: PendingIndex(over: nil, PosixSystem()), syncs: true)
  }

  /// Adds lines of 300 bytes and more.
  /// - Parameter isWritten: true to write each piece before the next one is full.
  /// - Returns: their offsets.
  private func fill(isWritten: Bool = false) throws -> [Int] {
    let name = Name(trusted: String(repeating: "x", count: 300))
    let account = Account(name: name, registeredAt: .earliest)
    return try (1...lineCount).map { number in
      let place = Int(batch.end.value)
      if isWritten, number % 100 == 0 { journal.finishAhead() }
      try batch.append(
        LedgerRecord(event: .registration(starter: Int64(number)), account: account),
        previous: nil)
      return place
    }
  }

  private func text(at place: Int) throws -> String? {
    try batch.withLine(at: place) { String(decoding: $0, as: UTF8.self) }
  }

  private func expectLines(at places: [Int]) throws {
    for (index, place) in places.enumerated() {
      #expect(try text(at: place)?.contains("x\",\"credits\":\(index + 1),") == true)
    }
  }

  @Test(arguments: [false, true])
  func itsLinesAreReadWhileItIsMadeAndThenInTheJournal(isWritten: Bool) throws {
    // The second batch takes the memory of the first one's pieces.
    for round in 1...2 {
      let places = try fill(isWritten: isWritten)
      #expect(batch.byteCount > 3 * JournalPiece.byteCount)
      try expectLines(at: places)
      #expect(try text(at: Int(batch.end.value)) == nil)
      #expect(try text(at: journal.length - 1) == nil)
      try batch.write()
      #expect(batch.byteCount == 0)
      let lines = try journal.lines()
      #expect(lines.count == 1 + round * lineCount)
      let ends = lines.map { line in
        // Without the newline.
        !line.dropLast().withBytes { JournalLine.isContinued($0) }
      }
      #expect(ends.filter { $0 }.count == 1 + round)
      #expect(ends.last == true)
    }
  }

  /// Written lines are not kept in memory, unless the disk did not take them.
  /// - Parameter failing: the piece that can't be written; 0 for none.
  @Test(arguments: [0, 1, 2]) func piecesAreUsedAgain(failing: Int) throws {
    let system = FaultySystem()
    let here = try PendingLinesTests(system)
    if failing > 0 { system.failing = system.callCount + failing }
    let places = try here.fill(isWritten: true)
    #expect(here.journal.hasFailedAhead == (failing > 0))
    var readCount = 0
    system.beforeRead = { _, _ in readCount += 1 }
    try here.expectLines(at: places)
    #expect((readCount > 0) == (failing != 1))
    if failing > 0 {
      #expect(throws: StoreFault.self) { try here.batch.write() }
      here.batch.drop()
      #expect(try here.store.bytes(JournalFile.name) == sealedLine(0))
    } else {
      try here.batch.write()
      #expect(try here.journal.lines().count == 1 + lineCount)
    }
  }

  /// Another batch then has its place, and nothing of it is cached.
  @Test func aDroppedBatchLeavesNothing() throws {
    try expectLines(at: try fill(isWritten: true))
    batch.drop()
    #expect(try store.bytes(JournalFile.name) == sealedLine(0))
    let places = try fill(isWritten: true)
    try expectLines(at: places)
    try batch.write()
    #expect(places.first == sealedLine(0).count)
    #expect(try journal.lines().count == 1 + lineCount)
  }
}
