package import CreditModel

extension LedgerRecord {
  /// Returns the fault of a payer's line of this charge, correction or refund, if any: it has the
  /// request's model name, and the time of the work.
  package func faultOfWork(in share: LedgerRecord) -> String? {
    guard let own = historyLine, let line = share.historyLine else { return nil }
    switch event {
    case .charge, .amend:
      if line.model != own.model { return "names another model than its charge" }
      if line.usedAt != own.usedAt { return "is of another time than its charge" }
    case .chargeRefund(let charge, _):
      if line.model != charge.receipt.model { return "names another model than its charge" }
      if line.usedAt != nil { return "has a time of use, and gives back" }
    default: break
    }
    let isOther = line.catalogModel != nil && line.catalogModel != line.model
    return isOther || line.catalogModel == nil ? nil : "names one model twice"
  }
}
