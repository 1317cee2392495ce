internal import CShims
internal import CreditJSON
package import CreditModel
internal import CreditSystem

extension LocalStore {
  /// The accounts whose names begin with a text: the one of just that name, and of the others those
  /// that were registered last.
  /// - Parameter limit: the most that are wanted.
  /// - Throws: what reading throws; also where the index has to be made and the store is read-only.
  package func accounts(beginningWith start: String, limit: Int) throws(CreditError) -> [Name] {
    try exists() ? try StoreReader(self).accounts(beginningWith: start, limit: limit) : []
  }
}

extension StoreReader {
  /// How many accounts are looked at, of a store that has more.
  private static let accountLimit = 1_000_000

  /// How many accounts are enough for two threads to look at them.
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

  /// Where lines are that are of such accounts, those registered last first. They are looked at
  /// where they lie in the system's cache: one call a line would take ten times as long.
  private func places(
    among newest: LargeTable<RecordPosition>, beginningWith start: String, limit: Int
  ) throws(StoreFault) -> [RecordPosition] {
    defer { withExtendedLifetime(newest) {} }
    let positions = newest.elements[...]
    var writer = JSONWriter(capacity: 1024)
    writer.string(start)
    return try journal.withBytes { journal in
      writer.withBytes { text in
        // The quotation marks around it are no part of the name.
        let start = UnsafeRawBufferPointer(rebasing: text.dropFirst().dropLast())
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

/// Looks at lines for accounts whose names begin with a text, from the last one back.
private final class BegunNameScan {
  private let start: UnsafeRawBufferPointer
  private let limit: Int
  private(set) var places: [RecordPosition] = []

  /// How many lines may be far from the one before: such a line costs fifty times the others.
  private static let farLimit = 10_000
  private static let farByteCount = 1 << 16

  /// How many lines ahead are fetched.
  private static let prefetchCount = 12

  /// - Parameters:
  ///   - start: as it is in JSON.
  ///   - limit: the most names that are wanted; one more is found, as one may be known already.
  init(for start: UnsafeRawBufferPointer, limit: Int) {
    self.start = start
    self.limit = limit
  }

  func run(
    _ positions: Slice<UnsafeMutableBufferPointer<RecordPosition>>,
    in journal: UnsafeRawBufferPointer
  ) {
    var far = 0
    var last = 0
    for place in positions.indices.reversed() {
      let position = positions[place]
      let offset = Int(position.value)
      if place - Self.prefetchCount >= positions.startIndex {
        prefetch(Int(positions[place - Self.prefetchCount].value), in: journal)
      }
      if abs(offset - last) > Self.farByteCount { far += 1 }
      if far > Self.farLimit || places.count > limit { return }
      last = offset
      guard offset < journal.count else { continue }
      let line = UnsafeRawBufferPointer(rebasing: journal[offset...])
      if RecordReader.hasAccount(beginningWith: start, line) { places.append(position) }
    }
  }

  /// Fetches the part of a line that has the account's name.
  private func prefetch(_ offset: Int, in journal: UnsafeRawBufferPointer) {
    guard offset < journal.count, let start = journal.baseAddress else { return }
    CShims.prefetch(start + offset)
    CShims.prefetch(start + offset + 64)
  }
}

extension JournalFile {
  /// Gives `body` all bytes up to ``length``, which never change again, without reading them.
  fileprivate func withBytes<Result>(
    _ body: (UnsafeRawBufferPointer) -> Result
  ) throws(StoreFault) -> Result {
    if length == 0 { return body(UnsafeRawBufferPointer(start: nil, count: 0)) }
    let memory = try file.naming { () throws(SystemError) in
      try file.system.map(file.number, length, writable: false)
    }
    defer { file.system.unmap(memory) }
    return body(UnsafeRawBufferPointer(memory))
  }
}
