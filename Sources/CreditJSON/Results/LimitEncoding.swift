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
      _ = member("period", view.limit.period, LimitPeriodForm.self)
      _ = optional("models", view.limit.models, PolicyNames.self)
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
}
