internal import CreditModel

/// The state of every account, in the order of registration: in a few words each where it has
/// undated credits only; of any other, where its newest record is.
struct VerifierAccounts: ~Copyable {
  struct VerifiedAccount {
    let hash: UInt64
    /// Where the account's newest record is.
    var offset: Int
    var registeredAt: Timestamp
    var updatedAt: Timestamp
    var recordCount: Int64
    var transactionCount: Int64
    /// Of an account that isn't `simple`, the whole balance as one bucket.
    var credits = UndatedCredits()
    var form = Form.unknown

    enum Form: UInt8 {
      case simple, simpleAndExempt
      /// To be read back.
      case other
      /// Its newest record says that records are missing after the one before.
      case dropped
      /// Its newest record says nothing that the rules could go on from.
      case unknown
    }

    var balance: Credits { credits.balance }

    var footing: AccountFooting {
      AccountFooting(
        balance: balance, recordCount: recordCount, transactionCount: transactionCount)
    }
  }

  private(set) var entries: ContiguousArray<VerifiedAccount> = []
  private var table = ProbeTable()
  private var recent: [Int: Account] = [:]

  /// The most accounts that are kept as they are instead of being read back.
  private static let recentLimit = 20_000

  init() {}

  /// The number of the account of a hash.
  func number(of hash: UInt64) -> Int? {
    table.find(hash) { entries[$0].hash == hash }
  }

  /// The account of a number; nil where it has to be read back.
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
  ///   - offset: where the record is that says so.
  mutating func set(_ account: Account, _ number: Int?, _ hash: UInt64, at offset: Int) {
    let entry = Self.entry(for: account, hash, at: offset)
    let place: Int
    if let number {
      place = number
      entries[number] = entry
    } else {
      place = entries.count
      table.append(hash) { entries[$0].hash }
      entries.append(entry)
    }
    guard entry.form == .other else { return }
    if recent.count >= Self.recentLimit { recent.removeAll(keepingCapacity: true) }
    recent[place] = account
  }

  private static func entry(for account: Account, _ hash: UInt64, at offset: Int) -> VerifiedAccount
  {
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
    return entry
  }

  /// Notes that an account's newest record says that records are missing.
  mutating func noteDrop(_ number: Int) {
    entries[number].form = .dropped
    recent[number] = nil
  }

  /// Notes that the rules can't go on from what a record says, apart from its balance.
  mutating func forget(_ number: Int) {
    entries[number].form = .unknown
    recent[number] = nil
  }
}
