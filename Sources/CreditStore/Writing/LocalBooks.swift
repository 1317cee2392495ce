internal import CreditModel

/// The books of a local store while its exclusive lock is held.
///
/// Looks records up through the index, and writes them as one batch that the journal takes whole.
final class LocalBooks: SearchedBooks {
  let finder: RecordFinder
  private let lines: PendingLines
  // Exclusivity is unchecked: one thread at a time, and no callee reaches back.
  @exclusivity(unchecked) private var accounts = KnownAccounts()
  /// The place of the account taken last, which is mostly the next one written.
  @exclusivity(unchecked) private var last: Int?
  /// The place of the account read last. If it pays for the other, it is written next to it.
  @exclusivity(unchecked) private var lastRead: Int?
  @exclusivity(unchecked) private var found = FoundKeys()
  /// The keys that the following requests look up first.
  @exclusivity(unchecked) private var expected = ExpectedKeys()
  /// Hash and kind of the current request's key; the kind is 0 if it has none.
  @exclusivity(unchecked) private var requestKeyHash: UInt64 = 0
  @exclusivity(unchecked) private var requestKeyKind: UInt8 = 0

  /// Time of the newest record. The session sets it if another process wrote that record.
  @exclusivity(unchecked) var latestTime: Timestamp?

  /// The most accounts that are cached between requests.
  private static let accountLimit = 20_000

  init(_ finder: RecordFinder, writing lines: PendingLines) {
    self.finder = finder
    self.lines = lines
  }

  /// Forgets everything that other processes may have changed.
  func forget() {
    expected.removeAll()
    (requestKeyHash, requestKeyKind) = (0, 0)
    (last, lastRead) = (nil, nil)
    accounts.removeAll()
  }

  /// Prefetches the first look-ups of the following requests.
  func expect(_ batch: Batch, _ places: Range<Int>) {
    let hasher = lines.changes.hasher
    expected.removeAll()
    for place in places {
      let hash = expected.append(batch.requests[place].lookUpKey, hasher)
      lines.changes.prefetch(hash)
    }
  }

  /// Marks the following look-ups as those of the next request.
  func beginRequest() {
    (requestKeyHash, requestKeyKind) = expected.next()
    found.removeAll()
  }

  /// Notes that the batch is on disk.
  func batchEnded() { if accounts.count > Self.accountLimit { forget() } }

  func account(_ name: Name) throws(CreditError) -> Account? {
    lastRead = try place(of: name)
    return lastRead.map { accounts[$0].account }
  }

  func take(_ name: Name) throws(CreditError) -> Account? {
    last = try place(of: name)
    return last.map { accounts[$0].take() }
  }

  func drop(_ name: Name) { if let place = knownPlace(of: name) { _ = accounts[place].take() } }

  @inline(__always)
  private func knownPlace(of name: Name) -> Int? {
    if let last, accounts[last].name == name { return last }
    if let lastRead, accounts[lastRead].name == name { return lastRead }
    return accounts.find(name)
  }

  /// Returns the account's place among the known ones; nil if it isn't registered.
  private func place(of name: Name) throws(CreditError) -> Int? {
    guard let place = accounts.find(name) else { return try find(name) }
    if accounts[place].isTaken, let position = accounts[place].position {
      // A request has changed it without a record.
      guard var record = try record(at: position) else { return nil }
      accounts[place].put(&record.account)
    }
    return place
  }

  /// Looks an account up in the index and the journal.
  private func find(_ name: Name) throws(CreditError) -> Int? {
    let found = try reporting { () throws(StoreFault) in try finder.newest(of: name) }
    guard let (number, stored) = found else { return nil }
    return accounts.append(
      KnownAccount(account: stored.record.account, number: number, position: stored.position))
  }

  func record(at position: RecordPosition) throws(CreditError) -> LedgerRecord? {
    try reporting { () throws(StoreFault) in try finder.record(at: Int(position.value)) }.record
  }

  /// Searches all accounts: an account with children rarely gets a parent.
  func children(of parents: Set<Name>) throws(CreditError) -> [Name: Bool] {
    try reporting { () throws(StoreFault) in
      let positions = try finder.newestPositions()
      var children: [Name: Bool] = [:]
      for place in 0..<positions.elements.count {
        let position = positions.elements[place]
        let account = try finder.record(at: Int(position.value)).record.account
        if account.isBelow(parents) { children[account.name] = account.hasChildren }
      }
      return children
    }
  }

  func search<Found>(_ account: Name, _ find: (LedgerRecord) -> Found?)
    throws(CreditError) -> Found?
  {
    guard let place = try place(of: account) else { return nil }
    return try reporting { () throws(StoreFault) in
      var next = accounts[place].position
      while let position = next {
        let stored = try finder.record(at: Int(position.value))
        if let found = find(stored.record) { return found }
        next = stored.previous
      }
      return nil
    }
  }

