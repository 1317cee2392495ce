import CreditModel

@testable import TestSupport

// Authorize, void and charge.
extension LedgerOracle {
  mutating func authorize(_ request: AuthorizeRequest, _ newID: Name) throws(Refusal)
    -> String
  {
    if let first = authorizations.first(where: { $0.id == request.id }) {
      guard first.account == request.account, first.hold == request.hold else {
        throw Refusal(code: .idempotencyConflict)
      }
      guard first.state == .open else { throw Refusal(code: .authorizationClosed) }
      return "authorized \(first.text) balance \(try balance(first.account, now)) again"
    }
    return try whole { (books) throws(Refusal) in
      let account = try books.open(request.account, books.now)
      if account.isClosed { throw Refusal(code: .accountClosed) }
      let needed = request.hold ?? 1
      let model = request.model == "one" ? "unit" : request.model
      if let model, !["unit", "half"].contains(model) { throw Refusal(code: .unknownModel) }
      guard account.isExempt || account.available(for: model) >= Int128(needed) else {
        throw Refusal(code: .insufficientCredits)
      }
      var authorization = Authorization(
        id: request.id ?? newID, account: request.account, time: account.clock, hold: request.hold)
      authorization.tags = Self.list(request.tags)
      if let hold = request.hold {
        let span = request.expiresIn ?? books.policy.holdExpiresIn
        let until = Self.expiry(of: span, from: account.clock)
        guard account.held + Int128(hold) <= Int128(Int64.max) else {
          throw Refusal(code: .amountOutOfRange)
        }
        authorization.until = until
        books.enter(request.account, books.now, .held(authorization.id, hold, until: until))
      } else {
        books.enter(request.account, books.now, .noted)
      }
      books.authorizations.append(authorization)
      return "authorized \(authorization.text) balance \(account.balance)"
    }
  }

  /// Rounded up to a multiple of the longest of these steps that is no more than a 60th of the
  /// span.
  private static func expiry(of span: TimeSpan, from clock: Timestamp) -> Timestamp {
    let short: [Int64] = [1, 5, 25, 125, 625, 1875, 3750, 7500, 15_000, 30_000]
    let steps = short + (0..<30).map { 60_000 << $0 }
    let step = steps.last { 60 * $0 <= span.milliseconds } ?? 1
    let wanted = clock.milliseconds + span.milliseconds
    return Timestamp(milliseconds: (wanted + step - 1) / step * step)
  }

  mutating func void(_ request: VoidRequest) throws(Refusal) -> String {
    guard let index = authorizations.firstIndex(where: { $0.id == request.id }) else {
      throw Refusal(code: .unknownAuthorization)
    }
    let first = authorizations[index]
    guard first.account == request.account ?? first.account else {
      throw Refusal(code: .idempotencyConflict)
    }
    switch first.state {
    case .charged, .refunded: throw Refusal(code: .authorizationClosed)
    case .voided: return "voided \(first.text) again"
    case .open: break
    }
    _ = try account(first.account, at: now)
    authorizations[index].state = .voided
    enter(first.account, now, .freed(first.id))
    return "voided \(first.text)"
  }

  mutating func charge(_ request: ChargeRequest, _ newID: Name) throws(Refusal) -> String {
    switch request.reference {
    case .authorization(let id, let account):
      guard let index = authorizations.firstIndex(where: { $0.id == id }) else {
        throw Refusal(code: .unknownAuthorization)
      }
      if let account, account != authorizations[index].account {
        throw Refusal(code: .idempotencyConflict)
      }
      return try charge(request, index)
    case .key(let key, let account):
      let index = authorizations.firstIndex { $0.account == account && $0.key == key }
      if let index { return try charge(request, index) }
      return try whole { (books) throws(Refusal) in
        let state = try books.open(account, books.now)
        if state.isClosed, !request.isArrears { throw Refusal(code: .accountClosed) }
        let price = try books.price(request)
        if price > 0, !state.isExempt, state.available(for: Self.model(of: request, price)) <= 0,
          !request.isArrears
        {
          throw Refusal(code: .insufficientCredits)
        }
        books.authorizations.append(
          Authorization(id: newID, account: account, time: state.clock, key: key))
        return try books.charge(request, books.authorizations.count - 1)
      }
    }
  }

