internal import CreditJSON
internal import CreditModel
internal import CreditStore

/// What the tools that write ask of a gate.
enum GateAction {
  case authorize, charge, topUp, refund, account, transfer

  /// The past participle of the action, for messages about requests.
  fileprivate var past: String {
    switch self {
    case .authorize: "authorized"
    case .charge: "charged"
    case .topUp: "credited"
    case .refund: "refunded"
    case .account: "changed"
    case .transfer: "transferred"
    }
  }
}

extension Command {
  /// The tools that write.
  func runGate(_ action: GateAction) throws(UsageError) {
    let store: any Store
    do {
      store = try openStore(isReadOnly: settings.arguments[.dryRun])
    } catch {
      return printError(error)
    }
    try checkHeaders()
    if settings.arguments[.verify] { return try verifyEvent(store) }
    let service = GateService(action, store, self)
    try serve(.writing(service), past: action.past, refusal: refusal(of: action))
    if settings.arguments[.dryRun] { sayThatNothingIsWritten() }
  }

  /// Others can read command lines, and the secret of some senders is their `Authorization`.
  private func checkHeaders() throws(UsageError) {
    for line in settings.arguments[.header] {
      if line.lowercased().hasPrefix("authorization") {
        throw UsageError("--header takes no Authorization; give it in the file of --headers")
      }
      if !EventDelivery.isHeader(line) { throw UsageError("--header takes NAME: VALUE") }
    }
  }

  /// `credit-authorize && work` never runs unauthorized.
  private func refusal(of action: GateAction) -> CreditError? {
    guard case .authorize = action else { return nil }
    return CreditError(.invalidRequest, "there is no request on standard input")
  }
}
