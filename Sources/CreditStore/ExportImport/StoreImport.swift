internal import CreditJSON
public import CreditModel
public import CreditSystem

/// Makes a store from an export: all of it, or nothing.
///
/// The records are checked as they come and gathered in a file beside the journal. In the end it
/// takes the journal's place together with the policy: an incomplete import leaves the store as it
/// was.
public final class StoreImport: StoreImporting {
  private static let temporaryName = "journal.import"
  /// The most bytes of a line that is not a record: the policy's.
  private static let lineLimit = PolicyFile.byteLimit

  private let store: LocalStore
  /// Folder of the records of a mere check; nil for an import.
  private let temporaryFolder: StoreDirectory?
  private var input = ImportLines()
  private var lineNumber = 0
  private var header: ExportHeader?
  /// The files that the policy names.
  public private(set) var files: [String: [UInt8]] = [:]
  /// The policy's text, once it has been read.
  public private(set) var policyText: [UInt8] = []
  private var policy: PolicyDraft?
  private var gathered: ImportedJournal?
  private var reader = RecordReader()

  /// - Throws: `cannot_create` if the store has records already.
  public init(_ store: LocalStore) throws(CreditError) {
    self.store = store
    temporaryFolder = nil
    try store.requireEmpty()
  }

  /// Only checks the export. The records are gathered in a file without a name.
  public init(checkingBy options: StoreOptions, _ system: any SystemCalls) {
    let folder = StoreDirectory(path: options.temporaryFolder, system: system)
    temporaryFolder = folder
    // It is never made: the policy's files come with it.
    let location = StoreLocation(path: folder.path(of: folder.freeName), isNamed: true)
    store = LocalStore(location, options: options, system: system)
  }

  /// Creation time of the exported store.
  public var createdAt: Timestamp? { header?.createdAt }

  /// Returns the gathered records from a place on, and moves the place behind them. Their positions
  /// are places of that file.
  public func records(from place: inout Int, limit: Int) throws(CreditError) -> [StoredRecord] {
    guard let gathered else { return [] }
    return try reporting { () throws(StoreFault) in
      try gathered.records(from: &place, limit: limit)
    }
  }

  public func append(_ bytes: Bytes) throws(CreditError) {
    input.append(bytes)
    while let line = input.next() { try take(line) }
    if input.count > Self.lineLimit {
      throw wrong("is longer than \(Self.lineLimit >> 20) MiB", lineNumber + 1)
    }
  }

  public func finish() throws(CreditError) -> StoreSummary {
    let (summary, policy) = try check()
    if temporaryFolder != nil { return summary }
    try reporting { () throws(StoreFault) in try gathered?.finish() }
    try store.replaceJournal(with: Self.temporaryName, policy: policy)
    // It locks the new journal, and that lock gives processes their turn to make an index.
    gathered = nil
    // The store is complete without an index; the next process would make it.
    try? store.rebuild()
    return summary
  }

  private func check() throws(CreditError) -> (StoreSummary, PolicyDraft) {
    if let line = input.last() { try take(line) }
    guard let header, let gathered, let policy else {
      throw .invalidRequest(
        "the export on standard input is incomplete: it ends after \(lineNumber) lines")
    }
    let count = gathered.books.recordCount
    guard count == header.records else {
      throw .invalidRequest(
        "the export has \(count) records, but its first line says \(header.records)")
    }
    if let unfinished = gathered.books.groups.unfinished.first {
      throw .invalidRequest("the export ends \(unfinished.end)")
    }
    let broken = try reporting { () throws(StoreFault) in try gathered.books.brokenChains() }
    if let first = broken.first {
      throw .invalidRequest("\(first.sentence), in the store that was exported")
    }
    var summary = StoreSummary()
    summary.records = count
    summary.accounts = gathered.books.accountCount
    summary.credits = gathered.books.credits
    return (summary, policy)
  }

