internal import CreditModel

extension CreditError.Code {
  /// Meaning of the code, in the manual's markup: a sentence or two.
  var meaning: String {
    switch self {
    case .insufficientCredits: "The account has not enough credits."
    case .accountClosed: "The account is closed: it takes no new work or credits."
    case .idempotencyConflict: "The id or key was used before, for something else."
    case .duplicateTransaction: "The transaction was recorded before, and `--strict` forbids that."
    case .authorizationClosed: "The authorization was charged or voided."
    case .authorizationNotCharged: "The authorization has no charge to give back."
    case .transactionNotCompleted: "The transaction granted nothing that could be taken back."
    case .unknownAccount: "The policy requires accounts to be registered, and this one is not."
    case .unknownAuthorization: "The store has no such authorization."
    case .unknownTransaction: "The store has no such transaction."
    case .unknownModel: "No model of the catalog has this id or alias."
    case .unknownProduct: "No product of the catalog has this id."
    case .unknownPlan: "The policy has no such plan."
    case .unverifiedTransaction: "The StoreKit transaction cannot be trusted; `reason` says why."
    case .rateLimited: "Too many top-ups; try again after `retryAfter` seconds."
    case .limitExceeded:
      "An account has too many holds or dated buckets, or its quota resets too often until the "
        + "time asked for; or a page has too many lines."
    case .spendLimit:
      "A limit of the account is used up; `limits` says which, and when each resets. A top-up does "
        + "not lift it."
    case .invalidJSON: "The input is not JSON; `line` and `offset` say where."
    case .invalidRequest: "The request has a wrong or missing member."
    case .invalidUsage: "The usage cannot be priced."
    case .unpricedUsage:
      "The model has no price for a count or condition of the usage; `unpriced` names it."
    case .failedResponse: "The provider says that the response failed; nothing is charged."
    case .cutResponse:
      "The response is incomplete; `partial` is the usage that it reports so far."
    case .amountOutOfRange: "An amount does not fit in 64 bits."
    case .incompleteBill: "The bill has a hole; `missing` says which pages and times it lacks."
    case .differs: "The bill and the books differ in a line or more."
    case .warnings: "Nothing of the store has failed, and something is to be looked at."
    case .noStore: "The store that was named does not exist; `credit-store init` makes it."
    case .unavailable:
      "The server or a program that is needed cannot be reached, or the journal is of a version "
        + "that this tool does not know."
    case .corruptStore: "The store is damaged; `credit-store verify` lists how."
    case .cannotCreate: "The store cannot be made."
    case .ioError: "Reading or writing failed."
    case .storeLocked: "Another process held the lock too long; try again."
    case .permissionDenied: "The store's files may not be opened."
    case .invalidPolicy: "The policy is not valid; `path` says where."
    }
  }
}
