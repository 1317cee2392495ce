internal import CreditModel

/// Holds an index against the journal that it was made from.
struct VerifierIndex {
  let index: IndexFile
  /// How much of the journal the index had when it was opened. Processes that write meanwhile let
  /// it point beyond that, and so did one that was killed at it: which is none of its faults.
  let coverage: Int

  /// Opens the index of a store. Under the lock, after the journal was refreshed.
  /// - Returns: nil where there is none that could be used: the journal answers alone then.
  init?(of journal: JournalFile, in directory: StoreDirectory) throws(StoreFault) {
    do throws(StoreFault) {
      index = try IndexFile(readingIn: directory)
      coverage = try index.prepare(for: journal)
    } catch {
      guard case .indexUnusable = error else { throw error }
      return nil
    }
  }

  var hasher: KeyHasher { index.hasher }

  /// Forgets what was found of damage. Under the lock.
  func lookAgain() { index.lookAgain() }

  /// Looks everything up that the journal has, of which the index had all.
  /// - Returns: what is wrong; nil if nothing.
  func finding(against books: VerifierBooks) -> CreditError? {
    var wrong = 0
    var firstOffset: Int?
    func note(_ isRight: Bool, _ offset: Int) {
      if isRight { return }
      wrong += 1
      firstOffset = min(firstOffset ?? offset, offset)
    }
    for number in 0..<books.accounts.entries.count {
      let entry = books.accounts.entries[number]
      note(isRight(entry, number), entry.offset)
    }
    books.keys.visit { hash, offset in note(leads(hash, to: offset), offset) }
    let isCountRight =
      index.accountCount == books.accounts.entries.count && index.recordCount == books.recordCount
    let isSound = index.tables.checkAll()
    guard wrong > 0 || !isCountRight || !isSound else { return nil }
    let what =
      !isSound
      ? "is damaged"
      : wrong == 0
        ? "has \(index.accountCount) accounts and \(index.recordCount) records where the journal "
          + "has \(books.accounts.entries.count) and \(books.recordCount)"
        : "does not lead to \(wrong) of the accounts and keys in the journal"
    return CreditError(
      .corruptStore, "the index \(what); run credit-store rebuild",
      firstOffset.map { [.offset($0)] } ?? [])
  }

  private func isRight(_ entry: VerifierAccounts.VerifiedAccount, _ number: Int) -> Bool {
    guard let offset = index.accountOffset(number), offset == entry.offset || offset >= coverage
    else {
      return false
    }
    return index.lookup(entry.hash) { _ in true } == number
  }

  private func leads(_ hash: UInt64, to offset: Int) -> Bool {
    var isNewer = false
    let found = index.lookup(hash) { value in
      if value >= coverage { isNewer = true }
      return value < coverage
    }
    return found.map { $0 == offset } ?? isNewer
  }
}
