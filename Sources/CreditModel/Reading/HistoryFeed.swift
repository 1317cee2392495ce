/// A line of the history, new or changed.
public struct FedLine: Sendable {
  public var line: HistoryLine
  /// Whether the line was recorded earlier and its status has changed.
  public let isChanged: Bool
  fileprivate let position: RecordPosition
  /// Number of the line in that record, from 1 on.
  fileprivate let number: Int
}

/// A place in the history, in the order of the journal: after some lines of a record.
public struct HistoryCursor: Equatable, Sendable {
  /// The place before the record.
  public let bookmark: Bookmark
  /// Number of the record's lines before it.
  public let lineCount: Int

  /// Before the first line.
  public static let start = HistoryCursor(bookmark: .start, lineCount: 0)

  /// A record has at most this many lines: the one that it changes, and its own.
  public static let recordLineLimit = 2
}

extension HistoryCursor {
  /// The text that a follower keeps: `@4096-1a2b3c4d-1`. It is opaque.
  public var text: String {
    "@\(bookmark.position.value)-\(String(bookmark.anchor, radix: 16))-\(lineCount)"
  }

  public init?(text: String) {
    guard text.utf8.first == UInt8(ascii: "@") else { return nil }
    let parts = text.dropFirst().split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 3, let position = Int64(parts[0]), position >= 0,
      let anchor = UInt32(parts[1], radix: 16), let count = Int(parts[2]),
      (0...Self.recordLineLimit).contains(count)
    else { return nil }
    self.init(
      bookmark: Bookmark(position: RecordPosition(position), anchor: anchor), lineCount: count)
    // A number may be written in several ways.
    if self.text != text { return nil }
  }
}

/// The history's lines in the order of the journal from a place on.
public struct HistoryFeed {
  private var bookmark: Bookmark
  /// Number of lines of the next record that were given already.
  private var skipCount: Int

  public init(after cursor: HistoryCursor) {
    bookmark = cursor.bookmark
    skipCount = cursor.lineCount
  }

  /// Begins with the lines recorded from now on.
  public init(after books: any LedgerReading) throws(CreditError) {
    self.init(after: HistoryCursor(bookmark: try books.bookmark(), lineCount: 0))
  }

  /// Calls `body` with new and changed lines until it returns false.
  ///
  /// A changed line comes before the line of its change.
  /// - Throws: `io_error` if other books have replaced those that were read so far.
  public mutating func readOn(in books: any LedgerReading, _ body: (FedLine) -> Bool)
    throws(CreditError)
  {
    while true {
      let page = try books.records(after: bookmark, before: nil, limit: LedgerPage.count)
      guard let first = page.records.first else { return }
      for line in try lines(of: page.records, in: books) {
        if line.position == first.position && line.number <= skipCount { continue }
        if !body(line) { return }
      }
      bookmark = page.next
      skipCount = 0
    }
  }

  /// Returns the place after a line, to continue from there in another run.
  public static func cursor(after line: FedLine, in books: any LedgerReading)
    throws(CreditError) -> HistoryCursor
  {
    HistoryCursor(bookmark: try books.bookmark(before: line.position), lineCount: line.number)
  }

  private func lines(of records: [StoredRecord], in books: any LedgerReading) throws(CreditError)
    -> [FedLine]
  {
    let changing = records.filter { $0.record.revision != nil }
    let originals =
      changing.isEmpty ? [] : try books.records(at: changing.compactMap(\.record.original))
    var next = originals.makeIterator()
    var lines: [FedLine] = []
    var latest: [RecordPosition: HistoryRevision] = [:]
    for stored in records {
      var number = 0
      if stored.record.revision != nil, let original = next.next() ?? nil,
        let revision = try books.revision(
          of: original, by: stored, after: latest[original.position]),
        var line = original.record.historyLine
      {
        latest[original.position] = revision
        line.apply(revision)
        number += 1
        lines.append(
          FedLine(line: line, isChanged: true, position: stored.position, number: number))
      }
      if let line = try books.historyLine(of: stored, in: records) {
        number += 1
        lines.append(
          FedLine(line: line, isChanged: false, position: stored.position, number: number))
      }
    }
    return lines
  }
}

/// Finds a line of the history by its id, to continue after it.
public struct HistoryPlace {
  private let books: any LedgerReading
  /// Account that has the line; nil if any account may have it.
  private let account: Name?

