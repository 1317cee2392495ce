internal import CreditModel

// The shares of a chain's accounts in holds, charges and refunds. Zeros and empty lists are left
// out.
extension MemberVisitor where Self: ~Copyable {
  /// Visits the payments of accounts above, with their buckets.
  mutating func paidShares(_ name: StaticString, _ known: [PaidShare]?) -> [PaidShare] {
    list(name, known) { visitor, known in
      let account = visitor.otherAccount(known?.account)
      let credits = visitor.member("credits", known?.credits, Whole.self)
      let waived = visitor.member("waived", known?.waived, Whole.self, unless: 0)
      let taken = visitor.shares("taken", known?.taken)
      let forfeited = visitor.shares("forfeited", known?.forfeited)
      let balance = visitor.member("newBalance", known?.newBalance, Whole.self)
      let crossed = visitor.optional("crossed", known?.crossed, List<Whole>.self)
      let way = visitor.member("way", known?.way, Whole.self, unless: 0)
      let countedAfter = visitor.member("countedAfter", known?.countedAfter, Whole.self, unless: 0)
      guard let credits, let balance else { return nil }
      return PaidShare(
        account: account, credits: credits, waived: waived, taken: taken, forfeited: forfeited,
        newBalance: balance, crossed: crossed, way: way, countedAfter: countedAfter)
    }
  }

  /// Visits the refunds to accounts above.
  mutating func paidBackShares(_ name: StaticString, _ known: [PaidBackShare]?) -> [PaidBackShare] {
    list(name, known) { visitor, known in
      let account = visitor.otherAccount(known?.account)
      let credits = visitor.member("credits", known?.credits, Whole.self)
      let forfeited = visitor.member("forfeited", known?.forfeited, Whole.self, unless: 0)
      let balance = visitor.member("newBalance", known?.newBalance, Whole.self)
      let crossed = visitor.optional("crossed", known?.crossed, List<Whole>.self)
      guard let credits, let balance else { return nil }
      return PaidBackShare(
        account: account, credits: credits, forfeited: forfeited, newBalance: balance,
        crossed: crossed)
    }
  }

  /// `"member":"ana","authorization":"a1","of":"charge","credits":-220,"taken":[{"purchased":220}]`
  mutating func share(_ known: Share?, at time: Timestamp) -> Share? {
    let name = optional("member", known?.member == .nobody ? nil : known?.member, AccountName.self)
    let authorization = member("authorization", known?.authorization, ID.self)
    let step = step(known?.step)
    let held = object("held", known?.held, isOptional: true) { $0.holdPart($1) }
    let released = object("released", known?.released, isOptional: true) { $0.holdPart($1) }
    let credits = member("credits", known?.credits, Whole.self, unless: 0)
    let buckets = shares("taken", known?.buckets)
    let counted = member("counted", known?.counted, Whole.self, unless: 0)
    let work = countedWork(known?.countedWork)
    let model = optional("model", known?.model, PolicyName.self)
    let countedAt = member("countedAt", known?.countedAt.time, Time.self, unless: time)
    let countedAfter = member("countedAfter", known?.countedAt.after, Whole.self, unless: 0)
    let requestedModel = optional("requestedModel", known?.work.model, PolicyName.self)
    let usedAt = optional("usedAt", known?.work.usedAt, Time.self)
    guard let authorization, let step else { return nil }
    require(requestedModel == nil || requestedModel != model)
    return Share(
      member: name ?? .nobody, authorization: authorization, step: step, held: held,
      released: released, credits: credits, buckets: buckets, counted: counted,
      countedWork: work, model: model,
      countedAt: CountedInstant(countedAt, after: countedAfter),
      work: Share.Work(model: requestedModel, usedAt: usedAt))
  }

  /// Visits the kind of the share, `"of":"refund"`, and its number if there may be several.
  private mutating func step(_ step: Share.Step?) -> Share.Step? {
    let word = member("of", step.map(StepWord.init), Word<StepWord>.self)
    var (known, isReturn) = (Int64?.none, Bool?.none)
    switch step {
    case .amend(let number, let returns): (known, isReturn) = (number, returns)
    case .refund(let number): known = number == 1 ? nil : number
    case .hold, .void, .charge, nil: break
    }
    let number = optional("number", known, Whole.self)
    let isReturned = flag("return", isReturn)
    guard let word else { return nil }
    switch word {
    case .hold, .void, .charge: require(number == nil && !isReturned)
    case .amend: require(number != nil)
    case .refund: require(number != 1 && !isReturned)
    }
    return switch word {
    case .hold: .hold
    case .void: .void
    case .charge: .charge
    case .amend: .amend(number: number ?? 0, isReturn: isReturned)
    case .refund: .refund(number: number ?? 1)
    }
  }

