internal import CreditJSON
public import CreditModel

extension StoreReader: LedgerReading {
  public func bookmark() throws(CreditError) -> Bookmark {
    try lockedJournal { () throws(StoreFault) in try newBookmark() }
  }

  public func bookmark(before position: RecordPosition) throws(CreditError) -> Bookmark {
    try reading { () throws(StoreFault) in try bookmark(at: Int(position.value)) }
  }

  public func holds(_ bookmark: Bookmark) throws(CreditError) -> Bool {
    try lockedJournal { () throws(StoreFault) in
      if bookmark == .start { return true }
      guard bookmark.position.value <= Int64(try wholeEnd()) else { return false }
      return try journal.anchor(at: Int(bookmark.position.value)) == bookmark.anchor
    }
  }

  public func newest(of key: RecordKey) throws(CreditError) -> StoredRecord? {
    try locked { (finder) throws(StoreFault) in try finder.stored(of: key) }
  }

  public func newest(of keys: [RecordKey]) throws(CreditError) -> [StoredRecord?] {
    try locked { (finder) throws(StoreFault) in
      try keys.map { (key) throws(StoreFault) in try finder.stored(of: key) }
    }
  }

  public func records(at positions: [RecordPosition]) throws(CreditError) -> [StoredRecord?] {
    try reading { () throws(StoreFault) in
      try positions.map { (position) throws(StoreFault) in try record(at: position) }
    }
  }

  public func accounts(after name: Name?, before end: RecordPosition, limit: Int)
    throws(CreditError) -> [StoredRecord]
  {
    let names = try accountNames(before: end)
    defer { withExtendedLifetime(names) {} }
    return try reading { () throws(StoreFault) in
      try names.positions(after: name, limit: limit).map { (position) throws(StoreFault) in
        try record(at: position)
      }
    }
  }

  public func accountList() throws(CreditError) -> (any AccountList)? {
    // If the index has all of the journal, its last batch need not be read to know the end: up to
    // 16 MiB, which is a tenth of a long list.
    let end = try locked { (_) throws(StoreFault) in try newBookmark().position }
    return ReadAccounts(try accountNames(before: end), self)
  }

  public func records(
    of account: Name?, before position: RecordPosition, skipping count: Int, limit: Int
  ) throws(CreditError) -> [StoredRecord] {
    guard let account else {
      return try reading { () throws(StoreFault) in
        try records(before: position, skipping: count, limit: limit)
      }
    }
    let last = try newest(of: account, before: position)
    return try reading { () throws(StoreFault) in
      try chain(from: last, skipping: count, limit: limit)
    }
  }

  public func records(after bookmark: Bookmark, before end: RecordPosition?, limit: Int)
    throws(CreditError) -> RecordPage
  {
    let start = Int(bookmark.position.value)
    let limitOffset =
      if let end {
        Int(end.value)
      } else {
        try lockedJournal { () throws(StoreFault) in
          let end = try wholeEnd()
          if bookmark != .start, try journal.anchor(at: start) != bookmark.anchor {
            throw StoreFault.journalReplaced
          }
          return end
        }
      }
    return try reading { () throws(StoreFault) in
      try page(from: bookmark, to: limitOffset, limit: limit)
    }
  }

  /// Reads on from a place.
  private func page(from bookmark: Bookmark, to end: Int, limit: Int) throws(StoreFault)
    -> RecordPage
  {
    var page = RecordPage(from: bookmark)
    var offset = Int(bookmark.position.value)
    if offset == 0 { offset = try journal.headerByteCount() }
    while offset < end && page.records.count < limit {
      let start = offset
      do throws(StoreFault) {
        let stored = try journal.withRecordLine(at: start) { (line) throws(StoreFault) in
          offset += line.count + 1
          return try finder.read(line, at: start)
        }
        page.records.append(stored)
      } catch {
        // The records before damage are returned first.
        if page.records.isEmpty { throw error }
        break
      }
    }
    if !page.records.isEmpty { page.next = try self.bookmark(at: offset) }
    return page
  }

  // MARK: Newest first

  private func newest(of account: Name, before position: RecordPosition) throws(CreditError)
    -> StoredRecord?
  {
    let offset = Int(position.value)
    let stored = try reading { () throws(StoreFault) -> StoredRecord? in
      if offset == 0 { return nil }
      return try journal.withLine(at: offset) {
        (line) throws(StoreFault) in try finder.read(line, at: offset)
      }
    }
    if let stored, stored.record.account.name == account {
      return try reading { () throws(StoreFault) in try previous(of: stored) }
    }
    var newest = try newest(of: .account(account))
    while let later = newest, later.position >= position {
      newest = try reading { () throws(StoreFault) in try previous(of: later) }
    }
    return newest
  }

  /// Returns the records of an account from one on back.
  private func chain(from newest: StoredRecord?, skipping count: Int, limit: Int)
    throws(StoreFault) -> [StoredRecord]
  {
    var next = try newest.flatMap { (newest) throws(StoreFault) in
      try earlier(than: newest, by: Int64(count))
    }
    var page: [StoredRecord] = []
    while page.count < limit, let stored = next {
      page.append(stored)
      if page.count < limit { next = try previous(of: stored) }
    }
    return page
  }

  /// Returns the account's last record before a number of its history's lines, or nil.
  private func earlier(than newest: StoredRecord, by count: Int64) throws(StoreFault)
    -> StoredRecord?
  {
    let wanted = newest.record.account.transactionCount - count
    if wanted <= 0 && count > 0 { return nil }
    var stored = newest
    while true {
      // A record has at most one line: the wanted one is no nearer than this.
      let distance = stored.record.account.transactionCount - wanted
      if distance <= 0 { return stored }
      var offset = Int(stored.position.value)
      for _ in 0..<distance {
        // There are more records than lines, so one precedes this.
        guard let previous = try journal.previous(of: offset) else {
          throw journal.damage(at: offset, "names no record of its account before it")
        }
        offset = previous
      }
      stored = try record(at: RecordPosition(Int64(offset)), by: distance, before: stored)
    }
  }

  private func records(before position: RecordPosition, skipping count: Int, limit: Int)
    throws(StoreFault) -> [StoredRecord]
  {
    var page: [StoredRecord] = []
    var skipped = 0
    let start = try journal.headerByteCount()
    try journal.forEachLineBackwards(from: Int(position.value), to: start) {
      (offset, line) throws(StoreFault) in
      // Most skipped lines are not read.
      if skipped < count, RecordReader.isCharge(line) {
        skipped += 1
        return true
      }
      let stored = try finder.read(line, at: offset)
      if skipped < count {
        if stored.record.historyLine != nil { skipped += 1 }
      } else {
        page.append(stored)
      }
      return page.count < limit
    }
    return page
  }
}

extension RecordFinder {
  fileprivate func stored(of key: RecordKey) throws(StoreFault) -> StoredRecord? {
    if case .account(let name) = key { return try newest(of: name)?.newest }
    return try newest(of: key)
  }
}