  private mutating func charge(_ request: ChargeRequest, _ index: Int) throws(Refusal) -> String {
    let first = authorizations[index]
    switch first.state {
    case .voided: throw Refusal(code: .authorizationClosed)
    case .charged, .refunded:
      let present = Work(
        model: first.model ?? "", usage: first.usage ?? request.usage,
        reportedUSD: first.reportedUSD)
      let isPresent = Self.isSame(present, request)
      let isFirst = !request.amends && first.first.map { Self.isSame($0, request) } ?? false
      if isPresent || isFirst {
        return first.receipt + (first.state == .refunded ? " refunded" : "") + " again"
      }
      if !request.amends { throw Refusal(code: .idempotencyConflict) }
      if first.state == .refunded { throw Refusal(code: .authorizationClosed) }
      return try amend(request, index)
    case .open: break
    }
    return try whole { (books) throws(Refusal) in
      let account = try books.account(first.account, at: books.now)
      let full = try books.price(request)
      guard let account else { throw Refusal(code: .corruptStore) }
      books.authorizations[index].first = Work(
        model: request.model, usage: request.usage, reportedUSD: request.reportedUSD)
      books.authorizations[index].chargedAt = account.clock
      books.authorizations[index].usedAt = request.usedAt
      books.authorizations[index].isExempt = account.isExempt
      books.authorizations[index].waived = account.isExempt ? full : 0
      let price = account.isExempt ? 0 : full
      let others = account.holds.filter { $0.id != first.id }.reduce(0) { $0 + $1.credits }
      if !books.policy.allowsOverdraft, !request.isArrears, price > 0,
        Int128(price)
          > account.available(for: Self.model(of: request, full)) + account.held - others
      {
        throw Refusal(code: .insufficientCredits)
      }
      books.enter(first.account, books.now, .freed(first.id))
      books.enter(
        first.account, books.now, .charged(first.id, price, of: Self.model(of: request, full)))
      let balance = try books.balance(first.account, books.now)
      var receipt = "charged \(first.text) \(request.model.text) \(price) balance \(balance)"
      receipt += " at \(account.clock.text)"
      if let usedAt = request.usedAt { receipt += " used \(usedAt.text)" }
      let tags = Self.tags(of: request, under: first)
      receipt += Self.text(tags)
      books.authorizations[index].tags = tags
      if account.isExempt { receipt += " waived \(full)" }
      books.authorizations[index].state = .charged
      books.authorizations[index].model = request.model
      books.authorizations[index].usage = request.usage
      books.authorizations[index].reportedUSD = request.reportedUSD
      books.authorizations[index].charged = price
      books.authorizations[index].receipt = receipt
      return receipt
    }
  }

