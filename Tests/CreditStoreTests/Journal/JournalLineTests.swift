import CreditBytes
import Testing

@testable import CreditStore

@Suite struct JournalLineTests {
  /// Lines as a batch has them, sealed.
  private func batch(_ count: Int) -> String {
    var text = JSONWriter()
    for number in 0..<count {
      text.beginObject()
      text.key("n")
      text.integer(Int64(number))
      text.endRecord()
    }
    text.endBatch(sealingFrom: 0)
    return text.string
  }

  private func isSound(_ line: some StringProtocol) -> Bool {
    Array(line.utf8).withBytes { JournalLine.isSound($0) }
  }

  @Test func theEndOfARecordHasAsManyBytesAsASeal() {
    #expect(JournalLine.emptySeal.utf8CodeUnitCount == JournalLine.sealByteCount)
  }

  @Test func onlyTheLastLineOfABatchMarksItsEnd() {
    let lines = batch(3).split(separator: "\n")
    #expect(lines.map { $0.contains(#","and":""#) } == [true, true, false])
    #expect(lines.map { $0.contains(#","crc":""#) } == [false, false, true])
    #expect(lines.allSatisfy(isSound))
  }

  @Test func aLineWithoutItsSumIsNotSound() {
    var text = JSONWriter()
    text.beginObject()
    text.key("n")
    text.integer(1)
    text.endRecord()
    #expect(text.string == #"{"n":1,"and":"00000000"}"# + "\n")
    #expect(!isSound(text.string.dropLast()))
  }
}