  public func abandon() {
    if gathered != nil, temporaryFolder == nil {
      try? store.directory.removeFile(Self.temporaryName)
    }
    gathered = nil
  }

  private func take(_ line: Bytes) throws(CreditError) {
    lineNumber += 1
    if line.isEmpty { return }
    guard header != nil else { return try takeHeader(line) }
    guard let gathered else { return try takePolicy(line) }
    guard let record = reader.readAlone(line) else {
      // Text that is not JSON has an error of its own.
      _ = try document(line)
      throw wrong(RecordFault.unreadable.reason, lineNumber)
    }
    if let header, record.version > header.version {
      throw wrong(
        "\(record.title) needs an export of version \(record.version.rawValue), but the first line "
          + "says \(header.version.rawValue)", lineNumber)
    }
    let fault = try reporting { () throws(StoreFault) in try gathered.append(record) }
    if let fault { throw wrong("\(record.title) \(fault.reason)", lineNumber) }
  }

  private func takeHeader(_ line: Bytes) throws(CreditError) {
    var version: Int64?
    header = try withValue(line) { value in
      guard value.string("export") == "credit" else { return nil }
      version = value.int64("version")
      guard let known = version.flatMap(StoreVersion.init(rawValue:)),
        let createdAt = value.timestamp("createdAt"),
        let count = value.int64("records").flatMap(Int.init(exactly:))
      else { return nil }
      return ExportHeader(version: known, createdAt: createdAt, records: count)
    }
    if header != nil { return }
    if let version, StoreVersion(rawValue: version) == nil {
      throw CreditError(
        .unavailable,
        "line \(lineNumber) begins an export of version \(version); this tool reads versions "
          + "\(StoreVersion.known); import it with the tools that wrote it; nothing was imported",
        [.line(lineNumber), .outcome("none")])
    }
    throw wrong("is not the first line of an export", lineNumber)
  }

  private func takePolicy(_ line: Bytes) throws(CreditError) {
    guard let header else { return }
    if try takeFile(line) { return }
    let text = try withValue(line) { value -> [UInt8]? in
      guard let policy = value.member("policy") else { return nil }
      var text = JSONWriter()
      JSONPretty.write(policy, into: &text)
      text.endLine()
      return text.withBytes { [UInt8]($0) }
    }
    guard let text else { throw wrong("has no policy", lineNumber) }
    let policy = try store.policyDraft(text: text, enclosed: files)
    policyText = text
    self.policy = policy
    if let temporaryFolder {
      gathered = try reporting { () throws(StoreFault) in
        try ImportedJournal(namelessIn: temporaryFolder, createdAt: header.createdAt)
      }
      return
    }
    if try !store.hasJournal() {
      try store.makeFolder()
      try store.checkPresent(policy)
    }
    try store.requireEmpty()
    gathered = try reporting { () throws(StoreFault) in
      try ImportedJournal(Self.temporaryName, in: store.directory, createdAt: header.createdAt)
    }
  }

  /// - Returns: false if the line does not belong to a file.
  private func takeFile(_ line: Bytes) throws(CreditError) -> Bool {
    let found = try withValue(line) { value -> (name: String, bytes: [UInt8]?)? in
      guard let name = value.string("file") else { return nil }
      let text = value.string("text").map { Array($0.utf8) }
      return (name, text ?? value.string("base64").flatMap { Base64.decode($0.utf8, .standard) })
    }
    guard let found else { return false }
    let name = found.name
    guard Name.problem(with: name, limit: KeptFile.nameLimit) == nil,
      !name.utf8.contains(UInt8(ascii: "/")), name != ".", name != "..",
      !StoreDirectory.isOwnName(name)
    else { throw wrong("names a file \(quoted(name)), which is not a plain file name", lineNumber) }
    guard let bytes = found.bytes,
      files[name, default: []].count + bytes.count <= PolicyFile.byteLimit
    else { throw wrong("has no text of file \(quoted(name)), or one that is too long", lineNumber) }
    files[name, default: []] += bytes
    if files.count > FileMember.allCases.count {
      throw wrong("has more files than a policy names", lineNumber)
    }
    return true
  }

