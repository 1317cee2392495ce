internal import CreditModel

/// What all accounts had together at the end of each day.
struct BalanceBook {
  private var changes: [CalendarDay: Int128] = [:]
  /// What changed before the period.
  private var earlier: Int128 = 0
  private var numbers = NameTable()
  private var newest: [NewestBalance] = []

  /// An account's balance by its newest line, and what all its lines sum to.
  private struct NewestBalance {
    var time: Timestamp
    /// Of the lines with that time, the one that came first and the one that came last.
    var first: Int64
    var last: Int64
    var isAscending = false
    var sum: Int128

    var balance: Int64 { isAscending ? last : first }
  }

  /// Adds a line that counts.
  mutating func add(_ line: ReportLine, on day: CalendarDay, isBefore: Bool) {
    if isBefore {
      earlier += Int128(line.credits)
    } else {
      changes[day, default: 0] += Int128(line.credits)
    }
    let account = Name(trusted: line.account)
    let time = line.recordedAt
    let (number, isNew) = numbers.enter(account)
    if isNew {
      newest.append(
        NewestBalance(
          time: time, first: line.balance, last: line.balance, sum: Int128(line.credits)))
      return
    }
    newest[number].sum += Int128(line.credits)
    if time > newest[number].time {
      newest[number].time = time
      newest[number].first = line.balance
      newest[number].isAscending = true
    }
    if time == newest[number].time { newest[number].last = line.balance }
  }

  /// Returns an account's last balance; nil if it has no line that counts.
  func balance(of account: String) -> Int64? {
    numbers.number(of: Name(trusted: account)).map { newest[$0].balance }
  }

  /// The balance of all accounts at the end.
  var total: BalanceTotal {
    var total = BalanceTotal()
    for account in newest { total.add(account.balance) }
    return total
  }

  /// The balance of all accounts when the period began.
  ///
  /// The changes since lead to the last balances. In a whole history it is the sum of the lines
  /// before.
  var opening: Int128 {
    let unknown = newest.reduce(Int128(0)) { $0 + Int128($1.balance) - $1.sum }
    return unknown + earlier
  }

  /// The changes of each day, in order.
  var sortedChanges: [(day: CalendarDay, change: Int128)] {
    changes.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
  }
}
