import CreditModel
import CreditSystem
import Testing

@testable import CreditStore
@testable import TestSupport

/// The rule that distinguishes torn appends from damage.
struct JournalTailTests {
  private let lines = [
    JournalHeader(version: .first, createdAt: Timestamp(milliseconds: 0)).line.withBytes {
      Array($0)
    },
    sealedLine(2, padding: 40), sealedLine(3, padding: 9),
  ]
  private var bytes: [UInt8] { Array(lines.joined()) }

  /// The end of the last line within `count` bytes.
  private func wholeLines(_ count: Int) -> Int {
    var end = 0
    for line in lines {
      if end + line.count > count { break }
      end += line.count
    }
    return end
  }

  @Test func everyTornTailIsKeptAsideAndCutOff() throws {
    let store = try TemporaryStore()
    for count in 0...bytes.count {
      let whole = wholeLines(count)
      try store.write(bytes[..<count], to: JournalFile.name)
      let reader = try JournalFile(in: store.directory, .read)
      try reader.refresh()
      #expect(reader.length == whole)
      #expect(reader.tornByteCount == count - whole)
      let journal = try store.openJournal()
      #expect(journal.length == whole)
      #expect(try store.bytes(JournalFile.name) == Array(bytes[..<whole]))
      let torn = "journal.torn-\(whole)"
      if count > whole {
        #expect(try store.bytes(torn) == Array(bytes[whole..<count]))
        try store.directory.removeFile(torn)
      } else {
        #expect(try store.directory.status(of: torn) == nil)
      }
      try journal.append(lines[0])
      #expect(try journal.lines().last == lines[0])
    }
  }

