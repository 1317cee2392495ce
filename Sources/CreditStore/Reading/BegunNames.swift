internal import CreditJSON
public import CreditModel
internal import CreditSystem

extension LocalStore {
  /// Returns accounts whose names begin with a text: an exact match, and the latest of the others.
  /// - Parameter limit: the most accounts to return.
  /// - Throws: errors of reading; also if the index has to be made and the store is read-only.
  public func accounts(beginningWith start: String, limit: Int) throws(CreditError) -> [Name] {
    try exists() ? try StoreReader(self).accounts(beginningWith: start, limit: limit) : []
  }
}

extension StoreReader {
  /// The most accounts that are searched.
  private static let accountLimit = 1_000_000

  /// Number of accounts from which two threads search them.
  private static let sharedCount = 20_000

  fileprivate func accounts(beginningWith start: String, limit: Int) throws(CreditError) -> [Name] {
    let (named, newest) = try locked { (finder) throws(StoreFault) in
      (
        try finder.newest(of: Name(trusted: start)),
        try finder.newestPositions(ofLast: Self.accountLimit)
      )
    }
    return try reading { () throws(StoreFault) in
      let places = try places(among: newest, beginningWith: start, limit: limit)
      var names: [Name] = named == nil ? [] : [Name(trusted: start)]
      for place in places where names.count < limit {
        let name = try record(at: place).record.account.name
        guard name != .nobody, name.text.utf8.starts(with: start.utf8), name != names.first
        else { continue }
        names.append(name)
      }
      return names
    }
  }

  /// Returns the positions of lines of such accounts, the latest registered first. Reads them in
  /// the system's cache: one system call a line would take ten times as long.
  private func places(
    among newest: LargeTable<RecordPosition>, beginningWith start: String, limit: Int
  ) throws(StoreFault) -> [RecordPosition] {
    defer { withExtendedLifetime(newest) {} }
    let positions = newest.elements[...]
    var writer = JSONWriter(capacity: 1024)
    writer.string(start)
    return try journal.withBytes { journal in
      writer.withBytes { text in
        // Without the quotation marks around it.
        let start = Bytes(rebasing: text.dropFirst().dropLast())
        let middle =
          positions.count < Self.sharedCount
          ? positions.startIndex : positions.startIndex + positions.count / 2
        let newer = BegunNameScan(for: start, limit: limit)
        let older = BegunNameScan(for: start, limit: limit)
        let thread = WorkerThread()
        if middle > positions.startIndex {
          thread.start { older.run(positions[..<middle], in: journal) }
        }
        newer.run(positions[middle...], in: journal)
        thread.wait()
        return newer.places + older.places
      }
    }
  }
}

/// Searches lines backwards for accounts whose names begin with a text.
private final class BegunNameScan {
  private let start: Bytes
  private let limit: Int
  private(set) var places: [RecordPosition] = []

  /// The most lines that are far from the previous one: such a line costs fifty times the others.
  private static let farLimit = 10_000
  private static let farByteCount = 1 << 16

  /// How many lines ahead are prefetched.
  private static let prefetchCount = 12

  /// - Parameters:
  ///   - start: the text as it is in JSON.
  ///   - limit: the most names to find; one more is found, as one may be known already.
  init(for start: Bytes, limit: Int) {
    self.start = start
    self.limit = limit
  }

  func run(_ positions: Slice<Cells<RecordPosition>>, in journal: Bytes) {
    var far = 0
    var last = 0
    for place in positions.indices.reversed() {
      let position = positions[place]
      let offset = Int(position.value)
      if place - Self.prefetchCount >= positions.startIndex {
        // The part of a line that has the account's name.
        let ahead = Int(positions[place - Self.prefetchCount].value)
        journal.prefetch(ahead)
        journal.prefetch(ahead + 64)
      }
      if abs(offset - last) > Self.farByteCount { far += 1 }
      if far > Self.farLimit || places.count > limit { return }
      last = offset
      guard offset < journal.count else { continue }
      let line = Bytes(rebasing: journal[offset...])
      if RecordReader.hasAccount(beginningWith: start, line) { places.append(position) }
    }
  }
}

extension JournalFile {
  /// Calls `body` with all bytes up to ``length``, which never change, without reading them.
  fileprivate func withBytes<Result>(_ body: (Bytes) -> Result) throws(StoreFault) -> Result {
    if length == 0 { return body(Bytes()) }
    let memory = try file.naming { () throws(SystemError) in
      try file.system.map(file.number, length, writable: false)
    }
    defer { file.system.unmap(memory) }
    return body(Bytes(memory))
  }
}
