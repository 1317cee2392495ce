/// A gate's result of a request. Large ones are boxed, as an answer is passed on often and read
/// once.
package enum GateResult: Sendable {
  indirect case authorization(CreditAuthorization, balance: Credits, isReplay: Bool)
  indirect case voided(CreditAuthorization, isReplay: Bool)
  /// A charge, for its receipt.
  case receipt(Charge, isReplay: Bool)
  /// A charge that has been refunded since it was made.
  case refundedReceipt(Charge)
  indirect case topUp(TopUp, isReplay: Bool)
  /// The balance was not below the request's threshold.
  indirect case skipped(account: Name, key: Name?, balance: Credits)
  indirect case transactionRefund(Transaction, Refund, isReplay: Bool)
  indirect case chargeRefund(CreditAuthorization, key: Name?, Refund, isReplay: Bool)
  indirect case account(AccountView)
  indirect case transfer(Transfer, isReplay: Bool)
  /// A result that took the account below thresholds, the highest first.
  indirect case crossing(GateResult, [Credits])
  /// A result for an account that others pay for, with their remaining funds.
  indirect case funds(GateResult, ChainFunds)
  /// A result of a payment for a plan, and the plan in force.
  indirect case plan(GateResult, PlanInForce)
  /// A notification of the App Store without an effect.
  indirect case notification(AppStoreNotification)
  /// A subscription that a provider has ended: the transaction that had paid for it.
  indirect case subscriptionEnd(TopUp)
  /// A provider's payment event without an effect; the reason, if it is not plain.
  indirect case event(PaymentEvent, reason: String?)
  /// A payment provider's event about several purchases.
  indirect case payments(PaymentEvent, [GateResult])
}

/// The plan that an account has.
package struct PlanInForce: Hashable, Sendable {
  /// Nil for no plan.
  package let plan: Name?
  /// Its paid end; nil if it was set by hand.
  package let until: Timestamp?

  init(of account: borrowing Account) {
    plan = account.plan
    until = account.subscriptions.active?.until
  }
}

extension GateResult {
  /// The result with its account's funds, if others pay for it.
  func of(_ funds: ChainFunds?) -> GateResult {
    funds.map { .funds(self, $0) } ?? self
  }
}

/// A gate's answer to one request. (The standard `Result` looks up its error type's conformance
/// when a process first makes a list of it, which costs more than the rest of the answer.)
package enum GateAnswer: Sendable {
  case success(GateResult)
  case failure(CreditError)

  /// The result, or the error thrown.
  package func get() throws(CreditError) -> GateResult {
    switch self {
    case .success(let result): return result
    case .failure(let error): throw error
    }
  }
}
