internal import CreditModel

extension Flag {
  fileprivate static let purchase = transaction.worded("The purchase whose credits to take back")

  fileprivate static let refundedCharge = authorization.worded(
    "The charge whose credits to give back", as: .authorization(.charge))

  fileprivate static let refundAccount = account.worded(
    "The account of the key: default if not given")

  fileprivate static let refundedKey = key.worded(
    "The key of the direct charge whose credits to give back")

  fileprivate static let refundedCredits = credits.worded(
    "How many of its credits are refunded in all")

  fileprivate static let refundedPrice = price.worded(
    "What was paid back, in the currency of the purchase: 4.99")

  static let unused = Switch(
    "unused", group: .request, "Take back what is left of a grant, and no more")
}

extension RequestReader {
  func refund() throws(CreditError) -> GateRequest? {
    let transaction = try name("transaction", .purchase)
    let authorization = try authorization(.refundedCharge)
    let account = try account(.refundAccount)
    // As with charges, a key beside an authorization is passed over.
    let key = authorization == nil ? try name("key", .refundedKey) : nil
    let credits = try integer("credits", .refundedCredits, in: 1...Int64.max)
    let price = try price(.refundedPrice).flatMap(ExactDecimal.init(text:))
    let isUnused = try truth("unused", .unused) ?? false
    let reason = try reason()
    let time = try time()
    if isListing { return nil }
    let reference: RefundRequest.Reference =
      switch (transaction, authorization, key) {
      case (let id?, nil, nil): .transaction(id)
      case (nil, let charge?, _): .authorization(charge.id)
      case (nil, nil, let key?): .key(key, account: account ?? .defaultAccount)
      case (nil, nil, nil):
        throw .invalidRequest(
          "a refund needs the transaction, or the authorization or key of the charge, to give back")
      case (_?, _, _):
        throw .invalidRequest(
          "a refund takes a transaction, an authorization or a key, not two of them")
      }
    let owner = try authorization?.owner(or: account) ?? account
    if price != nil, transaction == nil {
      throw .invalidRequest("price goes with transaction: a charge was paid in credits")
    }
    if isUnused, transaction == nil || credits != nil {
      throw .invalidRequest("unused goes with transaction, and not with credits")
    }
    var request = RefundRequest(
      reference: reference, account: owner, credits: credits, price: price, reason: reason,
      time: time)
    request.isUnused = isUnused
    return .refund(request)
  }
}

extension Tool {
  public static let refund = Tool(
    .refund,
    summary: "Take a purchase back, or give a charge back",
    request: { reader throws(CreditError) in _ = try reader.refund() },
    flags: [.dryRun] + Flag.common,
    exclusions: [
      Exclusion(.transaction, [.authorization, .key]),
      Exclusion(.unused, [.authorization, .key, .credits]),
      Exclusion(.price, [.authorization, .key]),
    ],
    wholeRequests: [
      CommandForm([.transaction, .authorization]), CommandForm([.account], [.key]),
    ],
    run: { command throws(UsageError) in try command.runGate() })
}

/// The command that gives credits back for an event, or takes them back.
func adjustment(of account: Name, _ id: Name, _ credits: Int128) -> String {
  "credit-topup --account \(shellWord(account.text)) --key \(shellWord("back:" + id.text)) "
    + "--type adjustment --credits \(credits)" + (credits < 0 ? " --reason undo" : "")
}

/// The command that closes an account.
private func closing(_ account: Name) -> String {
  "credit-account --account \(shellWord(account.text)) --closed true"
}

extension Refund {
  func remark(onTotal all: Credits?) -> String? {
    guard number > 1, let all else { return nil }
    let now = credits + forfeited
    return "credits \(all) is the total of all refunds: \(all - now) before, \(now) now"
  }

  /// Asks whether all credits were meant to be taken back for a part of the price.
  func remark(onPriceOf sale: Transaction, _ asked: RefundRequest) -> String? {
    guard asked.credits == nil, !asked.isUnused, number == 1,
      let paid = asked.price?.coefficient(atScale: 4),
      let due = sale.price.flatMap({ ExactDecimal(text: $0) })?.coefficient(atScale: 4),
      paid < due, due <= Int64.max, case let part = Int128(sale.credits) * paid / due
    else { return nil }
    let others = adjustment(of: sale.account, sale.id, Int128(sale.credits) - part)
    return "all \(sale.credits) credits are taken back for a part of the price: is that meant? "
      + "--credits \(part) would have taken that part alone; \(others) gives back the others"
  }

