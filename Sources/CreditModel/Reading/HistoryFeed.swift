/// A line as it lands: new, or one recorded earlier as it is after a change.
package struct FedLine: Sendable {
  package var line: HistoryLine
  /// Whether the line was recorded earlier and has another status now.
  package let isChanged: Bool
  /// Where the record is that made it so.
  fileprivate let position: RecordPosition
  /// Which line of that record it is, from 1 on.
  fileprivate let number: Int
}

/// A place in the history, in the order of the journal: after some lines of a record.
package struct HistoryCursor: Hashable, Sendable {
  /// The place before the record.
  package let bookmark: Bookmark
  /// How many lines of the record come before it.
  package let lineCount: Int

  /// Before the first line.
  package static let start = HistoryCursor(bookmark: .start, lineCount: 0)

  /// A record has at most this many lines: the one that it changes, and its own.
  package static let recordLineLimit = 2

  package init(bookmark: Bookmark, lineCount: Int) {
    self.bookmark = bookmark
    self.lineCount = lineCount
  }

  /// The text that a follower keeps: `@4096-1a2b3c4d-1`. It is not to be looked into.
  package var text: String {
    "@\(bookmark.position.value)-\(String(bookmark.anchor, radix: 16))-\(lineCount)"
  }

  /// - Returns: nil if the text is not a cursor.
  package init?(text: String) {
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

/// The lines of the history in the order of the journal, oldest first, from a place on.
package struct HistoryFeed {
  private var bookmark: Bookmark
  /// How many lines of the next record were given already.
  private var skipCount: Int

  /// How many records are asked for at once.
  private static let pageCount = 256

  package init(after cursor: HistoryCursor) {
    bookmark = cursor.bookmark
    skipCount = cursor.lineCount
  }

  /// Begins with what lands from now on.
  package init(after books: any LedgerReading) throws(CreditError) {
    self.init(after: HistoryCursor(bookmark: try books.bookmark(), lineCount: 0))
  }

  /// Calls `body` with the lines, and changed lines, that have landed since the last call, until it
  /// returns false. A line that changed comes before the line that says why.
  /// - Throws: `io_error` where other books have taken the place of those that were read so far.
  package mutating func readOn(in books: any LedgerReading, _ body: (FedLine) -> Bool)
    throws(CreditError)
  {
    while true {
      let page = try books.records(after: bookmark, before: nil, limit: Self.pageCount)
      guard let first = page.records.first else { return }
      for line in try lines(of: page.records, in: books) {
        if line.position == first.position && line.number <= skipCount { continue }
        if !body(line) { return }
      }
      bookmark = page.next
      skipCount = 0
    }
  }

  /// The place after a line, to go on from there in another run.
  package static func cursor(after line: FedLine, in books: any LedgerReading)
    throws(CreditError) -> HistoryCursor
  {
    HistoryCursor(bookmark: try books.bookmark(before: line.position), lineCount: line.number)
  }

  /// The lines of records: those that they changed, as they are after that, and their own.
  private func lines(of records: [StoredRecord], in books: any LedgerReading) throws(CreditError)
    -> [FedLine]
  {
    let changing = records.filter { $0.record.revision != nil }
    let originals =
      changing.isEmpty ? [] : try books.records(at: changing.compactMap(\.record.original))
    var next = originals.makeIterator()
    var lines: [FedLine] = []
    for stored in records {
      var number = 0
      if let revision = stored.record.revision, let original = next.next(),
        var line = original?.record.historyLine
      {
        line.apply(revision)
        number += 1
        lines.append(
          FedLine(line: line, isChanged: true, position: stored.position, number: number))
      }
      if let line = stored.record.historyLine {
        number += 1
        lines.append(
          FedLine(line: line, isChanged: false, position: stored.position, number: number))
      }
    }
    return lines
  }
}
