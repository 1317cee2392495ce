import CreditJSON
import CreditModel
import CreditSystem
import Testing

@testable import CreditStore
@testable import TestSupport

/// Batches so long that the journal writes their pieces while more is made.
@Suite struct PendingBatchTests {
  private let store: TemporaryStore
  private let journal: JournalFile
  private let batch: PendingBatch
  private let lineCount = 3_000

  init() throws {
    store = try TemporaryStore()
    journal = try store.journal([sealedLine(0)])
    batch = PendingBatch(
      of: journal, changing: PendingIndex(over: nil, PosixSystem()), syncs: true)
  }

  /// Adds lines of 300 bytes and more.
  /// - Returns: where they stand.
  private func fill() -> [Int] {
    let padding = [UInt8](repeating: UInt8(ascii: "x"), count: 300)
    return (1...lineCount).map { number in
      let place = Int(batch.end.value)
      batch.append { text in
        text.beginObject()
        text.key("n")
        text.integer(Int64(number))
        text.key("p")
        text.string(String(decoding: padding, as: UTF8.self))
      }
      return place
    }
  }

  private func text(at place: Int) -> String? {
    batch.withLine(at: place) { String(decoding: $0, as: UTF8.self) }
  }

  @Test func itsLinesAreReadWhileItIsMadeAndThenInTheJournal() throws {
    // The second batch takes the memory of the first one's pieces.
    for round in 1...2 {
      let places = fill()
      #expect(batch.byteCount > 3 * JournalPiece.byteCount)
      for (index, place) in places.enumerated() {
        #expect(text(at: place)?.hasPrefix("{\"n\":\(index + 1),\"p\":\"x") == true)
      }
      #expect(text(at: Int(batch.end.value)) == nil)
      #expect(text(at: journal.length - 1) == nil)
      try batch.write()
      #expect(batch.byteCount == 0)
      let lines = try journal.lines()
      #expect(lines.count == 1 + round * lineCount)
      let ends = lines.map { line in
        // Without the newline.
        !line.dropLast().withUnsafeBytes { JournalLine.isContinued($0) }
      }
      #expect(ends.filter { $0 }.count == 1 + round)
      #expect(ends.last == true)
    }
  }

  @Test func droppedItLeavesNothing() throws {
    _ = fill()
    batch.drop()
    #expect(try store.bytes(JournalFile.name) == sealedLine(0))
    let places = fill()
    try batch.write()
    #expect(places.first == sealedLine(0).count)
    #expect(try journal.lines().count == 1 + lineCount)
  }
}
