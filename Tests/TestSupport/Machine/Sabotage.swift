import CreditBytes

@testable import CreditStore

/// A machine's faults for testing the simulator: each breaks a promise that the store's design
/// relies on, or is a fault that the store must not have.
enum Sabotage: CaseIterable, Sendable {
  /// A sync of a file has no effect.
  case filesAreNotSynced
  /// A sync of a directory has no effect.
  case namesAreNotSynced
  /// A sync that fails says that all is well.
  case failedSyncsPass
  /// The journal is never made shorter, so that no append is cut back.
  case nothingIsCutBack
  /// A batch is appended twice.
  case appendsAreDoubled
  /// A write to the journal is now and then not carried out.
  case appendsAreLost
  /// The index says of a key that it does not have it.
  case indexLies
  /// A start of the machine can't be told from the one before.
  case startsLookAlike
  /// A power cut changes an old line of the journal, and its checksum with it.
  case historyChanges
  /// A limit has counted another amount than was spent.
  case countersAreNotWritten
  /// A share of a charge goes to another account than the one that pays it.
  case sharesAreLost
  /// A limit's window is said to have begun once more.
  case windowsResetTwice
  /// A limit in dollars has counted another amount.
  case dollarsAreNotCounted
  /// A quota is said to have carried over other credits than were left.
  case carriedCreditsChange
  /// A window by a wall clock is said to end at another time.
  case windowsEndAtAnotherTime
}

extension SimulatedMachine {
  func write(_ bytes: Bytes, to file: SimulatedFile, at offset: Int) {
    defer { file.changed = changeTime() }
    if sabotage == .appendsAreLost, isJournal(file), random.once(in: 10) { return }
    if isJournal(file), let changed = sabotaged(bytes) {
      return changed.withBytes { file.write($0, at: offset) }
    }
    file.write(bytes, at: offset)
    if sabotage == .appendsAreDoubled, isJournal(file), offset > 0 {
      file.write(bytes, at: offset + bytes.count)
    }
  }

  /// Returns lines of the journal with a change in the last one and a matching checksum; nil if
  /// that has no suitable part.
  private func sabotaged(_ bytes: Bytes) -> [UInt8]? {
    guard let line = bytes.split(separator: UInt8(ascii: "\n")).last else { return nil }
    var text = String(decoding: line, as: UTF8.self)
    switch sabotage {
    case .countersAreNotWritten:
      guard let place = text.firstRange(of: #"Z","used":"#)?.upperBound else { return nil }
      text.replaceSubrange(place...place, with: text[place] == "9" ? "8" : "9")
    case .sharesAreLost:
      guard text.contains(#""event":"share""#),
        let place = text.firstRange(of: #""account":"account-"#)?.upperBound
      else { return nil }
      text.replaceSubrange(place...place, with: text[place] == "0" ? "1" : "0")
    case .windowsResetTwice:
      let start = #"T00:00:00.000Z","used":"#
      guard text.contains(start) else { return nil }
      text = text.replacing(start, with: #"T00:00:00.001Z","used":"#)
    case .dollarsAreNotCounted:
      guard let place = text.firstRange(of: #"Z","used":""#)?.upperBound else { return nil }
      text.replaceSubrange(place...place, with: text[place] == "9" ? "8" : "9")
    case .carriedCreditsChange:
      guard let place = text.firstRange(of: #""carried":["#)?.upperBound else { return nil }
      text.insert("9", at: place)
    case .windowsEndAtAnotherTime:
      // Tens of the minutes of the last limit's end.
      guard let limits = text.firstRange(of: #""limits":["#)?.upperBound,
        let end = text[limits...].ranges(of: #""resetsAt":""#).last?.upperBound
      else { return nil }
      let place = text.index(end, offsetBy: 14)
      text.replaceSubrange(place...place, with: text[place] == "0" ? "1" : "0")
    default: return nil
    }
    var changed = Array(bytes.prefix(line.startIndex)) + Array(text.utf8) + [UInt8(ascii: "\n")]
    let first = line.startIndex
    changed.withMutableBytes {
      JournalLine.seal(MutableBytes(rebasing: $0[first...]))
    }
    return changed
  }

  func sync(_ file: SimulatedFile) {
    if sabotage != .filesAreNotSynced { file.sync() }
  }

  func setLength(_ file: SimulatedFile, _ length: Int) {
    if sabotage == .nothingIsCutBack, isJournal(file), length < file.count { return }
    file.setLength(length)
  }

  private func isJournal(_ file: SimulatedFile) -> Bool { file === storeFile(JournalFile.name) }

  /// Lets a key of the index lead nowhere, with the sum that its page has then.
  func dropIndexEntry() {
    guard let index = storeFile(IndexFile.name) else { return }
    var bytes = index.bytes
    let random = random.next()
    bytes.withMutableBytes { memory in
      guard let layout = IndexLayout(of: memory) else { return }
      let tables = IndexTables(in: memory, layout)
      let used: [Int] = (0...tables.mask).filter { tables.slots[$0].stored != 0 }
      guard !used.isEmpty else { return }
      let place = used[Int(random % UInt64(used.count))]
      tables.setSlot(place, IndexSlot(hash: tables.slots[place].hash, stored: .max))
    }
    bytes.withBytes { index.write($0, at: 0) }
  }

  /// Lets an old charge be of another model, with the checksum that its line has then.
  func changeHistory() {
    guard let journal = storeFile(JournalFile.name) else { return }
    let bytes = journal.bytes
    var start = 0
    for line in bytes.split(separator: UInt8(ascii: "\n")) {
      defer { start += line.count + 1 }
      let text = String(decoding: line, as: UTF8.self)
      guard text.contains(#""crc":"#), text.contains(#""model":"unit""#) else { continue }
      let other = text.replacing(#""model":"unit""#, with: #""model":"tinu""#)
      var changed = Array(other.utf8) + [UInt8(ascii: "\n")]
      changed.withMutableBytes { JournalLine.seal($0) }
      return changed.withBytes { journal.write($0, at: start) }
    }
  }
}
