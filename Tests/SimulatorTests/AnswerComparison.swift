import CreditModel

extension GateAnswer {
  /// Whether this answer of a process is allowed for the model's.
  func isSame(as other: GateAnswer) -> Bool {
    switch (self, other) {
    case (.success(let left), .success(let right)): left.isSame(as: right)
    case (.failure(let left), .failure(let right)):
      left.code == right.code && left.message == right.message
    default: false
    }
  }

  /// A few words, for a trace.
  var summary: String {
    switch self {
    case .success(let result): "\(result)"
    case .failure(let error): "\(error.code.rawValue): \(error.message)"
    }
  }
}

extension GateResult {
  fileprivate func isSame(as other: GateResult) -> Bool {
    switch (self, other) {
    case (
      .authorization(let left, let balance, let isReplay),
      .authorization(let right, let otherBalance, let isOtherReplay)
    ):
      left == right && balance == otherBalance && isReplay == isOtherReplay
    case (.voided(let left, let isReplay), .voided(let right, let isOtherReplay)):
      left == right && isReplay == isOtherReplay
    case (.receipt(let left, let isReplay), .receipt(let right, let isOtherReplay)):
      left == right && isReplay == isOtherReplay
    case (.refundedReceipt(let left, _), .refundedReceipt(let right, _)): left == right
    case (.topUp(let left, let isReplay), .topUp(let right, let isOtherReplay)):
      left == right && isReplay == isOtherReplay
    case (
      .transactionRefund(let left, let refund, let isReplay),
      .transactionRefund(let right, let otherRefund, let isOtherReplay)
    ):
      left == right && refund == otherRefund && isReplay == isOtherReplay
    case (
      .chargeRefund(let left, let key, let refund, let isReplay),
      .chargeRefund(let right, let otherKey, let otherRefund, let isOtherReplay)
    ):
      left == right && key == otherKey && refund == otherRefund && isReplay == isOtherReplay
    case (.transfer(let left, let isReplay), .transfer(let right, let isOtherReplay)):
      left == right && isReplay == isOtherReplay
    case (.crossing(let left, let crossed), .crossing(let right, let otherCrossed)):
      left.isSame(as: right) && crossed == otherCrossed
    case (.funds(let left, let funds), .funds(let right, let otherFunds)):
      left.isSame(as: right) && funds == otherFunds
    case (.plan(let left, let plan), .plan(let right, let otherPlan)):
      left.isSame(as: right) && plan == otherPlan
    case (.account(let left), .account(let right)): left == right
    case (.subscriptionEnd(let left), .subscriptionEnd(let right)): left == right
    case (
      .event(let left, let reason, let isRecorded), .event(let right, let otherReason, let other)
    ):
      left == right && reason == otherReason && isRecorded == other
    case (.payments(let left, let results), .payments(let right, let otherResults)):
      left == right && results.count == otherResults.count
        && zip(results, otherResults).allSatisfy { $0.isSame(as: $1) }
    default: false
    }
  }
}
