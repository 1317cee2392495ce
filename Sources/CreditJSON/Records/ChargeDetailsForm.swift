internal import CreditModel

// What few charges have to say, as records say it.
extension JSONWriter {
  mutating func details(_ details: ChargeDetails) {
    if let costUSD = details.costUSD { member("costUSD", costUSD) }
    if let reported = details.reportedUSD { member("reportedUSD", reported.text) }
    if let usedAt = details.usedAt { member("usedAt", usedAt) }
    if let tags = details.tags { member("tags", tags) }
    if details.isArrears { member("arrears", true) }
    if let amendment = details.amendment { self.amendment(amendment) }
    if let model = details.catalogModel { member("catalogModel", model) }
    if !details.paidBy.isEmpty { shares(details.paidBy) }
    if details.countedAfter != 0 { member("countedAfter", details.countedAfter) }
    limitsCrossed(details.limitsCrossed)
  }

  private mutating func amendment(_ amendment: Amendment) {
    key("amendment")
    beginObject()
    member("number", amendment.number)
    if amendment.isReturn { member("return", true) }
    member("credits", amendment.credits)
    member("previousCredits", amendment.previousCredits)
    if let usd = amendment.previousPrice.usd { member("previousUSD", usd) }
    if let costUSD = amendment.previousPrice.costUSD { member("previousCostUSD", costUSD) }
    if let waived = amendment.previousPrice.waived { member("previousWaived", waived) }
    if !amendment.forfeited.isEmpty { member("forfeited", amendment.forfeited) }
    if let moved = amendment.moved { member("moved", moved) }
    if !amendment.shares.isEmpty {
      key("shares")
      list(of: amendment.shares)
    }
    member("chargedAt", amendment.chargedAt)
    key("first")
    beginObject()
    member("model", amendment.first.model)
    if let usage = amendment.first.usage { member("usage", usage) }
    if let unread = amendment.first.unreadUsage { member("unreadUsage", unread) }
    if let reported = amendment.first.reportedUSD { member("reportedUSD", reported.text) }
    endObject()
    endObject()
  }
}

extension RecordReader {
  /// - Returns: nil where nothing of it is there.
  mutating func details(_ cursor: inout RecordCursor) -> ChargeDetails? {
    let costUSD = cursor.skip(",\"costUSD\":") ? dollars(&cursor) : nil
    let reportedUSD = cursor.skip(",\"reportedUSD\":") ? decimal(&cursor) : nil
    let usedAt = cursor.skip(",\"usedAt\":") ? time(&cursor) : nil
    let tags = cursor.skip(",\"tags\":{") ? tags(&cursor) : nil
    let isArrears = cursor.skip(",\"arrears\":true")
    let amendment = cursor.skip(",\"amendment\":{") ? amendment(&cursor) : nil
    let catalogModel = cursor.skip(",\"catalogModel\":") ? textName(&cursor) : nil
    let paidBy = cursor.skip(",\"paidBy\":[") ? paidShares(&cursor) : []
    let countedAfter = cursor.skip(",\"countedAfter\":") ? notZero(&cursor) : 0
    let crossed = cursor.skip(",\"limitsCrossed\":[") ? limitsCrossed(&cursor) : []
    return ChargeDetails.of(
      usedAt: usedAt, reportedUSD: reportedUSD, costUSD: costUSD, tags: tags,
      isArrears: isArrears, amendment: amendment, catalogModel: catalogModel,
      paidBy: paidBy, countedAfter: countedAfter, limitsCrossed: crossed)
  }

  private mutating func amendment(_ cursor: inout RecordCursor) -> Amendment {
    cursor.expect("\"number\":")
    let number = cursor.integer()
    let isReturn = cursor.skip(",\"return\":true")
    cursor.expect(",\"credits\":")
    let credits = cursor.integer()
    cursor.expect(",\"previousCredits\":")
    let previousCredits = cursor.integer()
    var price = PriceParts()
    if cursor.skip(",\"previousUSD\":") { price.usd = dollars(&cursor) }
    if cursor.skip(",\"previousCostUSD\":") { price.costUSD = dollars(&cursor) }
    if cursor.skip(",\"previousWaived\":") { price.waived = cursor.integer() }
    var forfeited = BucketShares()
    if cursor.skip(",\"forfeited\":") {
      forfeited = shares(&cursor)
      cursor.require(!forfeited.isEmpty)
    }
    let moved = cursor.skip(",\"moved\":") ? shares(&cursor) : nil
    let heldShares = cursor.skip(",\"shares\":[") ? held(&cursor) : []
    cursor.expect(",\"chargedAt\":")
    let chargedAt = time(&cursor)
    cursor.expect(",\"first\":{\"model\":")
    var first = ChargedWork(model: textName(&cursor), usage: nil)
    if cursor.skip(",\"usage\":{") { first.usage = usage(&cursor) }
    if cursor.skip(",\"unreadUsage\":") { first.unreadUsage = string(&cursor) }
    if cursor.skip(",\"reportedUSD\":") { first.reportedUSD = decimal(&cursor) }
    cursor.expect("}}")
    return Amendment(
      number: number, isReturn: isReturn, chargedAt: chargedAt, first: first,
      previousCredits: previousCredits, previousPrice: price, credits: credits,
      forfeited: forfeited, moved: moved, shares: heldShares)
  }

  /// A decimal in the one text that it is written in.
  private func decimal(_ cursor: inout RecordCursor) -> ExactDecimal? {
    let text = string(&cursor)
    let decimal = ExactDecimal(text: text)
    cursor.require(decimal?.text == text)
    return decimal
  }

  /// An exact amount of dollars, of any number of digits.
  func dollars(_ cursor: inout RecordCursor) -> String {
    let text = cursor.text()
    cursor.require(DecimalDigits.isWritten(text))
    return String(decoding: text, as: UTF8.self)
  }
}
