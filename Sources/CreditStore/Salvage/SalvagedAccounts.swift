internal import CreditJSON
internal import CreditModel
internal import CreditSystem

/// The accounts of a damaged journal. Finds those that lack records, without a later sound record
/// that shows it.
struct SalvagedAccounts {
  private var newest: [Name: Int] = [:]
  /// The accounts that sound records mention.
  private var told: Set<Name> = []
  /// Names in the rest of unreadable lines. One may have been changed with its line, so that no
  /// account ever had it.
  var damaged: Set<Name> = []
  /// The index as it was left; it matters if it has more than the journal.
  private let index: IndexFile?

  init(_ directory: StoreDirectory) { index = try? IndexFile(readingIn: directory) }

  mutating func note(_ record: LedgerRecord, at offset: Int) {
    newest[record.account.name] = offset
    switch record.event {
    case .transferOut(let transfer): told.insert(transfer.to)
    case .transferIn(let transfer): told.insert(transfer.from)
    case .share(let share): told.insert(share.member)
    default: for share in record.expectedShares { told.insert(share.account) }
    }
    if let parent = record.account.parent { told.insert(parent) }
  }

  /// Returns accounts whose newest record in the index is newer than any readable one.
  ///
  /// Also returns accounts that unreadable lines name, if there ever were such accounts.
  func concerned(in journal: JournalFile) throws(StoreFault) -> Set<Name> {
    let index = try index?.mayBelong(to: journal) ?? false ? index : nil
    func lastOffset(_ name: Name) -> Int? {
      index.flatMap { $0.newestOffset(ofAccount: RecordKey.account(name).hash($0.hasher)) }
    }
    var concerned: Set<Name> = []
    for (name, offset) in newest where lastOffset(name) ?? 0 > offset { concerned.insert(name) }
    for name in told.union(damaged) where newest[name] == nil && lastOffset(name) != nil {
      concerned.insert(name)
    }
    for name in damaged where newest[name] != nil || told.contains(name) { concerned.insert(name) }
    concerned.remove(.nobody)
    return concerned
  }
}

final class DamagedBytes {
  private let journal: JournalFile
  private let folder: StoreDirectory
  private let name: String
  private var file: FileDescriptor?
  /// Start of the part that is being skipped.
  private var start: Int?

  private(set) var count = 0
  private(set) var placeCount = 0

  /// - Throws: `cannot_create` if the file exists already.
  init(of journal: JournalFile, into path: String, _ system: any SystemCalls) throws(CreditError) {
    self.journal = journal
    let parent = StoreDirectory.parent(of: path) ?? "."
    folder = StoreDirectory(path: parent, system: system)
    name =
      path.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(path[path.utf8.index(after: $0)...]) }
      ?? path
    let isThere = try reporting { () throws(StoreFault) in try folder.status(of: name) != nil }
    if isThere {
      throw CreditError(
        .cannotCreate, "\(quoted(path)) exists already; nothing was changed",
        [.path(path), .outcome("none")])
    }
  }

  func begin(at offset: Int) {
    if start != nil { return }
    start = offset
    placeCount += 1
  }

  func end(at offset: Int) throws(StoreFault) {
    guard let start else { return }
    self.start = nil
    if file == nil { file = try folder.open(name, .create) }
    try journal.eachBlock(from: start, to: offset) { (block) throws(StoreFault) in
      try file?.write(block, at: count)
      count += block.count
    }
  }

  func finish() throws(StoreFault) {
    if file == nil { return }
    try file?.sync()
    try folder.sync()
  }

  /// Removes the file, if the store stays as it is.
  func abandon() {
    if file != nil { try? folder.removeFile(name) }
    file = nil
  }

  /// Returns the accounts that are named in the rest of one or more lines.
  static func accounts(in bytes: [UInt8]) -> [Name] {
    let marker = Array(#","account":""#.utf8)
    var names: [Name] = []
    var place = 0
    while place + marker.count < bytes.count {
      guard bytes[place] == marker[0], bytes[place...].starts(with: marker) else {
        place += 1
        continue
      }
      place += marker.count
      if let name = name(in: bytes[place...]) { names.append(name) }
    }
    return names
  }

  /// Returns the name that a text begins with, up to its quote, as JSON has it.
  private static func name(in bytes: ArraySlice<UInt8>) -> Name? {
    var end = bytes.startIndex
    while end < bytes.endIndex, bytes[end] != UInt8(ascii: "\"") {
      end += bytes[end] == UInt8(ascii: "\\") ? 2 : 1
    }
    guard end < bytes.endIndex else { return nil }
    let text = Array(#"{"name":""#.utf8) + bytes[..<end] + Array(#""}"#.utf8)
    guard let document = try? JSONDocument(text) else { return nil }
    return document.withRoot { Name(valid: $0.string("name"), limit: Name.accountLimit) }
  }
}
