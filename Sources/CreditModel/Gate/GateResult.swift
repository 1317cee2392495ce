/// What a gate answers to a request that it served. The large ones are boxed: an answer is handed
/// on often and looked into once.
package enum GateResult: Sendable {
  indirect case authorization(CreditAuthorization, balance: Credits, isReplay: Bool)
  indirect case voided(CreditAuthorization, isReplay: Bool)
  /// A charge, for its receipt.
  case receipt(Charge, isReplay: Bool)
  /// A charge that has been refunded since it was made.
  case refundedReceipt(Charge)
  indirect case topUp(TopUp, isReplay: Bool)
  /// The balance was not below what the request asked for.
  indirect case skipped(account: Name, key: Name?, balance: Credits)
  indirect case transactionRefund(Transaction, Refund, isReplay: Bool)
  indirect case chargeRefund(CreditAuthorization, key: Name?, Refund, isReplay: Bool)
  indirect case account(AccountView)
  indirect case transfer(Transfer, isReplay: Bool)
  /// A result of a write that has left the account under thresholds of the policy, the highest
  /// first.
  indirect case crossing(GateResult, [Credits])
  /// A result about an account that others pay for, and what they may still pay.
  indirect case funds(GateResult, ChainFunds)
  /// A result about a payment for a plan, and what is in force now.
  indirect case plan(GateResult, PlanInForce)
  /// A notification of the App Store that changed nothing.
  indirect case notification(AppStoreNotification)
  /// A subscription that a provider has ended: the transaction that had paid for it.
  indirect case subscriptionEnd(TopUp)
  /// A provider's payment event that changed nothing; the reason, if it is not plain.
  indirect case event(PaymentEvent, reason: String?)
  /// A payment provider's event that is about several purchases.
  indirect case payments(PaymentEvent, [GateResult])
}

/// The plan that an account has.
package struct PlanInForce: Hashable, Sendable {
  /// Nil for no plan.
  package let plan: Name?
  /// How far it is paid; nil for one that was set by hand.
  package let until: Timestamp?

  init(of account: borrowing Account) {
    plan = account.plan
    until = account.subscriptions.active?.until
  }
}

extension GateResult {
  /// The result, with what its account may spend; nil for one that pays for itself.
  func of(_ funds: ChainFunds?) -> GateResult {
    funds.map { .funds(self, $0) } ?? self
  }
}

/// A gate's answer to one request. (The standard `Result` has its error type's conformance looked
/// up when a process first makes a list of it, which costs more than all else about the answer.)
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

/// Serves the requests that write: the local store, or a server.
///
/// Requests are taken in batches: in order, each seeing the ones before it, and all on disk before
/// any is answered.
package protocol CreditGate: AnyObject {
  /// Serves a batch.
  /// - Parameter policy: the rules, as they were when the batch was read.
  /// - Returns: one answer a request, in order; fewer, but one at least, if the records of all
  ///   would be too much for one batch: the requests that follow are to be given again.
  /// - Throws: if the store itself failed; then none of the batch is answered, and the error's
  ///   outcome says whether anything may have been done.
  func perform(_ requests: ArraySlice<GateRequest>, under policy: Policy) throws(CreditError)
    -> [GateAnswer]

  /// Does some of what a batch needs that is being served, if it waits for a processor. Another
  /// thread, which reads requests or prints results meanwhile, calls it between its own steps.
  func writeAhead()
}

extension CreditGate {
  package func writeAhead() {}

  /// Serves a batch that is all of a list.
  package func perform(_ requests: [GateRequest], under policy: Policy) throws(CreditError)
    -> [GateAnswer]
  {
    try perform(requests[...], under: policy)
  }
}