  /// Returns a charge's tags, with further ones of its authorization if there is room.
  private static func tags(of request: ChargeRequest, under first: Authorization)
    -> [(name: String, value: String)]
  {
    var tags = list(request.tags)
    for tag in first.tags where !tags.contains(where: { $0.name == tag.name }) {
      let size = (tags + [tag]).reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count }
      if tags.count < 16, size <= 1024 { tags.append(tag) }
    }
    return tags
  }

  static func list(_ tags: Tags?) -> [(name: String, value: String)] {
    var list: [(name: String, value: String)] = []
    tags?.forEachTag { list.append(($0, $1)) }
    return list
  }

  static func text(_ tags: [(name: String, value: String)]) -> String {
    tags.map { " \($0.name)=\($0.value)" }.joined()
  }

  /// Corrects the charge by the request, at its original prices.
  private mutating func amend(_ request: ChargeRequest, _ index: Int) throws(Refusal) -> String {
    try whole { (books) throws(Refusal) in
      let first = books.authorizations[index]
      let timeOfUse = first.usedAt ?? first.chargedAt
      let full = try books.price(request, at: timeOfUse)
      if case .unreadable = request.usage, Self.needsUsage(request.model) {
        throw Refusal(code: .idempotencyConflict)
      }
      let isExempt = first.isExempt || first.charged == 0 && first.waived > 0
      let isExemptNow = try books.account(first.account, at: books.now)?.isExempt ?? false
      // Paid and waived credits of the same model stay as far as possible.
      let kept = first.model == request.model ? (first.charged, first.waived) : (0, 0)
      let charged = min(kept.0, full)
      let waived = min(kept.1, full - charged)
      let rise = full - charged - waived
      let price = isExempt ? 0 : isExemptNow ? charged : charged + rise
      let model = Self.model(of: request, full)
      if first.model == request.model {
        books.enter(
          first.account, books.now,
          .amended(
            first.id, back: max(0, first.charged - price), anew: max(0, price - first.charged),
            of: model))
      } else {
        books.enter(
          first.account, books.now, .amended(first.id, back: first.charged, anew: price, of: model))
      }
      let tags = Self.tags(of: request, under: first)
      let account = try books.account(first.account, at: books.now)
      var receipt = "charged \(first.text) \(request.model.text) \(price) balance "
      receipt += "\(account?.balance ?? 0) at \(account?.clock.text ?? "")"
      if let usedAt = first.usedAt { receipt += " used \(usedAt.text)" }
      receipt += Self.text(tags)
      if isExempt || full > price { receipt += " waived \(full - price)" }
      receipt += " amended \(first.amendments + 1) from \(first.charged)"
      books.authorizations[index].tags = tags
      books.authorizations[index].amendments += 1
      books.authorizations[index].isExempt = isExempt
      books.authorizations[index].waived = full - price
      books.authorizations[index].model = request.model
      books.authorizations[index].usage = request.usage
      books.authorizations[index].reportedUSD = request.reportedUSD
      books.authorizations[index].charged = price
      books.authorizations[index].receipt = receipt
      return receipt
    }
  }

  /// The model of the catalog that sets the price; the minimum for a usage that can't be read is
  /// that of none.
  private static func model(of request: ChargeRequest, _ price: Credits) -> Name? {
    if case .unreadable = request.usage, needsUsage(request.model) { return nil }
    return request.model == "one" ? "unit" : request.model
  }

  private static func needsUsage(_ model: Name) -> Bool {
    model == "unit" || model == "one" || model == "half"
  }

  private static func isSame(_ work: Work, _ request: ChargeRequest) -> Bool {
    work.model == request.model && isSame(work.usage, request.usage)
      && work.reportedUSD == request.reportedUSD
  }

  private static func isSame(_ first: ReportedUsage?, _ second: ReportedUsage) -> Bool {
    switch (first, second) {
    case (.counts(let first), .counts(let second)): first == second
    case (.unreadable(let first, _), .unreadable(let second, _)): first == second
    default: false
    }
  }

  /// The prices of the fixture's models.
  private func price(_ request: ChargeRequest, at time: Timestamp? = nil) throws(Refusal)
    -> Credits
  {
    let perUnit: Int64
    let minimum =
      switch request.usage {
      case .unreadable, .counts(.units(0)): Credits(0)
      default: policy.priceRules.minimumCharge
      }
    let usedAt = time ?? request.usedAt ?? now
    guard time != nil || usedAt.milliseconds <= now.milliseconds + 300_000 else {
      throw Refusal(code: .invalidRequest)
    }
    switch request.model.text {
    case "unit", "one": perUnit = 2
    case "half": perUnit = 1
    case "flat": return max(3, minimum)
    case "free": return 0
    case "dated": return max(usedAt < LedgerFixture.newPrice ? 2 : 5, minimum)
    case "routed": return try reportedPrice(request)
    default: throw Refusal(code: .unknownModel)
    }
    switch request.usage {
    case .counts(.units(0)): return 0
    case .counts(.units(let units)):
      // Twice the price, halved and rounded up, without leaving 64 bits.
      let exact = perUnit == 2 ? units : units / 2 + units % 2
      return max(exact, policy.priceRules.minimumCharge)
    case .counts(.tokens): throw Refusal(code: .invalidUsage)
    case .unreadable:
      guard policy.priceRules.chargesMinimumForUnreadableUsage else {
        throw Refusal(code: .invalidUsage)
      }
      return policy.priceRules.minimumCharge
    }
  }

  /// The provider's cost, in thousandths of a dollar, rounded up.
  private func reportedPrice(_ request: ChargeRequest) throws(Refusal) -> Credits {
    let exact: Credits
    switch request.reportedUSD?.text {
    case nil: throw Refusal(code: .unpricedUsage)
    case "0": exact = 0
    case "0.0005": exact = 1
    case "0.5": exact = 500
    case "1.2345": exact = 1235
    default: throw Refusal(code: .amountOutOfRange)
    }
    switch request.usage {
    case .unreadable where exact == 0, .counts(.units(0)) where exact == 0: return 0
    default: return max(exact, policy.priceRules.minimumCharge)
    }
  }
}
