public import CreditBytes
public import CreditSystem

/// Additions to an index: keys and accounts of lines that the index file lacks. Look-ups search
/// here first, and then in the file behind.
public final class PendingIndex {
  struct KeyChange {
    let hash: UInt64
    var value: Int
    let replaced: Replaced
  }

  /// The value of a key in the file behind.
  enum Replaced: Equatable {
    case none
    case value(Int)
    /// The key has not been looked up there: that is done as it is set.
    case unknown
  }

  // Exclusivity is unchecked: one thread at a time, and no callee reaches back.
  @exclusivity(unchecked) private var file: IndexFile?
  private let system: any SystemCalls
  private lazy var ownHasher = KeyHasher(seed: (system.randomWord(), system.randomWord()))
  @exclusivity(unchecked) private var newKeys = KeyChanges()
  /// Places in ``changedAccounts``.
  @exclusivity(unchecked) private var changedTable = HashTable()

  /// The keys, in the order in which they were first set.
  var keys: Rows<KeyChange> { _read { yield newKeys.list } }

  /// Numbers of the file's accounts that have newer lines, and the offsets of these lines. Arrays
  /// of numbers: the runtime would make a type for others, at 11,000 instructions for each charge.
  @exclusivity(unchecked) private(set) var changedAccounts: ContiguousArray<Int> = []
  @exclusivity(unchecked) private(set) var changedOffsets: ContiguousArray<Int> = []

  /// An account's place among those, which saves the next record a look-up.
  struct ChangedPlace {
    fileprivate var place = 0
    /// The changes in which it is a place: see ``PendingIndex/generation``.
    fileprivate var generation = 0
  }

  /// Distinguishes the current changes from those before they were dropped.
  @exclusivity(unchecked) private var generation = 1

  /// The newest lines of accounts that the file behind does not have.
  @exclusivity(unchecked) private(set) var appendedAccounts: ContiguousArray<Int> = []

  @exclusivity(unchecked) private(set) var recordCount = 0

  /// Starts empty.
  /// - Parameter file: the index file behind; nil if the process has no reliable one.
  public init(over file: IndexFile?, _ system: any SystemCalls) {
    self.file = file
    self.system = system
  }

  func begin(over file: IndexFile?) {
    removeAll()
    self.file = file
  }

  /// The hash of the keys, the same as that of the file behind.
  public var hasher: KeyHasher { file?.hasher ?? ownHasher }

  /// Whether there is nothing to add.
  public var isEmpty: Bool {
    recordCount == 0 && keys.isEmpty && changedAccounts.isEmpty && appendedAccounts.isEmpty
  }

  /// Removes everything, and keeps the memory.
  public func removeAll() {
    newKeys.removeAll()
    changedTable.removeAll()
    recordCount = 0
    changedAccounts.removeAll(keepingCapacity: true)
    changedOffsets.removeAll(keepingCapacity: true)
    appendedAccounts.removeAll(keepingCapacity: true)
    generation += 1
  }

  /// Looks a key up.
  /// - Parameter matches: whether the line of a value has the key. A value can be any number.
  @inline(__always)
  public func lookup<Failure>(
    _ hash: UInt64, where matches: (Int) throws(Failure) -> Bool
  ) throws(Failure) -> Int? {
    if let value = try newKeys.lookup(hash, where: matches) { return value }
    return try file?.lookup(hash, where: matches)
  }

  /// Looks a key up in the changes alone.
  func changed<Failure>(
    _ hash: UInt64, where matches: (Int) throws(Failure) -> Bool
  ) throws(Failure) -> Int? {
    try newKeys.lookup(hash, where: matches)
  }

  func releaseMemory() { file?.releaseMemory() }

  /// Prefetches the beginning of a key's look-up.
  /// - Parameter isOfChanges: true for a look-up in the changes alone.
  @inline(__always)
  func prefetch(_ hash: UInt64, isOfChanges: Bool = false) {
    newKeys.prefetch(hash)
    if !isOfChanges { file?.tables.prefetch(hash) }
  }

  /// Whether the file behind is damaged: all look-ups are invalid then.
  public var isDamaged: Bool { file?.isDamaged ?? false }

  /// Gives a key a value.
  /// - Parameter current: the key's value from ``lookup(_:where:)``, if any.
  public func set(_ hash: UInt64, _ value: Int, replacing current: Int?) {
    newKeys.set(hash, value, replacing: current.map(Replaced.value) ?? .none)
  }

