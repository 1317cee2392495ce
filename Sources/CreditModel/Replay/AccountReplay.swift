/// Refuses a record unless a condition holds.
func expect(_ condition: Bool, _ otherwise: @autoclosure () -> String)
  throws(CreditError)
{
  if !condition { throw CreditError(.corruptStore, otherwise()) }
}

/// Settings, done again from a record. Whatever is done again changes the account as its event did,
/// or throws.
extension Account {
  mutating func replaySettings(_ credits: Credits, toward target: Account)
    throws(CreditError)
  {
    let before = balance
    isExempt = target.isExempt
    isClosed = target.isClosed
    if let wanted = target.quota, wanted.plan != quota?.plan {
      try expect(wanted.limit >= 0, "the quota is negative")
      try setPlan(
        Plan(id: wanted.plan, quota: wanted.limit, period: wanted.period, rolloverMax: 0))
    } else if target.quota == nil {
      quota = nil
    }
    let (change, overflow) = balance.subtractingReportingOverflow(before)
    try expect(!overflow && change == credits, "the balance changed by another amount")
  }
}
