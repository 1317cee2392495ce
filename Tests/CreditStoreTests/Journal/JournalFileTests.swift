import CreditBytes
import Testing

@testable import CreditStore
@testable import CreditSystem
@testable import TestSupport

struct JournalFileTests {
  private let lines = [sealedLine(1), sealedLine(2, padding: 40), sealedLine(3, padding: 9)]

  @Test func sealIsTheChecksumOfTheBytesBefore() {
    let line = sealedLine(7)
    let content = Array("{\"n\":7,\"p\":\"\"".utf8)
    let checksum = content.withBytes { CRC32C.checksum($0) }
    let digits = String(checksum, radix: 16)
    let padded = String(repeating: "0", count: 8 - digits.count) + digits
    #expect(String(decoding: line, as: UTF8.self) == "{\"n\":7,\"p\":\"\",\"crc\":\"\(padded)\"}\n")
    #expect(line.count == content.count + JournalLine.sealByteCount)
  }

  @Test func appendedLinesAreReadBack() throws {
    let store = try TemporaryStore()
    try JournalFile.create(in: store.directory)
    let journal = try store.openJournal()
    var offsets: [Int] = []
    for line in lines {
      offsets.append(journal.length)
      try journal.append(line)
    }
    #expect(try journal.lines() == lines)
    for (offset, line) in zip(offsets, lines) {
      #expect(try journal.withLine(at: offset) { Array($0) } == line.dropLast())
      #expect(try journal.withLine(at: offset + 1) { $0.count } == nil)
    }
    #expect(try journal.withLine(at: -1) { $0.count } == nil)
    #expect(try journal.withLine(at: journal.length) { $0.count } == nil)
    #expect(try store.bytes(JournalFile.name) == Array(lines.joined()))
    #expect(throws: StoreFault.self) { try JournalFile.create(in: store.directory) }
  }

  private func piece(_ bytes: [UInt8]) -> JournalPiece {
    let piece = JournalPiece()
    bytes.withBytes { piece.text.append(lines: $0) }
    return piece
  }

  @Test func aBatchIsWrittenAhead() throws {
    let store = try TemporaryStore()
    let journal = try store.journal([lines[0]])
    journal.writeAhead([piece(lines[1])], sync: true)
    journal.writeAhead([piece(lines[2])], sync: true)
    #expect(journal.length == lines[0].count)
    try journal.append(lines[0])
    #expect(try journal.lines() == lines + [lines[0]])
    try journal.append(lines[1])
    #expect(try journal.lines() == lines + lines[...1])
  }

  @Test func bytesWrittenAheadAreTakenBack() throws {
    let store = try TemporaryStore()
    let journal = try store.journal([lines[0]])
    journal.writeAhead([piece(lines[1])], sync: true)
    journal.dropAhead()
    #expect(try store.bytes(JournalFile.name) == lines[0])
    try journal.append(lines[2])
    #expect(try journal.lines() == [lines[0], lines[2]])
  }

  @Test func aBatchThatFailsAheadFails() throws {
    let system = FaultySystem()
    let store = try TemporaryStore(system)
    let journal = try store.journal([lines[0]])
    system.failing = system.callCount + 1
    journal.writeAhead([piece(lines[1])], sync: true)
    journal.writeAhead([piece(lines[2])], sync: true)
    let fault = #expect(throws: StoreFault.self) { try journal.append(lines[0]) }
    guard case .appendFailed(_, undone: true) = fault else {
      Issue.record("\(String(describing: fault))")
      return
    }
    #expect(try store.bytes(JournalFile.name) == lines[0])
    try journal.append(lines[1])
    #expect(try journal.lines() == Array(lines[...1]))
  }

