internal import CreditModel
internal import CreditStore

extension ServerFault {
  /// Whether the connection is of no use any more.
  var endsConnection: Bool {
    switch self {
    case .unreachable, .lost, .timedOut: true
    case .refused(let state, _): state.endsConnection
    }
  }

  /// Whether the server has given up waiting.
  var isTimeout: Bool {
    if case .refused(let state, _) = self { state.isTimeout } else { false }
  }

  /// Whether the same may succeed if it is tried again.
  var isRepeatable: Bool {
    switch self {
    case .lost: true
    case .unreachable, .timedOut: false
    case .refused(let state, _):
      state.isConflict || state.endsConnection || state == .unknownPreparedStatement
    }
  }
}

extension SQLState {
  /// Whether others were at work on the same.
  var isConflict: Bool {
    [.serializationFailure, .deadlockDetected, .uniqueViolation].contains(self)
  }

  /// True if the server shuts down, or has ended the connection.
  ///
  /// Its codes are class 57P, class 08, and 25P03 if a transaction was left idle. With 40003 the
  /// server cannot tell whether a transaction was committed.
  var endsConnection: Bool {
    code.hasPrefix("57P") || code == "25P03" || code == "40003" || code.hasPrefix("08")
  }

  /// True if a lock was held all the while, or the server was slow.
  var isTimeout: Bool { self == .lockNotAvailable || self == .queryCanceled }
}

extension CreditError {
  init(_ fault: ServerFault, at location: StoreLocation) {
    switch fault {
    case .unreachable(let reason):
      self.init(.unavailable, "the server can't be reached: \(reason)")
    case .lost(let reason):
      self.init(.unavailable, "the connection to the server broke: \(reason)")
    case .timedOut:
      self.init(.unavailable, "the server did not answer in time")
    case .refused(let state, let message):
      self.init(refused: state, message, at: location)
    }
  }

  private init(refused state: SQLState, _ message: String, at location: StoreLocation) {
    switch state {
    case .insufficientPrivilege, .readOnlyTransaction:
      self.init(.permissionDenied, "the server refused: \(message)")
    case .undefinedTable, .undefinedSchema:
      self = .noStore(at: location)
    case .divisionByZero:
      self.init(
        .unavailable,
        "the database refused a row, so nothing was written: credit-doctor names triggers, rules "
          + "and policies that others have put on its tables")
    case .queryCanceled:
      self.init(
        .storeLocked,
        "the server has ended a statement (\(message)); others may be at work on the same "
          + "accounts; try again")
    case _ where state.isTimeout || state.isConflict:
      self.init(.storeLocked, "others are at work on the same accounts; try again")
    case _ where state.endsConnection || state.code.hasPrefix("53"):
      self.init(.unavailable, "the server refused: \(message)")
    default:
      self.init(.ioError, "the server refused: \(message) (\(state.code))")
    }
  }

  static func noStore(at location: StoreLocation) -> CreditError {
    CreditError(
      .noStore,
      "there is no store in the database \(quoted(location.path)); credit-store init makes one",
      [.path(location.path)])
  }
}
