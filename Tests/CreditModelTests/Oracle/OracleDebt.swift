import CreditModel

// Debts, and the credits that settle them.
extension OracleAccount {
  mutating func settleDebtFromPlan() {
    guard let quota = plan else { return }
    let paid = min(debt, quota.remaining)
    settle(paid, .quota, until: quota.resetsAt)
    debt -= paid
    plan?.use(paid)
  }

  /// Notes which credits are about to pay the oldest debt.
  mutating func settle(_ paid: Int128, _ kind: Bucket.Kind, until: Timestamp?) {
    if paid == 0 { return }
    settled.append(
      Settled(kind: kind, until: until, credits: paid, left: paid, owed: debt, at: clock))
    settled = Array(settled.suffix(16))
  }

  /// Replaces a charge's debt by the credits that settled it since: of all debts the oldest is
  /// settled first.
  /// - Returns: the part still owed, which is no longer among the debts.
  mutating func tellSettled(_ id: Name) -> Int128 {
    guard let (balance, at) = after[id], balance < 0 else { return 0 }
    // Plain purchased credits and debt are not told apart.
    var plain: Int128 = 0
    while let (source, credits) = taken[id]?.last, source.isPlainPurchased {
      plain += credits
      taken[id]?.removeLast()
    }
    // The debt of the charge is this range of all debts.
    var (start, end) = (-balance - min(plain, -balance), -balance)
    var told: [(source: Source, credits: Int128)] = []
    for place in settled.indices where start < end {
      let isPlain = settled[place].kind == .purchased && settled[place].until == nil
      if settled[place].at < at || isPlain && settled[place].at == at { continue }
      let gone = max(0, end - settled[place].owed)
      start = max(0, start - gone)
      end -= gone
      let first = settled[place].from
      let last = first + settled[place].credits
      let share = max(0, min(end, last) - max(start, first))
      let part = min(share, settled[place].left)
      settled[place].left -= part
      let (kind, until) = (settled[place].kind, settled[place].until)
      if part > 0, kind == .quota, let until {
        told.append((.quota(resetsAt: until), part))
      } else if part > 0 {
        told.append((.lot(kind, until: until, nil), part))
      }
      start -= max(0, min(start, last) - first)
      end -= max(0, min(end, last) - first)
    }
    let sum = told.reduce(0) { $0 + $1.credits }
    let owed = sum == 0 ? 0 : min(max(0, end - start), plain - sum)
    told.insert((.debt, plain - sum - owed), at: 0)
    told.append((.debt, owed))
    taken[id, default: []] += told.filter { $0.credits > 0 }
    let beyond = max(0, end - debt)
    let from = max(0, start - beyond)
    let own = end - beyond - from
    if own > 0, end - beyond < debt, plan != nil || !settled.isEmpty {
      settled.append(
        Settled(
          kind: .purchased, until: nil, credits: own, left: 0, owed: debt, at: clock, from: from))
      settled = Array(settled.suffix(16))
    }
    return own
  }
}
