internal import CreditModel

/// The tables of an index file in memory: the accounts' newest lines, and the keys' slots.
///
/// They lie in pages of 4 KiB, each with a sum of its entries. A page's sum is checked before its
/// first entry is used, so that damage is found before it can hide a key. A long-running process
/// checks it again.
struct IndexTables {
  private let accounts: Cells<UInt64>
  /// The slots, without a check of their pages.
  let slots: Cells<IndexSlot>
  private let sums: Cells<UInt64>
  private let usedSlots: Cells<Int>
  let mask: Int
  private let accountPageCount: Int
  private let accountCapacity: Int

  /// A bit for each page whose sum need not be checked again. Signed words: the runtime would make
  /// a type for an array of others, at 7,000 instructions of a short run.
  private var soundPages: [Int]
  /// Number of these pages.
  private var checkCount = 0
  /// All pages up to this one are among them.
  private var checkedEnd = 0
  /// Number of batches since they were checked.
  private var batchCount = 0

  /// Whether a page does not match its sum: all look-ups are invalid then.
  private(set) var isDamaged = false

  static let accountsPerPage = 512
  static let slotsPerPage = 256

  init(in memory: MutableBytes, _ layout: IndexLayout) {
    usedSlots = memory.cells(of: Int.self, from: IndexLayout.slotCountOffset, count: 1)
    sums = memory.cells(of: UInt64.self, from: IndexLayout.headerByteCount, count: layout.pageCount)
    accounts = memory.cells(
      of: UInt64.self, from: layout.accountsOffset, count: layout.accountCapacity)
    slots = memory.cells(of: IndexSlot.self, from: layout.slotsOffset, count: layout.slotCapacity)
    mask = layout.slotCapacity - 1
    accountPageCount = layout.accountPageCount
    accountCapacity = layout.accountCapacity
    soundPages = [Int](repeating: 0, count: (layout.pageCount + 63) / 64)
  }

  // MARK: Entries

  /// Returns the slot of an index below the capacity; nil if its page is damaged.
  @inline(__always)
  mutating func slot(_ index: Int) -> IndexSlot? {
    guard isSound(page: accountPageCount + index / Self.slotsPerPage) else { return nil }
    return slots[index]
  }

  /// Returns the value of the next slot of a key's hash; nil behind the last, or at a damaged page.
  mutating func next(of run: inout SlotRun) -> Int? {
    while run.count <= mask,
      let slot = slot((Int(truncatingIfNeeded: run.hash) &+ run.count) & mask), slot.stored != 0
    {
      run.count += 1
      if slot.hash == run.hash { return Int(truncatingIfNeeded: slot.stored &- 1) }
    }
    return nil
  }

  /// Gives keys values, each in place of its current one. Room must be reserved before (see
  /// ``IndexFile/reserve(accountCount:slotCount:fillsFast:)``).
  /// - Returns: false if there is no room.
  mutating func set(_ keys: borrowing Rows<PendingIndex.KeyChange>) -> Bool {
    var group = keys.indices.prefix(Self.groupCount)
    for place in group { prefetch(toSet: keys[place].hash) }
    while !group.isEmpty {
      let next = keys.indices[group.endIndex...].prefix(Self.groupCount)
      for place in next { prefetch(toSet: keys[place].hash) }
      for place in group where !set(keys[place]) { return false }
      group = next
    }
    return true
  }

  @inline(__always)
  func set(_ key: PendingIndex.KeyChange) -> Bool { set(key) { _ in false } }

  /// Gives a key a value.
  /// - Parameter isOlder: whether a value in the tables is an older one of the key. It is asked
  ///   if the key has not been looked up.
  @inline(__always)
  func set<Failure>(
    _ key: PendingIndex.KeyChange, isOlder: (Int) throws(Failure) -> Bool
  ) throws(Failure) -> Bool {
    let stored = UInt64(key.value) + 1
    let old =
      if case .value(let value) = key.replaced { UInt64(truncatingIfNeeded: value) &+ 1 } else {
        UInt64(0)
      }
    var index = Int(truncatingIfNeeded: key.hash) & mask
    for _ in 0...mask {
      let slot = slots[index]
      let isFree = slot.stored == 0
      var isOwn = isFree
      if !isFree && slot.hash == key.hash {
        isOwn = slot.stored == old || slot.stored == stored
        if !isOwn && key.replaced == .unknown {
          isOwn = try isOlder(Int(truncatingIfNeeded: slot.stored &- 1))
        }
      }
      if isOwn {
        if isFree { slotCount += 1 }
        setSlot(index, IndexSlot(hash: key.hash, stored: stored))
        return true
      }
      index = (index + 1) & mask
    }
    return false
  }

