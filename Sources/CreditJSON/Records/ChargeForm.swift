internal import CreditModel

// Authorizations and the charges under them, as records say them.
extension JSONWriter {
  /// - Parameter time: of the record; an authorization of another time says its own.
  mutating func authorization(_ authorization: CreditAuthorization, at time: Timestamp) {
    key("authorization")
    beginObject()
    member("id", authorization.id)
    if authorization.timestamp != time { member("timestamp", authorization.timestamp) }
    if let hold = authorization.hold {
      member("hold", hold.credits)
      member("expiresAt", hold.expiresAt)
    }
    if let tags = authorization.tags { member("tags", tags) }
    endObject()
  }

  /// A charge, whose balance and time are those of the record, and which buckets paid where the
  /// account's present ones do not tell.
  mutating func charge(_ charge: Charge, in account: Account) {
    bill(charge, at: account.updatedAt)
    if !account.wasTakenFromFirst(charge.taken, charge.receipt.creditsCharged) {
      member("taken", charge.taken)
    }
  }

  /// A charge that has become another one.
  mutating func amendedCharge(_ charge: Charge, at time: Timestamp) {
    bill(charge, at: time)
    member("taken", charge.taken)
  }

  /// A charge that another record has made.
  mutating func pastCharge(_ charge: Charge, at time: Timestamp) {
    bill(charge, at: time)
    member("newBalance", charge.receipt.newBalance)
    member("timestamp", charge.receipt.timestamp)
    member("taken", charge.taken)
  }

  private mutating func bill(_ charge: Charge, at time: Timestamp) {
    let receipt = charge.receipt
    authorization(receipt.authorization, at: time)
    if let key = charge.key { member("key", key) }
    member("model", receipt.model)
    if let usage = receipt.usage { member("usage", usage) }
    if let unread = charge.unreadUsage { member("unreadUsage", unread) }
    if let usd = receipt.usd { member("usd", usd) }
    if let details = receipt.details { self.details(details) }
    member("creditsCharged", receipt.creditsCharged)
    if let waived = receipt.creditsWaived { member("creditsWaived", waived) }
    if receipt.isFallback { member("usageFallback", true) }
    if let remarks = receipt.remarks { members(of: remarks) }
  }
}

extension RecordReader {
  mutating func authorization(of account: Account, _ cursor: inout RecordCursor)
    -> CreditAuthorization
  {
    cursor.expect(",\"authorization\":{\"id\":")
    var authorization = CreditAuthorization(
      id: id(&cursor), account: account.name, timestamp: account.updatedAt)
    if cursor.skip(",\"timestamp\":") {
      authorization.timestamp = time(&cursor)
      cursor.require(authorization.timestamp != account.updatedAt)
    }
    if cursor.skip(",\"hold\":") {
      let credits = cursor.integer()
      cursor.expect(",\"expiresAt\":")
      authorization.hold = CreditAuthorization.Hold(credits: credits, expiresAt: time(&cursor))
    }
    if cursor.skip(",\"tags\":{") { authorization.tags = tags(&cursor) }
    cursor.expect("}")
    return authorization
  }

  /// A charge, and the account's state after it.
  mutating func charge(of account: inout Account, _ cursor: inout RecordCursor) -> Charge {
    var bill = bill(of: account, &cursor)
    cursor.require(bill.receipt.details?.amendment == nil)
    let said = cursor.skip(",\"taken\":") ? buckets(&cursor) : nil
    state(of: &account, &cursor)
    bill.receipt.newBalance = account.balance
    let credits = bill.receipt.creditsCharged
    // Said where it has to be, and nowhere else.
    cursor.require(said.map { !account.wasTakenFromFirst($0, credits) } ?? true)
    let taken = said ?? account.takenFromFirst(credits)
    cursor.require(taken != nil)
    return bill.charge(taken: taken ?? [])
  }

  /// A charge that has become another one, and the account's state after it.
  mutating func amendedCharge(of account: inout Account, _ cursor: inout RecordCursor) -> Charge {
    var bill = bill(of: account, &cursor)
    cursor.require(bill.receipt.details?.amendment != nil)
    cursor.expect(",\"taken\":")
    let taken = buckets(&cursor)
    state(of: &account, &cursor)
    bill.receipt.newBalance = account.balance
    return bill.charge(taken: taken)
  }