  /// Text that is not the beginning of a header is foreign.
  @Test(arguments: ["words", #"{"n":1"#, #"{"store":"credits""#])
  func anotherTextIsNotCutOff(_ text: String) throws {
    let store = try TemporaryStore()
    try store.write(text.utf8, to: JournalFile.name)
    let journal = try JournalFile(in: store.directory, .update)
    #expect(throws: StoreFault.self) { try journal.recover() }
    #expect(try store.bytes(JournalFile.name) == Array(text.utf8))
  }

  @Test func lostBlocksAtTheEndAreTorn() throws {
    let store = try TemporaryStore()
    for count in 0..<bytes.count {
      let lost = [UInt8](repeating: 0, count: bytes.count - count)
      try store.write(bytes[..<count] + lost, to: JournalFile.name)
      let journal = try store.openJournal()
      #expect(journal.length == wholeLines(count))
    }
  }

  @Test func lostBlocksBeforeTheLastNewlineAreTorn() throws {
    let store = try TemporaryStore()
    let bytes = Array((lines + [sealedLine(4, padding: 2000)]).joined())
    let start = self.bytes.count
    for first in stride(from: start, to: bytes.count, by: 41) {
      for end in [512, 1024, 1536] where end > first {
        var changed = bytes
        for index in first..<end { changed[index] = 0 }
        try store.write(changed, to: JournalFile.name)
        let journal = try store.openJournal()
        #expect(journal.length == start)
      }
    }
  }

  @Test func aBatchIsThereAsAWholeOrNotAtAll() throws {
    let store = try TemporaryStore()
    let batch = [
      sealedLine(4, isContinued: true), sealedLine(5, padding: 600, isContinued: true),
      sealedLine(6),
    ]
    let whole = bytes + batch.joined()
    for count in stride(from: bytes.count, to: whole.count, by: 7) {
      try store.write(whole[..<count], to: JournalFile.name)
      let journal = try store.openJournal()
      #expect(journal.length == bytes.count)
    }
    // A power cut that kept the batch's end.
    for first in stride(from: bytes.count, to: 512, by: 13) {
      var changed = whole
      for index in first..<512 { changed[index] = 0 }
      try store.write(changed, to: JournalFile.name)
      let reader = try JournalFile(in: store.directory, .read)
      try reader.refresh()
      #expect(reader.length == whole.count)
      #expect(try reader.refreshLastBatch())
      #expect(try reader.lines() == lines)
      let journal = try store.openJournal()
      #expect(try journal.refreshLastBatch())
      try journal.cutTornTail()
      #expect(try store.bytes(JournalFile.name) == bytes)
      try store.directory.removeFile("journal.torn-\(bytes.count)")
    }
    try store.write(whole, to: JournalFile.name)
    let journal = try store.openJournal()
    #expect(try !journal.refreshLastBatch())
    #expect(try journal.lines() == lines + batch)
  }

  @Test func aChangedByteOfALastBatchIsDamage() throws {
    let store = try TemporaryStore()
    let batch = [sealedLine(4, isContinued: true), sealedLine(5)]
    var changed = bytes + batch.joined()
    changed[bytes.count + 3] ^= 1
    try store.write(changed, to: JournalFile.name)
    let journal = try store.openJournal()
    #expect(throws: damage(line: 4, offset: bytes.count)) { try journal.refreshLastBatch() }
    #expect(try store.bytes(JournalFile.name) == changed)
  }

  @Test func lostBlocksBeforeASoundLineAreDamage() throws {
    let store = try TemporaryStore()
    var changed = bytes
    changed[lines[0].count + 3] = 0
    try store.write(changed, to: JournalFile.name)
    let journal = try store.openJournal()
    #expect(journal.length == bytes.count)
    #expect(throws: damage(line: 2, offset: lines[0].count)) { try journal.lines() }
    #expect(try store.bytes(JournalFile.name) == changed)
  }

  @Test(arguments: [UInt8(1), 0x20, 0x80, 0xFF])
  func everyChangedByteIsFound(mask: UInt8) throws {
    let store = try TemporaryStore()
    // With a NUL for its last newline the last line is one that lost a block.
    for index in 0..<bytes.count - (mask == 0xFF ? 1 : 0) {
      var changed = bytes
      changed[index] = mask == 0xFF ? 0 : changed[index] ^ mask
      try store.write(changed, to: JournalFile.name)
      let journal = try JournalFile(in: store.directory, .update)
      let number = wholeLines(index) == 0 ? 1 : wholeLines(index) == lines[0].count ? 2 : 3
      let expected = damage(line: number, offset: wholeLines(index))
      #expect(throws: expected) {
        try journal.recover()
        _ = try journal.lines()
      }
      #expect(try store.bytes(JournalFile.name) == changed)
    }
  }

  @Test func aBadLineBeforeATornOneIsDamage() throws {
    let store = try TemporaryStore()
    var changed = Array(bytes.dropLast(5))
    changed[lines[0].count + 3] ^= 1
    try store.write(changed, to: JournalFile.name)
    let journal = try JournalFile(in: store.directory, .update)
    #expect(throws: damage(line: 2, offset: lines[0].count)) { try journal.recover() }
    #expect(try store.directory.names() == [JournalFile.name])
  }

  @Test func aLongTornTailIsFound() throws {
    let store = try TemporaryStore()
    let lost = [UInt8](repeating: 0, count: 3_000_000)
    try store.write(bytes + bytes[..<9] + lost + bytes[..<4] + [newline], to: JournalFile.name)
    let journal = try store.openJournal()
    #expect(journal.length == bytes.count)
    #expect(try store.bytes("journal.torn-\(bytes.count)").count == 3_000_014)
    try store.write(bytes + [1], to: JournalFile.name)
    try journal.recover()
    #expect(try store.bytes("journal.torn-\(bytes.count).2") == [1])
  }

  @Test func aFailureDuringRecoveryLosesNoRecord() throws {
    let store = try TemporaryStore()
    let torn = bytes + bytes[..<20]
    var failing = 1
    while true {
      for name in try store.directory.names() { try store.directory.removeFile(name) }
      try store.write(torn, to: JournalFile.name)
      let system = FaultySystem()
      system.failing = failing
      do {
        try JournalFile(in: store.directory(system), .update).recover()
      } catch {
        #expect(system.failedCall != nil)
      }
      #expect(system.openFiles.isEmpty)
      if system.failedCall == nil { break }
      failing += 1
      let journal = try store.openJournal()
      #expect(try journal.lines() == lines)
      let names = try store.directory.names().filter { $0.hasPrefix("journal.torn-") }
      #expect(try names.contains { try store.bytes($0) == Array(bytes[..<20]) })
    }
    #expect(failing > 8)
  }

  private func damage(line: Int, offset: Int) -> StoreFault {
    .damaged(JournalDamage(line: line, offset: offset, reason: "has a wrong checksum"))
  }
}
