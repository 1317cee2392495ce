internal import CreditJSON
internal import CreditModel

extension Flag {
  fileprivate static let payer = account.worded(
    "The account that pays: default if a request names none")

  fileprivate static let chargeKey = key.worded("Charge directly, once under this key")

  static let arrears = Switch(
    "arrears", group: .action, "Charge finished work even if the account has no credits left")

  static let amend = Switch(
    "amend", group: .action, "Correct an earlier charge to what it should have been")
}

extension RequestReader {
  /// - Parameters:
  ///   - isArrears: whether the work is done and only has to be billed.
  ///   - amends: whether other work under the same reference corrects the charge.
  func charge(isArrears: Bool = false, amends: Bool = false) throws(CreditError) -> GateRequest? {
    let authorization = try authorization(.authorization)
    let account = try account(.payer)
    // A key beside an authorization is ignored.
    var key = authorization == nil ? try name("key", .chargeKey) : nil
    let billed = try billedUsage()
    let usedAt = try time("usedAt", .usedAt)
    let tags = try tags(customID: billed?.batch?.customID)
    let time = try time()
    guard let billed else { return nil }
    if authorization == nil, key == nil { key = try billed.batch?.key() }
    return .charge(
      ChargeRequest(
        reference: try reference(authorization, account, key), model: billed.model,
        usage: billed.usage, reportedUSD: billed.reportedUSD,
        costIsNegative: billed.costIsNegative, remarks: billed.remarks, usedAt: usedAt,
        tags: tags, isArrears: isArrears, amends: amends, time: time))
  }

  private func reference(
    _ authorization: AuthorizationReference?, _ account: Name?, _ key: Name?
  ) throws(CreditError) -> ChargeRequest.Reference {
    if let authorization {
      return .authorization(authorization.id, account: try authorization.owner(or: account))
    }
    guard let key else {
      throw .invalidRequest(
        own("credits") != nil
          ? "it is a price without its request: credit-price --pass adds it to the request"
          : "a charge needs a key, so that a retry can't charge twice: give --key KEY or "
            + "--authorization ID, or the request's member key")
    }
    return .key(key, account: account ?? .defaultAccount)
  }
}

extension AuthorizationReference {
  /// The account that a request names, or else the authorization.
  /// - Throws: `idempotency_conflict` if they name different ones.
  func owner(or named: Name?) throws(CreditError) -> Name? {
    if let named, let account, named != account { throw CreditError(ofAnotherAccount: id) }
    return named ?? account
  }
}

extension Tool {
  public static let charge = Tool(
    .charge,
    summary: "Charge an account for what a model used",
    request: { reader throws(CreditError) in _ = try reader.charge() },
    flags: [.response, .responseHeaders, .partial, .arrears, .amend, .dryRun] + Flag.common,
    exclusions: [Exclusion(.response, Flag.usage), Flag.unitsOrTokens],
    requirements: [Requirement(.responseHeaders, [.response])],
    wholeRequests: [
      CommandForm([.authorization], Flag.usagePart),
      CommandForm([.account], [.key], Flag.usagePart),
    ],
    run: { command throws(UsageError) in try command.runGate() })
}