  private func withValue<Value>(
    _ line: Bytes, _ body: (JSONValue) -> Value?
  ) throws(CreditError) -> Value? {
    let document = try document(line)
    if let name = document.duplicateName {
      throw wrong("has member \(quoted(name)) twice in one object", lineNumber)
    }
    return document.withRoot(body)
  }

  private func document(_ line: Bytes) throws(CreditError) -> JSONDocument {
    do {
      return try JSONDocument([UInt8](line))
    } catch {
      let offset = input.lineOffset + error.offset
      throw CreditError(
        .invalidJSON, "line \(lineNumber), column \(error.column): \(error.reason.message)",
        [.line(lineNumber), .offset(offset)])
    }
  }

  private func wrong(_ reason: String, _ line: Int) -> CreditError {
    CreditError(.invalidRequest, "line \(line) \(reason); nothing was imported", [.line(line)])
  }
}

extension LocalStore {
  public func importing() throws(CreditError) -> any StoreImporting { try StoreImport(self) }

  /// Refuses a store that has records.
  /// - Throws: `cannot_create`, `io_error`, `corrupt_store`.
  fileprivate func requireEmpty() throws(CreditError) {
    let isEmpty = try reporting { () throws(StoreFault) in
      guard try directory.status(of: JournalFile.name) != nil else { return true }
      let journal = try JournalFile(in: directory, .read)
      try journal.refresh()
      if journal.length == 0 { return true }
      // Whether there is only a header.
      return try journal.withLine(at: 0) { $0.count + 1 == journal.length } ?? false
    }
    if !isEmpty { throw hasRecords }
  }

  /// Replaces the journal of an empty store by a file, and its policy.
  fileprivate func replaceJournal(with name: String, policy: PolicyDraft) throws(CreditError) {
    try withWriteLock { (lock) throws(CreditError) in
      try requireEmpty()
      let isThere = try hasJournal()
      try reporting { () throws(StoreFault) in
        // A store begins with its journal. An existing one would go on by the new policy without
        // the records: if this process is killed in between, the next one finds the mark.
        if isThere { try lock.mark("an import has not ended: repeat it") }
        try policy.install(in: directory)
        try directory.rename(name, to: JournalFile.name)
        try directory.removeFile(IndexFile.name)
        try directory.sync()
        if try lock.isMarked { try lock.clearMark() }
      }
    }
  }
}

/// Takes text in any pieces and returns its lines.
struct ImportLines: ~Copyable {
  private var buffer = JSONBuffer()
  /// Number of bytes of the next line that were searched for its newline.
  private var searched = 0
  private var offset = 0

  /// Offset of the last returned line, in bytes from the text's start.
  private(set) var lineOffset = 0

  /// Number of bytes of lines that were not returned yet.
  var count: Int { buffer.unread.count }

  /// Adds text; lines that were returned become invalid.
  mutating func append(_ bytes: Bytes) {
    _ = buffer.withFreeSpace(minimum: bytes.count) { space in
      space.copyMemory(from: bytes)
      return bytes.count
    }
  }

  /// Returns the next whole line, without its newline; nil if it is not complete yet.
  mutating func next() -> Bytes? {
    guard let length = Bytes(rebasing: buffer.unread[searched...]).firstNewline() else {
      searched = count
      return nil
    }
    return take(searched + length)
  }

  /// Returns the last line, if it does not end with a newline.
  mutating func last() -> Bytes? { count == 0 ? nil : take(count) }

  private mutating func take(_ length: Int) -> Bytes {
    let line = Bytes(rebasing: buffer.unread[..<length])
    lineOffset = offset
    let end = min(length + 1, count)
    buffer.advance(by: end)
    offset += end
    searched = 0
    return line
  }
}
