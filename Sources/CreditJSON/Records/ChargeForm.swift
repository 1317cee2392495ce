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
      if !hold.heldBy.isEmpty { held(hold.heldBy) }
    }
    if let tags = authorization.tags { member("tags", tags) }
    if let model = authorization.model { member("model", model) }
    endObject()
  }

  /// A charge, whose balance and time are those of the record, and which buckets paid where the
  /// account's present ones do not tell.
  mutating func charge(_ charge: Charge, in account: Account) {
    bill(charge, at: account.updatedAt)
    if !account.wasTakenFromFirst(charge.taken, charge.receipt.ownCredits) {
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
    let id = id(&cursor)
    var timestamp = account.updatedAt
    if cursor.skip(",\"timestamp\":") {
      timestamp = time(&cursor)
      cursor.require(timestamp != account.updatedAt)
    }
    var hold: CreditAuthorization.Hold?
    if cursor.skip(",\"hold\":") {
      let credits = cursor.integer()
      cursor.expect(",\"expiresAt\":")
      var made = CreditAuthorization.Hold(credits: credits, expiresAt: time(&cursor))
      if cursor.skip(",\"held\":[") { made.heldBy = held(&cursor) }
      hold = made
    }
    let tags = cursor.skip(",\"tags\":{") ? tags(&cursor) : nil
    let model = cursor.skip(",\"model\":") ? textName(&cursor) : nil
    cursor.expect("}")
    return CreditAuthorization(
      id: id, account: account.name, timestamp: timestamp, hold: hold, tags: tags, model: model)
  }

  /// A charge, and the account's state after it.
  mutating func charge(of account: inout Account, _ cursor: inout RecordCursor) -> Charge {
    let bill = bill(of: account, &cursor)
    cursor.require(bill.details?.amendment == nil)
    let said = cursor.skip(",\"taken\":") ? shares(&cursor) : nil
    state(of: &account, &cursor)
    let credits =
      bill.details?.paidBy.reduce(bill.creditsCharged) { $0 - $1.credits }
      ?? bill.creditsCharged
    // Said where it has to be, and nowhere else.
    cursor.require(said.map { !account.wasTakenFromFirst($0, credits) } ?? true)
    let taken = said ?? account.takenFromFirst(credits)
    cursor.require(taken != nil)
    return bill.charge(
      taken: taken ?? [], newBalance: account.balance, timestamp: account.updatedAt)
  }

  /// A charge that has become another one, and the account's state after it.
  mutating func amendedCharge(of account: inout Account, _ cursor: inout RecordCursor) -> Charge {
    let bill = bill(of: account, &cursor)
    cursor.require(bill.details?.amendment != nil)
    cursor.expect(",\"taken\":")
    let taken = shares(&cursor)
    state(of: &account, &cursor)
    return bill.charge(
      taken: taken, newBalance: account.balance, timestamp: account.updatedAt)
  }

  /// A charge that another record has made.
  mutating func pastCharge(of account: Account, _ cursor: inout RecordCursor) -> Charge {
    let bill = bill(of: account, &cursor)
    cursor.expect(",\"newBalance\":")
    let balance = cursor.integer()
    cursor.expect(",\"timestamp\":")
    let time = time(&cursor)
    cursor.expect(",\"taken\":")
    return bill.charge(taken: shares(&cursor), newBalance: balance, timestamp: time)
  }

  /// A charge without what paid it, and what was left.
  private struct Bill {
    let authorization: CreditAuthorization
    let key: Name?
    let model: Name
    let usage: Usage?
    let unreadUsage: String?
    let usd: String?
    let details: ChargeDetails?
    let creditsCharged: Credits
    let creditsWaived: Credits?
    let isFallback: Bool
    let remarks: UsageRemarks?

    consuming func charge(
      taken: BucketShares, newBalance: Credits, timestamp: Timestamp
    ) -> Charge {
      Charge(
        receipt: CreditReceipt(
          authorization: authorization, model: model, usage: usage,
          creditsCharged: creditsCharged, newBalance: newBalance, timestamp: timestamp, usd: usd,
          details: details, creditsWaived: creditsWaived, isFallback: isFallback,
          remarks: remarks),
        key: key, taken: taken, unreadUsage: unreadUsage)
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
    let credits = cursor.integer()
    let waived = cursor.skip(",\"creditsWaived\":") ? cursor.integer() : nil
    let isFallback = cursor.skip(",\"usageFallback\":true")
    return Bill(
      authorization: authorization, key: key, model: model, usage: usage,
      unreadUsage: unreadUsage, usd: usd, details: details, creditsCharged: credits,
      creditsWaived: waived, isFallback: isFallback, remarks: remarks(&cursor))
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
