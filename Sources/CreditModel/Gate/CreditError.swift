/// Reason why a request or the store failed. An error is a result: it has a stable code, a sentence
/// that helps a person to act, and details.
public struct CreditError: Error, Sendable {
  /// The stable codes. Each has an HTTP status (for a proxy in front) and an exit status.
  public enum Code: String, CaseIterable, Sendable {
    case insufficientCredits = "insufficient_credits"
    case accountClosed = "account_closed"
    case idempotencyConflict = "idempotency_conflict"
    case duplicateTransaction = "duplicate_transaction"
    case authorizationClosed = "authorization_closed"
    case authorizationNotCharged = "authorization_not_charged"
    case transactionNotCompleted = "transaction_not_completed"
    case unknownAccount = "unknown_account"
    case unknownAuthorization = "unknown_authorization"
    case unknownTransaction = "unknown_transaction"
    case unknownModel = "unknown_model"
    case unknownProduct = "unknown_product"
    case unknownPlan = "unknown_plan"
    case unverifiedTransaction = "unverified_transaction"
    case rateLimited = "rate_limited"
    case limitExceeded = "limit_exceeded"
    /// A provider's bill and the books differ: no request failed, so it has no HTTP status.
    case differs
    /// A store needs attention: no request failed, either.
    case warnings
    case spendLimit = "spend_limit"
    case invalidJSON = "invalid_json"
    case invalidRequest = "invalid_request"
    case invalidUsage = "invalid_usage"
    case unpricedUsage = "unpriced_usage"
    case failedResponse = "failed_response"
    case cutResponse = "cut_response"
    case amountOutOfRange = "amount_out_of_range"
    case incompleteBill = "incomplete_bill"
    case noStore = "no_store"
    case unavailable
    case corruptStore = "corrupt_store"
    case cannotCreate = "cannot_create"
    case ioError = "io_error"
    case storeLocked = "store_locked"
    case permissionDenied = "permission_denied"
    case invalidPolicy = "invalid_policy"
  }

  /// A detail of the error, a member of the error object.
  public enum Detail: Sendable {
    case account(Name)
    case balance(Credits)
    case available(Credits)
    /// The account that pays the rest for those below it.
    case payer(Name)
    /// The price of a refused charge.
    case price(Credits)
    /// The limits that refuse, the one that lasts longest first.
    case limits([LimitRefusal])
    case authorization(CreditAuthorization)
    case receipt(Charge)
    case transaction(Transaction)
    case transfer(Transfer)
    case model(String)
    case product(String)
    /// Time when the first price of a model comes into force.
    case from(Timestamp)
    /// The counts and conditions that a model has no price for.
    case unpriced([String])
    /// The pages and times that a bill lacks.
    case missing([String])
    /// The key of the request that failed.
    case key(Name)
    /// The id of the authorization of the failed request.
    case authorizationID(Name)
    /// The id of the transaction of the failed request.
    case transactionID(Name)
    /// Whole seconds until a retry can succeed.
    case retryAfter(Int64)
    case reason(String)
    /// `none`: nothing was done. `unknown`: repeat with the same id.
    case outcome(String)
    case path(String)
    /// The usage that an incomplete response has reported so far.
    case partial(Usage)
    /// 1-based line of the input, or of the journal.
    case line(Int)
    /// 0-based byte offset in the input, or in the journal.
    case offset(Int)
    /// The key, or the account, by which no record was found: it may be a typo. Results omit it.
    case unknown(RecordKey)
    /// Number of acknowledged records that are missing.
    case lost(Int)
    /// The process that holds the store's lock.
    case holder(Holder)
    /// An addition to the sentence for a user at the terminal. Results, which others may see, omit
    /// it.
    case hint(String)
  }

  /// A process that holds a lock.
  public struct Holder: Sendable {
    public let process: Int64
    public let command: String
    /// Time when it was started.
    public let since: Timestamp

    public init(process: Int64, command: String, since: Timestamp) {
      self.process = process
      self.command = command
      self.since = since
    }
  }

  public let code: Code
  /// One sentence, lower case, without a full stop, without line breaks.
  public let message: String
  public var details: [Detail]

  public init(_ code: Code, _ message: String, _ details: [Detail] = []) {
    self.code = code
    self.message = message
    self.details = details
  }

  /// Returns the error with the name of the file that has the fault.
  public func inFile(_ path: String) -> CreditError {
    CreditError(code, "\(quoted(path)): \(message)", details)
  }

  /// True if the store itself failed, which ends a run, and not one request.
  ///
  /// It has such a code, or the outcome of the current requests.
  public var endsRun: Bool { code.endsRun || hasOutcome }

  public var hasOutcome: Bool { details.contains { if case .outcome = $0 { true } else { false } } }

  public func with(_ detail: Detail) -> CreditError {
    var error = self
    error.details.append(detail)
    return error
  }

  public static func invalidRequest(_ message: String) -> CreditError {
    CreditError(.invalidRequest, message)
  }

  static func amountOutOfRange(_ message: String) -> CreditError {
    CreditError(.amountOutOfRange, message)
  }
}

extension CreditError.Code {
  /// The HTTP status that a proxy in front of the store would answer with; 0 if it has none.
  public var status: Int { statuses.http }

  /// The exit status of a tool whose first failed request has this code.
  public var exitStatus: Int32 { statuses.exit }

  private var statuses: (http: Int, exit: Int32) {
    switch self {
    case .insufficientCredits, .accountClosed: (403, 10)
    case .idempotencyConflict, .duplicateTransaction, .authorizationClosed,
      .authorizationNotCharged, .transactionNotCompleted:
      (409, 11)
    case .unknownAccount, .unknownAuthorization, .unknownTransaction, .unknownModel,
      .unknownProduct, .unknownPlan:
      (404, 12)
    case .unverifiedTransaction: (400, 13)
    case .spendLimit: (403, 14)
    case .rateLimited, .limitExceeded: (429, 14)
    case .differs: (0, 15)
    case .warnings: (0, 16)
    case .invalidJSON, .invalidRequest, .invalidUsage, .unpricedUsage, .failedResponse,
      .cutResponse, .amountOutOfRange, .incompleteBill:
      (400, 65)
    case .noStore: (404, 66)
    case .unavailable: (503, 69)
    case .corruptStore: (500, 70)
    case .cannotCreate: (500, 73)
    case .ioError: (500, 74)
    case .storeLocked: (503, 75)
    case .permissionDenied: (500, 77)
    case .invalidPolicy: (500, 78)
    }
  }

  /// True if the store itself failed, which ends a run, and not one request. Such codes have the
  /// highest exit statuses.
  public var endsRun: Bool { exitStatus >= 66 && self != .unavailable }
}
