internal import CreditModel

// The terms of a grant, as records of top-ups say them.
extension JSONWriter {
  /// `"terms":{"priority":10,"startsAt":"…","models":["claude-*"],"startsIn":604800000,
  /// "statedPriority":true}`. What the request stated is told from what its product added, as a
  /// repeat is compared by it; a duration that it stated is in milliseconds.
  mutating func terms(_ terms: GrantTerms) {
    let stated = terms.stated
    key("terms")
    beginObject()
    member("priority", terms.priority)
    if let startsAt = terms.startsAt { member("startsAt", startsAt) }
    if let models = terms.models { member("models", models) }
    if case .after(let span) = stated.start { member("startsIn", span.milliseconds) }
    switch stated.expiry {
    case .after(let span): member("expiresIn", span.milliseconds)
    case .at: member("statedExpiry", true)
    case nil: break
    }
    if stated.priority != nil { member("statedPriority", true) }
    if terms.models != nil, stated.models == nil { member("productModels", true) }
    endObject()
  }
}

extension RecordReader {
  /// What ``JSONWriter/terms(_:)`` writes, after the opening brace.
  mutating func terms(of transaction: Transaction, _ cursor: inout RecordCursor) -> GrantTerms {
    cursor.expect("\"priority\":")
    let priority = cursor.integer()
    cursor.require(Grant.priorities.contains(priority))
    var stated = StatedTerms()
    var startsAt: Timestamp?
    if cursor.skip(",\"startsAt\":") { startsAt = time(&cursor) }
    stated.start = startsAt.map { .at($0) }
    let models = cursor.skip(",\"models\":[") ? models(&cursor) : nil
    if cursor.skip(",\"startsIn\":") {
      cursor.require(startsAt != nil)
      stated.start = .after(TimeSpan(milliseconds: cursor.integer()))
    }
    if cursor.skip(",\"expiresIn\":") {
      stated.expiry = .after(TimeSpan(milliseconds: cursor.integer()))
    } else if cursor.skip(",\"statedExpiry\":true") {
      stated.expiry = transaction.expiresAt.map { .at($0) }
      cursor.require(transaction.expiresAt != nil)
    }
    if cursor.skip(",\"statedPriority\":true") { stated.priority = priority }
    let isOfProduct = cursor.skip(",\"productModels\":true")
    cursor.require(models != nil || !isOfProduct)
    if !isOfProduct { stated.models = models }
    cursor.expect("}")
    return GrantTerms(priority: priority, startsAt: startsAt, models: models, stated: stated)
  }
}