  /// A charge that another record has made.
  mutating func pastCharge(of account: Account, _ cursor: inout RecordCursor) -> Charge {
    var bill = bill(of: account, &cursor)
    cursor.expect(",\"newBalance\":")
    bill.receipt.newBalance = cursor.integer()
    cursor.expect(",\"timestamp\":")
    bill.receipt.timestamp = time(&cursor)
    cursor.expect(",\"taken\":")
    return bill.charge(taken: buckets(&cursor))
  }

  /// A charge without what paid it.
  private struct Bill {
    var receipt: CreditReceipt
    let key: Name?
    let unreadUsage: String?

    consuming func charge(taken: [Bucket]) -> Charge {
      Charge(receipt: receipt, key: key, taken: taken, unreadUsage: unreadUsage)
    }
  }

  private mutating func bill(of account: Account, _ cursor: inout RecordCursor) -> Bill {
    let authorization = authorization(of: account, &cursor)
    let key = cursor.skip(",\"key\":") ? id(&cursor) : nil
    cursor.expect(",\"model\":")
    let model = textName(&cursor)
    let usage = cursor.skip(",\"usage\":{") ? usage(&cursor) : nil
    let unreadUsage = cursor.skip(",\"unreadUsage\":") ? string(&cursor) : nil
    let usd = cursor.skip(",\"usd\":") ? dollars(&cursor) : nil
    let details = cursor.isNext(",\"creditsCharged\":") ? nil : details(&cursor)
    cursor.expect(",\"creditsCharged\":")
    var receipt = CreditReceipt(
      authorization: authorization, model: model, usage: usage, creditsCharged: cursor.integer(),
      newBalance: 0, timestamp: account.updatedAt)
    if cursor.skip(",\"creditsWaived\":") { receipt.creditsWaived = cursor.integer() }
    receipt.isFallback = cursor.skip(",\"usageFallback\":true")
    receipt.remarks = remarks(&cursor)
    receipt.usd = usd
    receipt.details = details
    return Bill(receipt: receipt, key: key, unreadUsage: unreadUsage)
  }

  private mutating func remarks(_ cursor: inout RecordCursor) -> UsageRemarks? {
    let isPartial = cursor.skip(",\"partial\":true")
    let unread = cursor.skip(",\"unread\":[") ? strings(&cursor) : []
    let unpriced = cursor.skip(",\"unpriced\":[") ? strings(&cursor) : []
    return UsageRemarks.of(isPartial: isPartial, unread: unread, unpriced: unpriced)
  }

  /// The texts of a list, after its opening bracket.
  private func strings(_ cursor: inout RecordCursor) -> [String] {
    var texts: [String] = []
    repeat { texts.append(string(&cursor)) } while cursor.skip(",")
    cursor.expect("]")
    return texts
  }

  /// What `JSONWriter.usage(_:)` writes, after the opening brace.
  func usage(_ cursor: inout RecordCursor) -> Usage {
    if cursor.skip("\"units\":") {
      let units = cursor.integer()
      cursor.expect("}")
      return .units(units)
    }
    cursor.expect("\"inputTokens\":")
    let input = cursor.integer()
    cursor.expect(",\"outputTokens\":")
    var tokens = TokenUsage(inputTokens: input, outputTokens: cursor.integer())
    if !cursor.isNext("}") { otherMembers(of: &tokens, &cursor) }
    cursor.expect("}")
    return .tokens(tokens)
  }

  /// The counts that need not be there, and the conditions.
  private func otherMembers(of tokens: inout TokenUsage, _ cursor: inout RecordCursor) {
    for place in 2..<UsageCount.total {
      let count = UsageCount(at: place)
      guard cursor.skipMember(count.row.member) else { continue }
      tokens[count] = cursor.integer()
      cursor.require(tokens[count] != 0)
    }
    for condition in UsageCondition.allCases where cursor.skipMember(condition.member) {
      let value = string(&cursor)
      tokens[condition] = value
      cursor.require(tokens[condition] == value)
    }
  }
}
