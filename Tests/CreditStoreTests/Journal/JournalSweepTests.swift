import CreditModel
import Foundation
import Testing

@testable import CreditStore
@testable import TestSupport

/// The end of a journal with sectors and ranges zeroed, doubled, swapped or cut: acknowledged lines
/// are never dropped silently.
///
/// `CREDIT_SWEEP_SEEDS=FIRST-LAST` sweeps with these seeds, through each sector of a longer one.
@Suite(.slow) struct JournalSweepTests {
  fileprivate static let sweptByteCount = isLarge ? 64 << 10 : 16 << 10

  private static let seeds: ClosedRange<UInt64> = {
    let text = ProcessInfo.processInfo.environment["CREDIT_SWEEP_SEEDS"] ?? ""
    let ends = text.split(separator: "-").compactMap { UInt64($0) }
    guard let first = ends.first, let last = ends.last, first <= last else { return 1...4 }
    return first...last
  }()

  private static let isLarge = ProcessInfo.processInfo.environment["CREDIT_SWEEP_SEEDS"] != nil

  @Test(arguments: seeds, [true, false])
  func acknowledgedLinesAreNeverDroppedSilently(seed: UInt64, hasIndex: Bool) throws {
    let sweep = try Sweep(seed: seed, hasIndex: hasIndex)
    var counts = Counts()
    for _ in 0..<(Self.isLarge ? 400 : 40) { try sweep.tryRange(&counts) }
    let sectorCount = Self.sweptByteCount / 512
    for sector in 1...sectorCount where Self.isLarge || sector < 4 || sector % 4 == seed % 4 {
      for way in Way.allCases { try sweep.trySector(sector, way, &counts) }
    }
    #expect(counts.damaged > 20 && (hasIndex || counts.torn > 0), "\(counts)")
  }

  enum Way: CaseIterable { case zeroed, doubled, swapped, cut }

  struct Counts {
    var damaged = 0
    var torn = 0
    var same = 0
  }
}

/// One store whose journal is changed again and again.
private final class Sweep {
  private let ledger: LedgerStore
  private let hasIndex: Bool
  private var random: SeededGenerator
  /// The acknowledged lines.
  private let acknowledged: [UInt8]
  private let index: [UInt8]
  /// A following batch that a crash cuts off.
  private let next: [UInt8]

  init(seed: UInt64, hasIndex: Bool) throws {
    self.hasIndex = hasIndex
    random = SeededGenerator(seed: seed)
    ledger = try LedgerStore()
    try ledger.fillPool()
    try ledger.fill()
    var number = 0
    let byteCount = JournalSweepTests.sweptByteCount + (8 << 10)
    while try ledger.files.bytes(JournalFile.name).count < byteCount {
      number += 1
      let count = random.once(in: 2) ? 1 : 1 + random.number(below: 6)
      try ledger.charge((0..<count).map { Name(trusted: "acct-\(number)-\($0)") })
      if random.once(in: 4) {
        try ledger.perform(ledger.chargePool(Name(trusted: "pool-\(number)"), 1))
      }
    }
    acknowledged = try ledger.files.bytes(JournalFile.name)
    index = try ledger.files.bytes(IndexFile.name)
    try ledger.charge((0..<(1 + random.number(below: 5))).map { Name(trusted: "next-\($0)") })
    next = Array(try ledger.files.bytes(JournalFile.name)[acknowledged.count...])
  }

  /// Changes a sector, counted from the end.
  func trySector(
    _ number: Int, _ way: JournalSweepTests.Way, _ counts: inout JournalSweepTests.Counts
  )
    throws
  {
    let last = acknowledged.count / 512
    let start = max(0, last - number + 1) * 512
    try change(start..<min(start + 512, acknowledged.count), way, "sector \(number)", &counts)
  }

  /// Changes some bytes.
  func tryRange(_ counts: inout JournalSweepTests.Counts) throws {
    let count = 1 + random.number(below: random.once(in: 4) ? 3000 : 40)
    let near = random.once(in: 2) ? 2000 : JournalSweepTests.sweptByteCount
    let start = acknowledged.count - 1 - random.number(below: near)
    let ways = JournalSweepTests.Way.allCases
    try change(
      start..<min(start + count, acknowledged.count), ways[random.number(below: ways.count)],
      "range", &counts)
  }

  private func change(
    _ range: Range<Int>, _ way: JournalSweepTests.Way, _ what: String,
    _ counts: inout JournalSweepTests.Counts
  ) throws {
    var changed = acknowledged
    let other = range.lowerBound - range.count
    switch way {
    case .zeroed: changed.replaceSubrange(range, with: [UInt8](repeating: 0, count: range.count))
    case .doubled: changed.replaceSubrange(range, with: acknowledged[other..<range.lowerBound])
    case .swapped:
      changed.replaceSubrange(range, with: acknowledged[other..<range.lowerBound])
      changed.replaceSubrange(other..<range.lowerBound, with: acknowledged[range])
    case .cut: changed.removeSubrange(range)
    }
    if changed == acknowledged { return }
    let comment: Comment = "\(what) \(range) \(way), index \(hasIndex)"
    try judge(changed + crashed(), changed, comment, &counts)
  }