  public init(in books: any LedgerReading, of account: Name?) {
    self.books = books
    self.account = account
  }

  /// Returns the place after a line. For an id that an account has several times, that is its first
  /// line: reading lines again is harmless, and none is missed.
  /// - Parameter text: the line's id, a cursor, or nothing for the beginning.
  /// - Throws: `unknown_transaction`; `invalid_request` if several accounts have the id.
  public func cursor(after text: String) throws(CreditError) -> HistoryCursor {
    if text.isEmpty { return .start }
    if let cursor = HistoryCursor(text: text) {
      if try books.holds(cursor.bookmark) { return cursor }
      throw CreditError(.unknownTransaction, "the cursor \(quoted(text)) belongs to another store")
    }
    if let problem = Name.problem(with: text, limit: Self.idLimit) {
      throw CreditError(.invalidRequest, "--after \(problem)")
    }
    let id = Name(trusted: text)
    var found = try indexed(id)
    if found == nil { found = try scanned(id) }
    guard let position = found else {
      throw CreditError(
        .unknownTransaction,
        "no transaction \(quoted(text)) in the history"
          + (account.map { " of account \(quoted($0.text))" } ?? ""))
    }
    return HistoryCursor(
      bookmark: try books.bookmark(before: position), lineCount: HistoryCursor.recordLineLimit)
  }

  /// A line's id may have a word before its transaction's id, and a number after it.
  private static let idLimit = Name.idLimit + 64

  /// Returns the line's position by the ids in the books' index; nil if these do not have it.
  private func indexed(_ id: Name) throws(CreditError) -> RecordPosition? {
    // Every account has such lines of its own.
    let common = ["starter", "quota:", "expiry:"]
    if common.contains(where: id.text.hasPrefix) { return nil }
    var keys: [RecordKey] = [.transaction(id), .authorization(id)]
    if let base = Self.transactionID(id) { keys += [.transaction(base), .authorization(base)] }
    let newest = try books.newest(of: keys).compactMap { $0 }
    let positions = newest.map { $0.record.original ?? $0.position }
    var found: Set<RecordPosition> = []
    for stored in try books.records(at: positions) {
      if let stored, isWanted(stored, id) { found.insert(stored.position) }
    }
    if found.count == 1 { return found.first }
    guard found.isEmpty, let owner = newest.first?.record.account.name, owner != .nobody,
      Self.transactionID(id) != nil, account == nil || account == owner
    else { return nil }
    return try HistoryPlace(in: books, of: owner).scanned(id)
  }

  /// The id of the transaction of a line such as `refund:ID` or `amend:ID:2`; nil if it has no such
  /// word.
  private static func transactionID(_ id: Name) -> Name? {
    guard let word = ["refund:", "reversal:", "amend:"].first(where: id.text.hasPrefix) else {
      return nil
    }
    var rest = id.text.dropFirst(word.count)
    if rest.hasSuffix(":old") { rest = rest.dropLast(4) }
    if let mark = rest.lastIndex(of: ":"), Int64(rest[rest.index(after: mark)...]) != nil {
      rest = rest[..<mark]
    }
    return rest.isEmpty ? nil : Name(trusted: String(rest))
  }

  private func isWanted(_ stored: StoredRecord, _ id: Name) -> Bool {
    guard let line = stored.record.historyLine, line.id == id else { return false }
    return account == nil || account == line.account
  }

  /// Searches the history for the line's position.
  private func scanned(_ id: Name) throws(CreditError) -> RecordPosition? {
    let end = try books.bookmark().position
    if let account {
      var found: RecordPosition?
      _ = try books.search(account, before: end) { stored -> Never? in
        if isWanted(stored, id) { found = stored.position }
        return nil
      }
      return found
    }
    var first: (owner: Name, position: RecordPosition)?
    _ = try books.searchPages(before: end) { records throws(CreditError) -> Never? in
      for stored in records where isWanted(stored, id) {
        let owner = stored.record.account.name
        if let first, first.owner != owner {
          throw .invalidRequest(
            "several accounts have a transaction \(quoted(id.text)): name one with --account, or "
              + "give the cursor that --cursor prints")
        }
        if first == nil { first = (owner, stored.position) }
      }
      return nil
    }
    return first?.position
  }
}
