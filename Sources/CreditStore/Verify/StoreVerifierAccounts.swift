internal import CreditModel

/// The state of every account, in the order of registration.
///
/// An account with undated credits only takes a few words; of any other it has the newest record's
/// offset.
struct VerifierAccounts: ~Copyable {
  struct VerifiedAccount {
    let hash: UInt64
    var offset: Int
    var registeredAt: Timestamp
    var updatedAt: Timestamp
    var recordCount: Int64
    var transactionCount: Int64
    /// For an account that is not `simple`, the whole balance as one bucket.
    var credits = UndatedCredits()
    var form = Form.unknown

    enum Form: UInt8 {
      case simple, simpleAndExempt
      /// Its record has to be read.
      case other
      /// Its newest record states that records are missing after the previous one.
      case dropped
      /// The rules cannot continue from its newest record.
      case unknown
    }

    var footing: AccountFooting {
      AccountFooting(
        balance: credits.balance, recordCount: recordCount, transactionCount: transactionCount)
    }
  }

  private(set) var entries: ContiguousArray<VerifiedAccount> = []
  private var table = HashTable()
  private var recent: [Int: Account] = [:]

  /// The most accounts that are kept instead of being read again.
  private static let recentLimit = 20_000

  func number(of hash: UInt64) -> Int? { table[hash] }

  /// Returns the account of a number; nil if it has to be read.
  func account(_ number: Int, named name: Name) -> Account? {
    let entry = entries[number]
    guard entry.form != .other else { return recent[number] }
    var account = Account(name: name, registeredAt: entry.registeredAt)
    account.updatedAt = entry.updatedAt
    account.recordCount = entry.recordCount
    account.transactionCount = entry.transactionCount
    account.isExempt = entry.form == .simpleAndExempt
    account.buckets = Buckets(entry.credits, listed: nil)
    return account
  }

  /// Adds an account, or sets the state of one.
  /// - Parameters:
  ///   - number: nil for a new account.
  ///   - offset: offset of the record with this state.
  mutating func set(_ account: Account, _ number: Int?, _ hash: UInt64, at offset: Int) {
    var entry = VerifiedAccount(
      hash: hash, offset: offset, registeredAt: account.registeredAt,
      updatedAt: account.updatedAt, recordCount: account.recordCount,
      transactionCount: account.transactionCount)
    if account.hasUndatedCreditsOnly, !account.isClosed {
      entry.credits = account.buckets.undated
      entry.form = account.isExempt ? .simpleAndExempt : .simple
    } else {
      entry.credits.purchased = account.balance
      entry.form = .other
    }
    let place: Int
    if let number {
      place = number
      entries[number] = entry
    } else {
      place = entries.count
      table.insert(hash, place)
      entries.append(entry)
    }
    guard entry.form == .other else { return }
    if recent.count >= Self.recentLimit { recent.removeAll(keepingCapacity: true) }
    recent[place] = account
  }

  /// Changes the form of an account whose newest record is only a footing.
  mutating func mark(_ number: Int, as form: VerifiedAccount.Form) {
    entries[number].form = form
    recent[number] = nil
  }
}