  /// Number of slots in use. It is counted in the file as slots are taken, so that it is right if
  /// the process is killed.
  var slotCount: Int {
    get { usedSlots[0] }
    nonmutating set { usedSlots[0] = newValue }
  }

  /// Puts an entry into a slot.
  @inline(__always)
  func setSlot(_ index: Int, _ slot: IndexSlot) {
    sums[accountPageCount + index / Self.slotsPerPage] ^=
      Self.share(of: slots[index], at: index) ^ Self.share(of: slot, at: index)
    slots[index] = slot
  }

  /// Number of keys that are prefetched together, while the group before them is looked up or set.
  /// Each fetch waits for the processor to find the memory's page, in a large table longer than the
  /// look-up takes. Several find theirs at once; all of them would be too many.
  private static let groupCount = 16

  /// Prefetches the start of a key's search, and the next slots: a fifth of all searches go on
  /// behind the four slots that are fetched at once.
  @inline(__always)
  mutating func prefetch(_ hash: UInt64) {
    let slot = Int(truncatingIfNeeded: hash) & mask
    slots.prefetch(slot)
    slots.prefetch(slot + 2)
  }

  /// Prefetches the slots for setting a key, and the sum that will change.
  @inline(__always)
  private mutating func prefetch(toSet hash: UInt64) {
    prefetch(hash)
    sums.prefetch(accountPageCount + (Int(truncatingIfNeeded: hash) & mask) / Self.slotsPerPage)
  }

  /// Returns the value of an account's number; nil if its page is damaged.
  mutating func account(_ number: Int) -> UInt64? {
    guard isSound(page: number / Self.accountsPerPage) else { return nil }
    return accounts[number]
  }

  func setAccount(_ number: Int, _ value: UInt64) {
    sums[number / Self.accountsPerPage] ^=
      Self.share(of: accounts[number], at: number) ^ Self.share(of: value, at: number)
    accounts[number] = value
  }

  // MARK: Sums

  @inline(__always)
  private mutating func isSound(page: Int) -> Bool {
    soundPages[page >> 6] &>> (page & 63) & 1 != 0 || check(page: page)
  }

  @inline(never)
  private mutating func check(page: Int) -> Bool {
    guard sum(ofPage: page) == sums[page] else {
      isDamaged = true
      return false
    }
    soundPages[page >> 6] |= 1 &<< (page & 63)
    checkCount += 1
    return true
  }

  /// Checks more pages before a batch, if over a sixteenth is checked.
  ///
  /// A process that uses that many pages will use the rest, and in a row a page takes a quarter of
  /// the time. Checks at most 128 MiB.
  /// - Returns: false if one is damaged.
  mutating func checkMore() -> Bool {
    guard checkCount > max(Self.fewPages, pageCount / 16), checkedEnd < pageCount else {
      return true
    }
    let end = min(pageCount, checkedEnd + Self.rowLimit)
    guard areSound(pages: checkedEnd..<end) else { return false }
    checkedEnd = end
    return true
  }

  /// The most pages that are checked in a row. Others wait for the lock meanwhile, as long as for a
  /// large batch.
  private static let rowLimit = 1 << 15

  /// Checks every page against its sum.
  mutating func checkAll() -> Bool { areSound(pages: 0..<pageCount) }

  mutating func checkAccounts() -> Bool { areSound(pages: 0..<accountPageCount) }

  private mutating func areSound(pages: Range<Int>) -> Bool {
    for page in pages where !isSound(page: page) { return false }
    return true
  }

  /// Makes the checked pages be checked again, at the beginning of a batch. If there are many, only
  /// now and then.
  mutating func forgetChecks() {
    batchCount += 1
    if checkCount > Self.fewPages, batchCount < Self.batchLimit { return }
    (checkCount, checkedEnd, batchCount) = (0, 0, 0)
    for word in soundPages.indices { soundPages[word] = 0 }
  }

  /// Up to this many pages, half a MiB, are checked again for each batch.
  private static let fewPages = 128

  /// Number of batches for which the checks of more pages remain valid.
  private static let batchLimit = 256

  /// Trusts every page: used if the sums may be wrong, or if the caller has made the pages.
  mutating func trust(areMade: Bool = false) {
    for word in soundPages.indices { soundPages[word] = -1 }
    checkCount = areMade ? pageCount : .max
  }

