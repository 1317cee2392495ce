internal import CreditModel

// Limits, as results say them.
extension JSONWriter {
  /// Writes the limits of a balance; those that were lifted are none.
  mutating func limits(_ views: [LimitView]) {
    key("limits")
    beginArray()
    for view in views {
      guard let credits = view.credits, let remaining = view.remaining else { continue }
      beginObject()
      member("limit", view.limit.id)
      key("period")
      period(view.limit.period)
      if let models = view.limit.models { member("models", models.map(\.text)) }
      member("credits", credits)
      if let until = view.limit.until { member("until", until) }
      member("used", view.used)
      member("held", view.held)
      member("remaining", remaining)
      if let resetsAt = view.resetsAt { member("resetsAt", resetsAt) }
      endObject()
    }
    endArray()
  }

  /// Writes the limits that refuse a request.
  mutating func refusals(_ refusals: [LimitRefusal]) {
    key("limits")
    beginArray()
    for refusal in refusals {
      beginObject()
      member("account", refusal.account)
      member("limit", refusal.view.limit.id)
      member("used", refusal.view.used)
      member("held", refusal.view.held)
      member("credits", refusal.view.credits ?? 0)
      if let resetsAt = refusal.view.resetsAt { member("resetsAt", resetsAt) }
      endObject()
    }
    endArray()
  }

  /// Writes the shares of limits that a charge has come to, as results and records have them.
  mutating func limitsCrossed(_ crossings: [LimitCrossing]) {
    if crossings.isEmpty { return }
    key("limitsCrossed")
    beginArray()
    for crossing in crossings {
      beginObject()
      member("account", crossing.account)
      member("limit", crossing.limit)
      member("percent", crossing.percent)
      member("used", crossing.used)
      member("credits", crossing.credits)
      if let resetsAt = crossing.resetsAt { member("resetsAt", resetsAt) }
      endObject()
    }
    endArray()
  }

  /// Writes a limit's period: a word, or a number of days.
  mutating func period(_ period: LimitPeriod) {
    if let word = period.word { return plain(word) }
    guard case .days(let count) = period else { return }
    beginObject()
    member("days", count)
    endObject()
  }
}
