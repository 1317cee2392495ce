/// What a limit must have room for.
enum LimitDemand {
  /// That something may begin: used and held are below the number.
  case start
  /// So many credits more.
  case fitting(Credits)
}

extension Account {
  /// The limits that have no room for what is asked.
  /// - Parameter model: the catalog id of the model that it is for; nil if unknown: then the limits
  ///   of some models alone are not looked at.
  func limitsRefusing(_ demand: LimitDemand, for model: Name?, under policy: Policy)
    -> [LimitRefusal]
  {
    if limitCounters.isEmpty || isExempt { return [] }
    var refusals: [LimitRefusal] = []
    let counters = limitCounters
    let limits = limits(under: policy)
    let held = heldAgainstLimits
    for place in counters.indices where counters[place].covers(model) {
      guard let credits = limits.credits(at: place, of: counters) else { continue }
      let spoken = Int128(counters[place].used) + Int128(counters[place].held(of: held))
      let refuses =
        switch demand {
        case .start: spoken >= Int128(credits)
        case .fitting(let more): spoken + Int128(more) > Int128(credits)
        }
      if refuses {
        refusals.append(LimitRefusal(account: name, view: view(at: place, among: limits)))
      }
    }
    return refusals
  }
}

extension CreditError {
  /// A request that limits refuse.
  /// - Parameters:
  ///   - account: the request's.
  ///   - refusals: in the order of the chain; at least one.
  ///   - need: what a hold or a charge would take.
  init(
    spendLimitsOf account: Name, _ refusals: [LimitRefusal], hold: Credits? = nil,
    price: Credits? = nil
  ) {
    let sorted = refusals.enumerated().sorted { left, right in
      let (ends, others) = (left.element.view.resetsAt, right.element.view.resetsAt)
      if ends == others { return left.offset < right.offset }
      guard let ends else { return true }
      return others.map { ends > $0 } ?? false
    }.map(\.element)
    var details: [Detail] = [.account(account), .limits(sorted)]
    if let price { details.append(.price(price)) }
    self.init(
      .spendLimit, sorted.first?.sentence(hold: hold, price: price) ?? "a limit refuses it",
      details)
  }
}

extension LimitRefusal {
  fileprivate func sentence(hold: Credits?, price: Credits?) -> String {
    var text = "account \(quoted(account.text)) has spent \(view.used)"
    if view.held > 0 { text += " and holds \(view.held)" }
    text += " of \(view.credits ?? 0) credits of its limit \(quoted(view.limit.id.text))"
    if let hold { text += ", too many for a hold of \(hold)" }
    if let price, (view.remaining ?? 0) > 0 { text += ", and the price is \(price)" }
    if let resetsAt = view.resetsAt { return text + "; it resets at \(resetsAt.text)" }
    return text + "; it does not reset"
  }
}