  /// Makes the sums again from the entries.
  func makeSums() { for page in 0..<pageCount { sums[page] = sum(ofPage: page) } }

  private var pageCount: Int { accountPageCount + (mask + Self.slotsPerPage) / Self.slotsPerPage }

  func startSums() { for page in 0..<pageCount { sums[page] = Self.sum(ofFreePage: page) } }

  /// Not 0, so that a zeroed file has no valid sums.
  private static func sum(ofFreePage page: Int) -> UInt64 { mixed(1, page) }

  private func sum(ofPage page: Int) -> UInt64 {
    var sum = Self.sum(ofFreePage: page)
    if page < accountPageCount {
      let first = page * Self.accountsPerPage
      let end = min(first + Self.accountsPerPage, accountCapacity)
      for start in stride(from: first, to: end, by: 32) {
        let count = min(32, end - start)
        // Accounts come one behind another: the free places are the last.
        if count == 32, accounts.areZero(from: start) { continue }
        for number in start..<start + count where accounts[number] != 0 {
          sum ^= Self.share(of: accounts[number], at: number)
        }
      }
    } else {
      let first = (page - accountPageCount) * Self.slotsPerPage
      // The processor fetches four slots at once. They are requested a KiB ahead, as its own
      // prefetching ends with a page: so the next page begins in time.
      for start in stride(from: first, to: min(first + Self.slotsPerPage, mask + 1), by: 16) {
        for line in 0..<4 { slots.prefetch(start + 64 + 4 * line) }
        // Most slots of a small store are free.
        if slots.areZero(from: start) { continue }
        for index in start..<start + 16 { sum ^= Self.share(of: slots[index], at: index) }
      }
    }
    return sum
  }

  /// A slot's part of its page's sum; 0 for a free one.
  @inline(__always)
  private static func share(of slot: IndexSlot, at index: Int) -> UInt64 {
    share(slot.hash, slot.stored, index)
  }

  /// An account's part of its page's sum.
  @inline(__always)
  private static func share(of value: UInt64, at number: Int) -> UInt64 { share(0, value, number) }

  /// Multiplies two words at a place once; 0 if the second word is 0. Each process sums many pages
  /// of a large index.
  @inline(__always)
  private static func share(_ first: UInt64, _ second: UInt64, _ place: Int) -> UInt64 {
    let place = UInt64(truncatingIfNeeded: place + 1) &* 0x9E37_79B9_7F4A_7C15
    let product = (first ^ place).multipliedFullWidth(by: second ^ 0xC4CE_B9FE_1A85_EC53)
    // A mask instead of a branch, which would be mispredicted if half of the slots are free.
    let used = 0 &- (second | (0 &- second)) >> 63
    return (product.high ^ product.low) & used
  }

  /// Mixes a word and a position so that each bit changes all others.
  @inline(__always)
  static func mixed(_ word: UInt64, _ position: Int = 0) -> UInt64 {
    // The finisher of MurmurHash3, by Austin Appleby.
    var mixed = word ^ (UInt64(truncatingIfNeeded: position) &* 0x9E37_79B9_7F4A_7C15)
    mixed = (mixed ^ mixed >> 33) &* 0xFF51_AFD7_ED55_8CCD
    mixed = (mixed ^ mixed >> 33) &* 0xC4CE_B9FE_1A85_EC53
    return mixed ^ mixed >> 33
  }

  func countedSlots() -> Int { (0...mask).reduce(0) { $0 + (slots[$1].stored == 0 ? 0 : 1) } }

  /// Copies all entries into empty tables that have room for them.
  /// - Returns: the number of slots in use.
  func copyEntries(accountCount: Int, to target: IndexTables) -> Int {
    for number in 0..<accountCount { target.setAccount(number, accounts[number]) }
    // Starting behind a free slot keeps the order of slots with the same hash, of which the first
    // is valid.
    let first = slots.firstIndex { $0.stored == 0 } ?? 0
    var used = 0
    for step in 0...mask {
      let slot = slots[(first + step) & mask]
      if slot.stored == 0 { continue }
      var index = Int(truncatingIfNeeded: slot.hash) & target.mask
      while target.slots[index].stored != 0 { index = (index + 1) & target.mask }
      target.setSlot(index, slot)
      used += 1
    }
    return used
  }
}

/// Progress of a search among the slots from a key's first one on.
struct SlotRun {
  fileprivate let hash: UInt64
  fileprivate var count = 0

  init(_ hash: UInt64) { self.hash = hash }
}
