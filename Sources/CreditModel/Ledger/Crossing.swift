// Crossing a threshold: whoever reads results is told once, however many processes write.

extension Policy {
  /// Returns the thresholds that a balance has newly fallen below, the highest first. Returns nil
  /// if it crossed none.
  package func crossed(from before: Credits, to after: Credits) -> [Credits]? {
    var crossed: [Credits]?
    for threshold in lowBalance where before >= threshold && after < threshold {
      crossed = (crossed ?? []) + [threshold]
    }
    return crossed
  }
}

/// Thresholds that the current request has crossed. For a repeat, those crossed when its answer was
/// first given.
final class NotedCrossing {
  private(set) var thresholds: [Credits]?

  func begin() { thresholds = nil }

  func note(_ crossed: [Credits]?) {
    if let crossed { thresholds = crossed }
  }
}

extension Ledger {
  /// Has the replay of a charge say what that has crossed, also where it was refunded since. What a
  /// correction has crossed is not looked for then: the refund has given it back.
  func repeatCrossing(ofChargeIn entry: AuthorizationEntry) throws(CreditError) {
    if case .refunded(let charge, _) = entry.state {
      if charge.amendment != nil { return }
      crossing.note(try books.record(at: entry.position)?.crossed)
    } else {
      crossing.note(entry.crossed)
    }
  }

  /// Makes the replay of a top-up report the thresholds that it crossed. It does so even if the
  /// top-up has started or was refunded since. In those cases it does not look up what a top-up
  /// that was pending first crossed when it went through.
  func repeatCrossing(ofTopUpIn entry: TransactionEntry) throws(CreditError) {
    let transaction = entry.topUp.transaction
    let hasStarted = transaction.terms?.startsAt != nil && transaction.status == .completed
    guard hasStarted || entry.refund != nil else { return crossing.note(entry.crossed) }
    let first = try books.record(at: entry.position)
    guard case .topUp(let topUp) = first?.event,
      topUp.transaction.status == .completed || topUp.transaction.status == .scheduled
    else { return }
    crossing.note(first?.crossed)
  }
}