  /// Returns the rest of the batch after a crash: none of it, its beginning, or all of it without a
  /// sector.
  private func crashed() -> [UInt8] {
    switch random.number(below: 4) {
    case 0: return Array(next.prefix(random.number(below: next.count)))
    case 1:
      var bytes = next
      let first = (512 - acknowledged.count % 512) % 512
      for place in first..<min(first + 512, bytes.count) where first < bytes.count {
        bytes[place] = 0
      }
      return bytes == next ? [] : bytes
    default: return []
    }
  }

  private func judge(
    _ journal: [UInt8], _ changed: [UInt8], _ comment: Comment,
    _ counts: inout JournalSweepTests.Counts
  ) throws {
    let directory = ledger.files.directory
    for name in try directory.names() where name.hasPrefix(TornTail.namePrefix) {
      try directory.removeFile(name)
    }
    try directory.removeFile(IndexFile.name)
    try ledger.files.write(journal, to: JournalFile.name)
    if hasIndex { try ledger.files.write(index, to: IndexFile.name) }

    let isFine = try ledger.store.verify().findings.isEmpty
    let exports = try exports()
    #expect(exports == isFine || !hasUnreadablePlace(changed), "\(comment): export")
    #expect(try ledger.files.bytes(JournalFile.name) == journal, comment)
    let rebuilds = (try? ledger.store.rebuild()) != nil
    #expect(rebuilds == isFine || !hasUnreadablePlace(changed), "\(comment): rebuild")
    if isFine {
      counts.torn += 1
      // The index knows all that was acknowledged.
      #expect(!hasIndex, comment)
      let kept = try ledger.files.bytes(JournalFile.name)
      #expect(begins(acknowledged, with: kept), comment)
      // Only the last batch can be lost, or the last two without their newline, or the cut part.
      let lost = Array(journal[kept.count...])
      #expect(!hasWholeBatch(behindUnreadableIn: lost), comment)
      return
    }
    counts.damaged += 1
    // Only a torn tail is cut off, with or without damage.
    let least = Array(changed.prefix(leastLength(of: changed)))
    let left = try ledger.files.bytes(JournalFile.name)
    #expect(rebuilds || begins(left, with: least), comment)
    // A writer refuses, or it does not come to the place and leaves it as it is.
    _ = try? ledger.perform(ledger.charge("zoë \"z\"", key: Name(trusted: "sweep"), units: 1))
    _ = try? ledger.store.books().newest(of: .account("alice"))
    let now = try ledger.files.bytes(JournalFile.name)
    if hasUnreadablePlace(changed) {
      #expect(begins(now, with: least), "\(comment): \(journal.count), \(now.count)")
    }
  }

  /// How much of a journal is not torn: up to the last line with a newline that is not one of a
  /// batch without its end.
  private func leastLength(of bytes: [UInt8]) -> Int {
    var start = 0
    var least = 0
    for line in bytes.split(separator: newline, omittingEmptySubsequences: false).dropLast() {
      start += line.count + 1
      let isTorn = line.span.withBytes { JournalLine.isSound($0) && JournalLine.isContinued($0) }
      if !isTorn { least = start }
    }
    return least
  }

  /// Takes an eighth less of the test than `starts(with:)`, which asks for each byte.
  private func begins(_ bytes: [UInt8], with start: [UInt8]) -> Bool {
    bytes.count >= start.count && memcmp(bytes, start, start.count) == 0
  }

  private func exports() throws -> Bool {
    do {
      let export = try StoreExport(ledger.store)
      var output = JSONWriter()
      while try export.write(into: &output) { output.removeAll() }
      return true
    } catch {
      return false
    }
  }

  private func lines(_ bytes: [UInt8]) -> [(isSound: Bool, isContinued: Bool)] {
    bytes.split(separator: newline, omittingEmptySubsequences: false).map { line in
      line.span.withBytes { line in
        let isSound = JournalLine.isSound(line)
        return (isSound, isSound && JournalLine.isContinued(line))
      }
    }
  }

  private func hasUnreadablePlace(_ bytes: [UInt8]) -> Bool {
    lines(bytes).dropLast().contains { !$0.isSound }
  }

  /// Whether a batch can be read that another one must have been acknowledged before.
  private func hasWholeBatch(behindUnreadableIn bytes: [UInt8]) -> Bool {
    let lines = lines(bytes).dropLast()
    let ends = lines.indices.filter { lines[$0].isSound && !lines[$0].isContinued }
    // The first batch of the lost part is the torn one itself.
    return ends.count > 1
  }
}
