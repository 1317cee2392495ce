internal import CreditJSON
public import CreditModel

/// The first line of an export.
///
/// It has one JSON object a line: header, the policy's files, policy, records. The records come in
/// the order of the journal, without the members that depend on their place in that file.
struct ExportHeader {
  let version: StoreVersion
  let createdAt: Timestamp
  /// Number of the records that follow, so that an incomplete export is detected.
  let records: Int
}

extension JSONWriter {
  /// The most bytes of a file in one line.
  private static let filePieceByteCount = 4 << 20

  /// Writes a file of the policy, in one piece or several: as text, or in Base64 if it is not
  /// UTF-8.
  mutating func exported(_ file: KeptFile) {
    var rest = file.bytes[...]
    let isText = String(validating: file.bytes, as: UTF8.self) != nil
    repeat {
      var piece = rest.prefix(Self.filePieceByteCount)
      // Keeps a character in one piece.
      if isText {
        while rest.dropFirst(piece.count).first.map({ $0 & 0xC0 == 0x80 }) ?? false {
          piece.removeLast()
        }
      }
      rest = rest.dropFirst(piece.count)
      beginObject()
      member("file", file.name)
      if isText {
        member("text", String(decoding: piece, as: UTF8.self))
      } else {
        member("base64", String(decoding: Base64.encode(Array(piece)), as: UTF8.self))
      }
      endObject()
      endLine()
    } while !rest.isEmpty
  }
}

/// A store at one moment as text, with its policy's files under plain names.
public final class StoreExport {
  /// How much text is written at once, roughly.
  private static let pieceByteCount = 1 << 18

  private let store: any Store
  private let books: any LedgerReading
  private let policy: [UInt8]
  private let files: [KeptFile]
  /// Decides how accounts and records are exported.
  private var disclosure: RecordDisclosure
  private let end: RecordPosition
  /// Position of the next records; nil before the first line was written.
  private var next: Bookmark?

  /// Holds the lock only to find the journal's length.
  /// - Throws: `no_store`, `store_locked`, `invalid_policy`, `io_error`, `corrupt_store`;
  ///   `unknown_account` for an account to be renamed or removed that does not exist.
  public init(_ store: any Store, _ disclosure: RecordDisclosure = RecordDisclosure())
    throws(CreditError)
  {
    try store.requireExists()
    self.store = store
    self.disclosure = disclosure
    (policy, files) = try store.policyWithFiles()
    books = try store.books()
    end = try books.bookmark().position
    for name in disclosure.removed.union(disclosure.renamed.keys).sorted()
    where try !hasAccount(name) {
      throw CreditError(
        .unknownAccount, "there is no account \(quoted(name.text)); nothing was exported",
        [.account(name)])
    }
    if disclosure.removed.isEmpty { return }
    // A payment has invoices, and those have lines.
    for account in disclosure.removed.sorted() + [.nobody, .nobody] {
      _ = try books.search(account, before: end) { stored -> Never? in
        self.disclosure.learn(stored.record)
        return nil
      }
    }
  }

  /// Number of records to export, once the first have been.
  public private(set) var recordCount = 0
  /// Number of records exported so far.
  public private(set) var doneCount = 0

  /// Whether a record names the account: that of a subscription may have no record of its own yet.
  public func hasAccount(_ name: Name) throws(CreditError) -> Bool {
    if try books.newest(of: .account(name)) != nil { return true }
    return try books.search(.nobody, before: end) { stored in
      guard case .payment(_, let news) = stored.record.event else { return nil }
      return news.account == name ? true : nil
    } ?? false
  }

  /// Writes the next whole lines.
  /// - Returns: true if there may be more.
  /// - Throws: `corrupt_store` at the first damage, after all lines before it have been written;
  ///   `io_error`.
  public func write(into output: inout JSONWriter) throws(CreditError) -> Bool {
    var next: Bookmark
    if let known = self.next {
      next = known
    } else {
      try writeHead(into: &output)
      next = .start
    }
    defer { self.next = next }
    let endCount = output.count + Self.pieceByteCount
    while output.count < endCount {
      let page = try books.records(after: next, before: end, limit: LedgerPage.count)
      if page.records.isEmpty { return false }
      for stored in page.records {
        for record in disclosure.records(for: stored.record) { output.exported(record) }
      }
      doneCount += page.records.count
      next = page.next
    }
    return true
  }

  private func writeHead(into output: inout JSONWriter) throws(CreditError) {
    let summary = try books.summary(before: end)
    guard let createdAt = summary.createdAt else { throw store.noStore }
    recordCount = summary.recordCount
    var count = recordCount
    // The removal of accounts changes the number of records: mostly it is less.
    for account in disclosure.removed {
      var trial = disclosure
      _ = try books.search(account, before: end) { stored -> Never? in
        count += trial.records(for: stored.record).count - 1
        return nil
      }
    }
    let version = try books.version(before: end)
    output.beginObject()
    output.member("export", "credit")
    output.member("version", version.rawValue, Whole.self)
    output.member("createdAt", createdAt, Time.self)
    output.member("records", Int64(count), Whole.self)
    output.endObject()
    output.endLine()
    for file in files { output.exported(file) }
    output.beginObject()
    output.key("policy")
    let document = try? JSONDocument(policy)
    document?.withRoot { JSONCompact.write($0, into: &output) }
    output.endObject()
    output.endLine()
  }
}