  private mutating func holdPart(_ known: Share.Hold?) -> Share.Hold? {
    let credits = member("credits", known?.credits, Whole.self)
    let passed = member("passed", known?.passed, Whole.self)
    let expiresAt = member("expiresAt", known?.expiresAt, Time.self)
    guard let credits, let passed, let expiresAt else { return nil }
    return Share.Hold(credits: credits, passed: passed, expiresAt: expiresAt)
  }

  /// Visits the shares of limits that a charge has reached. Results have these members, too.
  @discardableResult
  mutating func limitsCrossed(_ known: [LimitCrossing]?) -> [LimitCrossing] {
    list("limitsCrossed", known) { visitor, known in
      let account = visitor.member("account", known?.account, AccountName.self)
      let limit = visitor.member("limit", known?.limit, PolicyName.self)
      let percent = visitor.member("percent", known?.percent, Whole.self)
      let unit = visitor.limitUnit(known?.unit)
      let used = visitor.member(
        "used", known.map { LimitAmount($0.used, $0.unit) }, LimitAmountForm.self)
      let amount = visitor.limitAmount(known.map { LimitAmount($0.amount, $0.unit) })
      let resetsAt = visitor.optional("resetsAt", known?.resetsAt, Time.self)
      guard let account, let limit, let percent, let used, let amount else { return nil }
      visitor.require(used.isDollars == (unit == .usd) && amount.isDollars == used.isDollars)
      return LimitCrossing(
        account: account, limit: limit, percent: percent, unit: unit, used: used.amount,
        amount: amount.amount, resetsAt: resetsAt)
    }
  }
}

private enum StepWord: String, CaseIterable {
  case hold, void, charge, amend, refund

  init(_ step: Share.Step) {
    self =
      switch step {
      case .hold: .hold
      case .void: .void
      case .charge: .charge
      case .amend: .amend
      case .refund: .refund
      }
  }
}

// The same as results have it.
extension ResultVisitor where Self: ~Copyable {
  /// Visits who paid a charge, from its account upwards, if others paid, too.
  mutating func paidBy(_ known: [PaidShare], own credits: Credits, of account: Name) {
    array("paidBy", if: known.contains { $0.credits > 0 }) { visitor in
      visitor.payer(account, credits, nil, nil)
      for share in known.byAccount {
        visitor.payer(share.account, share.credits, share.newBalance, share.crossed)
      }
    }
  }

  /// Visits to whom a refund of a shared charge went.
  mutating func refundedTo(_ known: Refund, of account: Name) {
    array("refundedTo", if: known.refundedTo.contains { $0.credits > 0 }) { visitor in
      visitor.payer(account, known.ownCredits, nil, nil)
      for share in known.refundedTo {
        visitor.payer(share.account, share.credits, share.newBalance, share.crossed)
      }
    }
  }

  /// Visits to whom a correction of a shared charge gave credits back.
  mutating func refundedTo(_ known: Amendment?, of account: Name) {
    let above = known?.shares ?? []
    array("refundedTo", if: above.contains { $0.credits > 0 }) { visitor in
      visitor.payer(account, known?.credits ?? 0, nil, nil)
      for share in above { visitor.payer(share.account, share.credits, nil, nil) }
    }
  }

  /// Visits an account that has a part in a charge, unless its part is 0.
  private mutating func payer(
    _ account: Name, _ credits: Credits, _ newBalance: Credits?, _ crossed: [Credits]?
  ) {
    if credits <= 0, !Self.describes { return }
    element { visitor in
      // An account that was removed from the books has no name and no balance.
      visitor.otherAccount(account)
      visitor.member("credits", credits, Whole.self)
      visitor.optional("newBalance", account == .nobody ? nil : newBalance, Whole.self)
      visitor.optional("crossed", crossed, List<Whole>.self)
    }
  }

  mutating func limitRefusals(_ known: [LimitRefusal]?) {
    parts("limits", known) { visitor, known in
      visitor.member("account", known?.account, AccountName.self)
      visitor.member("limit", known?.view.limit.id, PolicyName.self)
      visitor.limitUnit(known?.view.limit.unit)
      visitor.member("used", known.map { $0.view.amount(\.used) }, LimitAmountForm.self)
      visitor.member("held", known?.view.held, Whole.self)
      visitor.limitAmount(known.map { $0.view.amount { $0.amount ?? 0 } })
      visitor.optional("resetsAt", known?.view.resetsAt, Time.self)
    }
  }
}