  func remarkOnForfeited(of charged: CreditAuthorization, _ key: Name?) -> String? {
    if forfeited <= 0 { return nil }
    let own = refundedTo.reduce(forfeited) { $0 - $1.forfeited }
    let parts = [(charged.account, own)] + refundedTo.map { ($0.account, $0.forfeited) }
    let gifts = parts.filter { $0.1 > 0 }.map {
      adjustment(of: $0.0, key ?? charged.id, Int128($0.1))
    }
    return sentence(onExpired: forfeited, givenBy: gifts)
  }
}

/// Says that credits of a charge did not go back, and the commands that give them, if known.
private func sentence(onExpired credits: Credits, givenBy gifts: [String]) -> String {
  "\(credits) of the charge's credits had expired and did not go back"
    + (gifts.isEmpty ? "" : ": \(gifts.joined(separator: "; ")) gives them")
}

extension GateResult {
  /// Says that a correction did not give all credits back; nil if it did, and for other results.
  var remarkOnForfeited: String? {
    guard case .receipt(let charge, isReplay: false) = bare, let correction = charge.amendment,
      case let lost = correction.forfeitedInAll(by: charge), lost > 0
    else { return nil }
    let authorization = charge.receipt.authorization
    let id = (charge.key ?? authorization.id).text
    let name = Name(trusted: correction.number > 1 ? "\(id):\(correction.number)" : id)
    let gift = adjustment(of: authorization.account, name, Int128(lost))
    return sentence(onExpired: lost, givenBy: charge.receipt.paidBy.isEmpty ? [gift] : [])
  }

  /// The command that undoes a result, if there is one and the result is new.
  var undoing: String? {
    switch bare {
    case .topUp:
      guard let sale = newTopUp else { return nil }
      return sale.credits < 0
        ? adjustment(of: sale.account, sale.key ?? sale.id, -Int128(sale.credits))
        : "credit-refund --transaction \(shellWord(sale.id.text))"
    case .receipt:
      guard let charge = newCharge else { return nil }
      let made = charge.receipt.authorization
      return "credit-refund "
        + (charge.key.map {
          "--account \(shellWord(made.account.text)) --key \(shellWord($0.text))"
        } ?? "--authorization \(shellWord(made.id.text))")
    case .authorization(let made, balance: _, isReplay: false):
      return "credit-authorize --void \(shellWord(made.id.text))"
    case .transactionRefund(let sale, let refund, isReplay: false) where refund.credits != 0:
      let part = refund.number > 1 ? ":\(refund.number)" : ""
      guard let price = refund.price, let currency = sale.currency, refund.credits > 0 else {
        let id = Name(trusted: sale.id.text + part)
        return adjustment(of: sale.account, id, Int128(refund.credits))
      }
      // Its money comes back, too.
      let amount = price.text(atLeast: Currency.minorDigits(of: currency))
      return "credit-topup --account \(shellWord(sale.account.text)) --transaction "
        + "\(shellWord(sale.id.text + ":again" + part)) --credits \(refund.credits) "
        + "--price \(amount) --currency \(currency)"
    // Without a part that went back to accounts above.
    case .chargeRefund(let charged, let key, let refund, isReplay: false)
    where refund.refundedTo.isEmpty:
      return adjustment(of: charged.account, key ?? charged.id, -Int128(refund.credits))
    case .transfer(let made, isReplay: false):
      return "credit-transfer --from \(shellWord(made.to.text)) --to \(shellWord(made.from.text)) "
        + "--credits \(made.credits) --key \(shellWord("back:" + made.key.text))"
    case .account(let view)
    where view.account.registeredAt == view.updatedAt && !view.account.isClosed:
      return closing(view.account.name)
    case .plan(let result, _): return result.undoing
    default: return nil
    }
  }
}

extension Command {
  /// Names the command that undoes a result, after a remark that asks whether it is meant.
  /// - Parameter made: the accounts that are new: others are not closed.
  func offerUndo(of result: GateResult, about origin: RequestOrigin? = nil, made: [Name]) {
    errors.isAsking = false
    if case .account(let view) = result.bare, !made.contains(view.account.name) { return }
    guard !settings.arguments[.dryRun], var undoing = result.undoing else { return }
    // Its starter credits are left.
    if let wrong = errors.wrongAccount, case let closing = closing(wrong), closing != undoing {
      undoing += "; " + closing
    }
    errors.remark((origin?.label ?? "") + "to undo this: \(undoing)")
  }
}