  @Test func longLinesAndManyLinesAreReadInEveryOrder() throws {
    let sizes = [0, 900, 1100, 5000, 70_000, 300_000, 1_000_000, 3, 64_000, 20]
    let lines = (0..<20).map { sealedLine($0, padding: sizes[$0 % sizes.count]) }
    let store = try TemporaryStore()
    let journal = try store.journal(lines)
    #expect(try journal.lines() == lines)
    let offsets = lines.reduce(into: [0]) { $0.append(($0.last ?? 0) + $1.count) }
    for step in [1, 7, 19] {
      for turn in 0..<20 {
        let number = turn * step % 20
        let line = try journal.withLine(at: offsets[number]) { Array($0) + [newline] }
        #expect(line == lines[number])
      }
    }
    for number in 0..<20 {
      let end = offsets[number + 1]
      #expect(
        try journal.anchor(at: end)
          == lines[number].dropLast().withBytes { JournalLine.writtenChecksum($0) })
      #expect(try journal.anchor(at: end - 1) == nil)
    }
    #expect(try journal.anchor(at: 0) == 0)
  }

  @Test func aLineOverTheLimitIsDamage() throws {
    let store = try TemporaryStore()
    let long = sealedLine(1, padding: JournalLine.limit)
    let journal = try store.journal([lines[0], long, lines[1]])
    #expect(throws: StoreFault.self) { try journal.lines() }
    var sound = 0
    try journal.scan(from: 0, to: journal.length) { (_, _, isSound) throws(StoreFault) in
      sound += isSound ? 1 : 0
    }
    #expect(sound == 2)
    #expect(throws: StoreFault.self) { try journal.withLine(at: lines[0].count) { $0.count } }
  }

  @Test func anotherProcessIsFollowed() throws {
    let store = try TemporaryStore()
    let journal = try store.journal()
    let reader = try JournalFile(in: store.directory, .read)
    for line in lines {
      try journal.append(line)
      #expect(try reader.refresh() == false)
      #expect(reader.length == journal.length)
    }
    try journal.rewrite()
    #expect(try reader.refresh() == true)
    #expect(try reader.lines() == lines)
    #expect(try store.bytes(JournalFile.name) == Array(lines.joined()))
    try journal.append(lines[0])
    #expect(try reader.refresh() == false)
    #expect(reader.length == journal.length)
  }

  @Test func aFailedWriteIsUndone() throws {
    let store = try TemporaryStore()
    _ = try store.journal([lines[0]])
    let system = FaultySystem()
    system.transferLimit = 10
    let journal = try store.openJournal(system)
    system.failing = system.callCount + 3
    system.code = 28
    #expect(
      throws: StoreFault.appendFailed(
        SystemError(call: "write", code: 28, name: store.directory.path(of: JournalFile.name)),
        undone: true)
    ) { try journal.append(lines[1]) }
    #expect(try store.bytes(JournalFile.name) == lines[0])
    try journal.append(lines[2])
    #expect(try journal.lines() == [lines[0], lines[2]])
  }

  @Test func aBatchThatCannotBeUndoneIsCutOffLater() throws {
    let store = try TemporaryStore()
    _ = try store.journal([lines[0]])
    let system = FaultySystem()
    system.transferLimit = 10
    let journal = try store.openJournal(system)
    system.failing = system.callCount + 3
    system.isLasting = true
    #expect(
      throws: StoreFault.appendFailed(
        SystemError(call: "write", code: 5, name: store.directory.path(of: JournalFile.name)),
        undone: false)
    ) { try journal.append(lines[1]) }
    system.failing = nil
    #expect(try store.bytes(JournalFile.name).count == lines[0].count + 20)
    try journal.recover()
    #expect(try store.bytes(JournalFile.name) == lines[0])
    #expect(try store.bytes("journal.torn-\(lines[0].count)") == Array(lines[1][..<20]))
  }

  @Test func aFailedSyncIsReportedAndNotRepeated() throws {
    let store = try TemporaryStore()
    _ = try store.journal([lines[0]])
    let system = FaultySystem()
    let journal = try store.openJournal(system)
    system.failing = system.callCount + 2
    let error = SystemError(call: "sync", code: 5, name: store.directory.path(of: JournalFile.name))
    #expect(throws: StoreFault.syncFailed(error)) { try journal.append(lines[1]) }
    #expect(system.failing == system.callCount)
    #expect(journal.length == lines[0].count)
  }
}
