internal import CreditModel

/// Every account as of one end of the books, in the order of names.
struct AccountNames {
  let end: RecordPosition
  private var accounts: [(name: Name, newest: RecordPosition)] = []

  /// - Parameter newest: of each account the newest record before the end.
  init(before end: RecordPosition, _ newest: [(name: Name, newest: RecordPosition)]) {
    self.end = end
    accounts = newest.sorted { $0.name < $1.name }
  }

  /// Where the newest records of the next accounts stand.
  func positions(after name: Name?, limit: Int) -> [RecordPosition] {
    let start = name.map(place(after:)) ?? 0
    return accounts[start...].prefix(limit).map(\.newest)
  }

  private func place(after name: Name) -> Int {
    var range = accounts.startIndex..<accounts.endIndex
    while !range.isEmpty {
      let middle = range.lowerBound + range.count / 2
      range =
        accounts[middle].name > name
        ? range.lowerBound..<middle : middle + 1..<range.upperBound
    }
    return range.lowerBound
  }
}

extension StoreReader {
  /// The accounts as of an end of the books: found once for all pages that end there.
  func accountNames(before end: RecordPosition) throws(CreditError) -> AccountNames {
    if let names, names.end == end { return names }
    let positions = try locked { (finder) throws(StoreFault) in try finder.newestPositions() }
    let made = try reading { () throws(StoreFault) in
      var newest: [(name: Name, newest: RecordPosition)] = []
      newest.reserveCapacity(positions.count)
      for position in positions {
        var next = try record(at: position)
        while let later = next, later.position >= end {
          next = try later.previous.flatMap { (previous) throws(StoreFault) in
            try record(at: previous)
          }
        }
        guard let next, next.record.account.name != .nobody else { continue }
        newest.append((next.record.account.name, next.position))
      }
      return AccountNames(before: end, newest)
    }
    names = made
    return made
  }
}