  func newest(of key: RecordKey) throws(CreditError) -> StoredRecord? {
    let hash = hash(of: key)
    let newest = try reporting { () throws(StoreFault) in try finder.newest(of: key, hash) }
    guard let newest else { return nil }
    // The index finds a record by one of its keys; a new record replaces it for all of them.
    let offset = Int(newest.position.value)
    newest.record.keys.visit { found.note($0 == key ? hash : self.hash(of: $0), at: offset) }
    return newest
  }

  /// A request that looks up a charge or an authorization uses no other one. One that looks up a
  /// top-up may: the grants that start meanwhile.
  @inline(__always)
  private func hash(of key: RecordKey) -> UInt64 {
    switch key {
    case .chargeKey, .authorization:
      if key.kind != requestKeyKind { break }
      assert(requestKeyHash == key.hash(lines.changes.hasher))
      return requestKeyHash
    default: break
    }
    return key.hash(lines.changes.hasher)
  }

  func append(_ record: consuming LedgerRecord) throws(CreditError) {
    let position = lines.end
    let place: Int
    if let known = knownPlace(of: record.account.name) {
      place = known
    } else {
      place = try find(record.account.name) ?? add(record.account)
    }
    try lines.append(record, previous: accounts[place].position)
    lines.changes.setAccountOffset(
      accounts[place].number, Int(position.value), at: &accounts[place].changedPlace)
    record.keys.visit { note($0, at: Int(position.value)) }
    latestTime = record.account.updatedAt
    accounts[place].put(&record.account)
    accounts[place].position = position
  }

  @inline(__always)
  private func note(_ key: RecordKey, at offset: Int) {
    let hash = hash(of: key)
    // An id that no look-up has found is new.
    lines.changes.set(hash, offset, replacing: found.replace(hash, with: offset))
  }

  /// Adds a new account, whose first record comes next.
  private func add(_ account: Account) -> Int {
    let number = lines.changes.addAccount(account.name, at: Int(lines.end.value))
    return accounts.append(KnownAccount(account: account, number: number, position: nil))
  }
}

/// The keys that the following requests look up first.
private struct ExpectedKeys: ~Copyable {
  private var keys = Rows<(hash: UInt64, kind: UInt8)>()
  /// Number of the requests that have begun.
  private var begunCount = 0

  mutating func removeAll() {
    keys.removeAll()
    begunCount = 0
  }

  /// - Parameter key: nil for a request that looks up no key.
  /// - Returns: the key's hash; 0 if there is no key.
  mutating func append(_ key: RecordKey?, _ hasher: KeyHasher) -> UInt64 {
    let hash = key?.hash(hasher) ?? 0
    keys.append((hash, key?.kind ?? 0))
    return hash
  }

  /// Returns the key of the next request, or zeros if it was not expected.
  mutating func next() -> (hash: UInt64, kind: UInt8) {
    guard begunCount < keys.count else { return (0, 0) }
    defer { begunCount += 1 }
    return keys[begunCount]
  }
}

extension GateRequest {
  /// The key that serving the request looks up first; nil if that is of another kind, or missing.
  fileprivate var lookUpKey: RecordKey? {
    switch self {
    case .authorize(let request): request.id.map { .authorization($0) }
    case .void(let request): .authorization(request.id)
    case .charge(let request):
      switch request.reference {
      case .authorization(let id, account: _): .authorization(id)
      case .key(let key, let account): .chargeKey(account: account, key)
      }
    case .topUp(let request):
      switch request.reference {
      case .transaction(let id): .transaction(id)
      case .key(let key): .topUpKey(account: request.account, key)
      }
    default: nil
    }
  }
}

/// Hashes of the keys found by a request, and their newest records' offsets. Not a dictionary: a
/// process's first one costs more than the rest of a request.
private struct FoundKeys: ~Copyable {
  private var keys = Rows<(hash: UInt64, offset: Int)>()

  mutating func removeAll() { keys.removeAll() }

  mutating func note(_ hash: UInt64, at offset: Int) {
    if replace(hash, with: offset) == nil { keys.append((hash, offset)) }
  }

  /// Gives a key that was found another record.
  /// - Returns: the offset of the previous one; nil if the key was not found.
  mutating func replace(_ hash: UInt64, with offset: Int) -> Int? {
    guard let place = keys.firstIndex(where: { $0.hash == hash }) else { return nil }
    defer { keys[place].offset = offset }
    return keys[place].offset
  }
}
