import CreditSystem
import Testing

@testable import CreditBytes
@testable import CreditStore
@testable import TestSupport

struct IndexFileTests {
  @Test(arguments: [1, 2, 3] as [UInt64])
  func agreesWithADictionary(seed: UInt64) throws {
    let model = try IndexModel(seed: seed)
    for batch in 0..<60 {
      try model.append(Int.random(in: 0..<120, using: &model.random))
      model.index.sparesMemory = model.random.once(in: 3)
      if batch % 7 == 0 { #expect(model.difference(model.pending) == nil, "seed \(seed)") }
      switch Int.random(in: 0..<10, using: &model.random) {
      case 0: try model.reopen()
      case 1: try model.reopen(boot: BootID(high: 1, low: UInt64(batch)))
      default: try model.commit(isSynced: Bool.random(using: &model.random))
      }
      #expect(model.difference(model.pending) == nil, "seed \(seed), batch \(batch)")
    }
    try model.commit()
    let reader = try IndexFile(readingIn: model.store.directory)
    model.system.boot = nil
    let journal = try JournalFile(in: model.store.directory, .read)
    try journal.refresh()
    let from = try reader.prepare(for: journal)
    #expect(from <= journal.length)
  }

  /// Each key has one slot, also if its older line was set in a commit before.
  @Test(arguments: [1, 2, 3] as [UInt64]) func looksKeysUpAsTheyAreSet(seed: UInt64) throws {
    let model = try IndexModel(seed: seed)
    model.looksUpLate = true
    model.index.sparesMemory = true
    for batch in 0..<30 {
      try model.write(300)
      #expect(model.difference(model.pending) == nil, "seed \(seed), batch \(batch)")
    }
    #expect(model.index.tables.slotCount == model.keys.count + model.accountNames.count)
  }

  @Test func aFreshIndexIsSmall() throws {
    let model = try IndexModel()
    #expect(try model.store.bytes(IndexFile.name).count < 65_536)
    #expect(try model.store.directory.names().sorted() == ["index", "journal.jsonl"])
  }

  @Test(arguments: [1, 2, 3, 4, 5, 6] as [UInt64])
  func aProcessKilledWhileItWritesLeavesNoError(seed: UInt64) throws {
    let model = try IndexModel(seed: seed)
    for _ in 0..<12 {
      try model.write(100)
      try model.append(60)
      try model.index.reserve(for: model.pending)
      for place in model.pending.keys.indices.prefix(Int.random(in: 0...40, using: &model.random)) {
        let key = model.pending.keys[place]
        #expect(model.index.tables.set(key))
      }
      for (number, offset) in zip(model.pending.changedAccounts, model.pending.changedOffsets) {
        model.index.setAccountOffset(number, offset)
      }
      for offset in model.pending.appendedAccounts.prefix(2) { model.index.appendAccount(offset) }
      try model.reopen()
      #expect(model.difference(model.pending) == nil, "seed \(seed)")
    }
  }

  @Test(arguments: 1...20 as ClosedRange<UInt64>)
  func aPowerCutLeavesOnlyTheCheckpoint(seed: UInt64) throws {
    let model = try IndexModel(seed: seed, checkpointByteCount: 12_000)
    try model.write(900)
    try model.write(800)
    #expect(model.index.header.checkpoint == model.index.header.covered)
    let synced = try model.store.bytes(IndexFile.name)
    try model.write(200)
    try model.write(50)
    var mixed = try model.store.bytes(IndexFile.name)
    #expect(mixed.count == synced.count)
    for sector in stride(from: 0, to: mixed.count, by: 512) where model.random.once(in: 2) {
      mixed.replaceSubrange(sector..<sector + 512, with: synced[sector..<sector + 512])
    }
    try model.store.write(mixed, to: IndexFile.name)
    let checkpoint = model.index.header.checkpoint
    try model.reopen(boot: BootID(high: 9, low: seed))
    #expect(model.index.header.checkpoint == checkpoint)
    #expect(model.difference(model.pending) == nil, "seed \(seed)")
    try model.commit()
    try model.write(300)
    #expect(model.difference(model.pending) == nil, "seed \(seed)")
  }

  @Test func aLargerFileIsNotOnDiskYet() throws {
    let model = try IndexModel(seed: 4)
    try model.write(300)
    #expect(model.index.header.checkpoint != .none)
    let capacity = model.index.layout.slotCapacity
    try model.append(1500)
    try model.index.reserve(for: model.pending)
    #expect(model.index.layout.slotCapacity > capacity)
    try model.reopen(boot: BootID(high: 2, low: 2))
    #expect(model.index.header.covered == .none)
    #expect(model.difference(model.pending) == nil)
  }

  @Test func withoutSyncsTheIndexIsDroppedAfterAPowerCut() throws {
    let model = try IndexModel(seed: 1)
    try model.write(300)
    try model.write(10)
    #expect(model.index.header.checkpoint != .none)
    try model.append(10)
    try model.commit(isSynced: false)
    #expect(model.index.header.checkpoint == .none)
    try model.reopen(boot: BootID(high: 7, low: 7))
    #expect(model.index.header.covered == .none)
    #expect(model.difference(model.pending) == nil)
  }

  @Test func garbageIsReplacedAndNeverTrusted() throws {
    let model = try IndexModel(seed: 5)
    try model.write(500)
    let good = try model.store.bytes(IndexFile.name)
    var files: [[UInt8]] = [[], [1], Array(good.dropLast()), good + [0]]
    files.append([UInt8](repeating: 0, count: good.count))
    files.append(good.map { _ in UInt8.random(in: 0...255, using: &model.random) })
    for byte in 0..<48 {
      var changed = good
      changed[byte] ^= 4
      files.append(changed)
    }
    var withoutRecords = good
    for byte in 128..<384 { withoutRecords[byte] ^= 1 }
    files.append(withoutRecords)
    var manySlots = good
    manySlots[390] = 0xFF
    files.append(manySlots)
    for file in files {
      try model.store.write(file, to: IndexFile.name)
      #expect(throws: StoreFault.self) {
        let reader = try IndexFile(readingIn: model.store.directory)
        _ = try reader.prepare(for: model.journal)
      }
      try model.reopen()
      #expect(model.difference(model.pending) == nil)
    }
    try model.store.directory.removeFile(IndexFile.name)
    #expect(throws: StoreFault.indexUnusable("there is none")) {
      _ = try IndexFile(readingIn: model.store.directory)
    }
    try model.reopen()
    #expect(model.difference(model.pending) == nil)
  }

  @Test func garbledSlotsNeverCrash() throws {
    let model = try IndexModel(seed: 6)
    try model.write(300)
    var bytes = try model.store.bytes(IndexFile.name)
    for index in IndexLayout.headerByteCount..<bytes.count {
      bytes[index] = UInt8.random(in: 0...255, using: &model.random)
    }
    try model.store.write(bytes, to: IndexFile.name)
    try model.reopen()
    _ = model.difference(model.pending)
    try model.append(300)
    try? model.commit()
  }

  @Test func anotherJournalIsNoticed() throws {
    let model = try IndexModel(seed: 8)
    try model.write(50)
    let other = (1000..<1060).map { sealedLine($0) }
    for lines in [other, Array(other.prefix(3)), []] {
      let journal = try model.store.journal(lines)
      let reader = try IndexFile(readingIn: model.store.directory)
      #expect(throws: StoreFault.indexUnusable("it belongs to another journal")) {
        _ = try reader.prepare(for: journal)
      }
    }
    #expect(try model.index.prepare(for: model.store.journal(other)) == 0)
    #expect(model.index.accountCount == 0)
  }

  @Test func aLargerIndexOfAnotherProcessIsFollowed() throws {
    let model = try IndexModel(seed: 9)
    let reader = try IndexFile(readingIn: model.store.directory)
    for _ in 0..<8 {
      try model.write(400)
      let from = try reader.prepare(for: model.journal)
      #expect(from == model.journal.length)
      #expect(model.difference(PendingIndex(over: reader, model.system)) == nil)
    }
  }

  /// An index of many slots makes no more of them than it may soon need.
  @Test(arguments: [(65_536, false, 131_072), (65_536, true, 524_288), (262_144, true, 524_288)])
  func growth(from capacity: Int, fillsFast: Bool, to larger: Int) throws {
    let model = try IndexModel()
    try model.index.reserve(accountCount: 0, slotCount: capacity / 2)
    #expect(model.index.layout.slotCapacity == capacity)
    try model.index.reserve(
      accountCount: 0, slotCount: capacity / 3 * 2, fillsFast: fillsFast)
    #expect(model.index.layout.slotCapacity == larger)
  }

  @Test func aFailureOfAnyCallLeavesAnIndexThatCanBeUsed() throws {
    var failing = 0
    var isDone = false
    while !isDone {
      failing += 1
      let model = try IndexModel(seed: UInt64(failing), checkpointByteCount: 20_000)
      try model.write(400)
      try model.append(1500)
      model.system.failing = model.system.callCount + failing
      do {
        try model.commit()
      } catch {
        #expect(model.system.failedCall != nil)
      }
      isDone = model.system.failedCall == nil
      model.system.failing = nil
      #expect(try model.store.directory.names().sorted() == ["index", "journal.jsonl"])
      try model.reopen()
      #expect(model.difference(model.pending) == nil, "call \(failing)")
    }
    #expect(failing > 8)
  }

  @Test func aLeftoverOfAKilledProcessIsReplaced() throws {
    let model = try IndexModel(seed: 11)
    try model.store.write([1, 2, 3], to: "index.new")
    try model.write(3000)
    #expect(model.difference(model.pending) == nil)
    #expect(try model.store.directory.names().sorted() == ["index", "journal.jsonl"])
  }
}