  /// Gives a key a value without a look-up in the file behind.
  /// - Parameter current: the key's value among the changes, if any.
  func set(_ hash: UInt64, _ value: Int, replacingChanged current: Int?) {
    newKeys.set(hash, value, replacing: current.map(Replaced.value) ?? .unknown)
  }

  func countRecord() { recordCount += 1 }

  /// Number of accounts, with those of the file behind.
  public var accountCount: Int { fileAccountCount + appendedAccounts.count }

  private var fileAccountCount: Int { file?.accountCount ?? 0 }

  /// Adds an account by its first line.
  /// - Returns: the account's number.
  public func appendAccount(_ offset: Int) -> Int {
    appendedAccounts.append(offset)
    return accountCount - 1
  }

  /// Returns the offset of an account's newest line; nil if no account has the number.
  public func accountOffset(_ number: Int) -> Int? {
    let appended = number - fileAccountCount
    if appended >= 0 { return appended < appendedAccounts.count ? appendedAccounts[appended] : nil }
    if !changedAccounts.isEmpty, let changed = changedAccount(number) {
      return changedOffsets[changed]
    }
    return file?.accountOffset(number)
  }

  /// Calls `body` with the newest lines' offsets of accounts from a number on.
  @inline(__always)
  func forEachAccountOffset(from first: Int, _ body: (Int) -> Void) {
    let count = fileAccountCount
    if first < count {
      // A search for each account would take as long as all the rest.
      if changedAccounts.isEmpty {
        file?.forEachAccountOffset(from: first, body)
      } else {
        for number in first..<count { accountOffset(number).map(body) }
      }
    }
    for offset in appendedAccounts.dropFirst(max(0, first - count)) { body(offset) }
  }

  /// Sets the offset of an existing account's newest line.
  public func setAccountOffset(_ number: Int, _ offset: Int) {
    var place = ChangedPlace()
    setAccountOffset(number, offset, at: &place)
  }

  /// Does the same without a look-up, if `place` is known.
  @inline(__always)
  func setAccountOffset(_ number: Int, _ offset: Int, at place: inout ChangedPlace) {
    if place.generation == generation {
      changedOffsets[place.place] = offset
    } else {
      changeAccountOffset(number, offset, at: &place)
    }
  }

  @inline(never)
  private func changeAccountOffset(_ number: Int, _ offset: Int, at place: inout ChangedPlace) {
    let appended = number - fileAccountCount
    if appended >= 0 {
      appendedAccounts[appended] = offset
      return
    }
    if let changed = changedAccount(number) {
      changedOffsets[changed] = offset
      place.place = changed
    } else {
      place.place = changedAccounts.count
      changedTable.insert(Self.hash(of: number), changedAccounts.count)
      changedAccounts.append(number)
      changedOffsets.append(offset)
    }
    place.generation = generation
  }

  private func changedAccount(_ number: Int) -> Int? { changedTable[Self.hash(of: number)] }

  /// Numbers follow one another; the factor (2^64 by the golden ratio) spreads them, and the swap
  /// brings the spread to the low bits. Each number has a hash of its own.
  private static func hash(of number: Int) -> UInt64 {
    (UInt64(truncatingIfNeeded: number) &* 0x9E37_79B9_7F4A_7C15).byteSwapped
  }
}

/// Keys that have been set, and each one's place by its hash. One value, so that a look-up is one
/// access of its owner.
private struct KeyChanges: ~Copyable {
  private var table = HashTable()
  /// In the order in which they were first set.
  private(set) var list = Rows<PendingIndex.KeyChange>()

  @inline(__always)
  func prefetch(_ hash: UInt64) { table.prefetch(hash) }

  mutating func removeAll() {
    table.removeAll()
    list.removeAll()
  }

  @inline(__always)
  func lookup<Failure>(
    _ hash: UInt64, where matches: (Int) throws(Failure) -> Bool
  ) throws(Failure) -> Int? {
    let number = try table.find(hash) { (number) throws(Failure) in
      try matches(list[number].value)
    }
    return number.map { list[$0].value }
  }

  mutating func set(_ hash: UInt64, _ value: Int, replacing replaced: PendingIndex.Replaced) {
    if case .value(let current) = replaced,
      let number = table.find(hash, where: { list[$0].value == current })
    {
      list[number].value = value
      return
    }
    table.insert(hash, list.count)
    list.append(PendingIndex.KeyChange(hash: hash, value: value, replaced: replaced))
  }
}
