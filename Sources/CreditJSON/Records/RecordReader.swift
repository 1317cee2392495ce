package import CreditModel

/// Reads records in the one form that `openRecord` writes: members in its order, nothing between
/// them. Several times as fast as ``RecordDecoder``, and stricter: a record that it reads is written
/// again as the same bytes.
package struct RecordReader: ~Copyable {
  private var texts = RecordTexts()

  package init() {}

  /// Reads a record, with the checksum of a journal's line, which is not looked at, or without one.
  /// - Parameter line: the line without its newline.
  /// - Returns: nil where it is in another form, or needs the slow way: a string with an escape or
  ///   beyond ASCII, an integer of over 18 digits.
  package mutating func read(_ line: UnsafeRawBufferPointer) -> JournalRecord? {
    guard var cursor = RecordCursor(line) else { return nil }
    cursor.expect("{\"at\":")
    let time = self.time(&cursor)
    cursor.expect(",\"event\":\"")
    guard let kind = EventKind(&cursor) else { return nil }
    cursor.expect(",\"account\":")
    var account = Account(name: name(&cursor), registeredAt: time)
    guard let event = self.event(kind, of: &account, &cursor) else { return nil }
    var original: RecordPosition?
    if cursor.skip(",\"original\":") { original = RecordPosition(cursor.integer()) }
    var previous: RecordPosition?
    if cursor.skip(",\"previous\":") { previous = RecordPosition(cursor.integer()) }
    if cursor.skip(",\"crc\":\"") || cursor.skip(",\"and\":\"") { cursor.skip(count: 9) }
    cursor.expect("}")
    guard cursor.isAtEnd else { return nil }
    let record = LedgerRecord(event: consume event, account: consume account, original: original)
    return JournalRecord(record: consume record, previous: previous)
  }

  /// The time of a record, from a text that its line begins; nil for a text of another form.
  package static func time(of line: UnsafeRawBufferPointer) -> Timestamp? {
    guard var cursor = RecordCursor(line) else { return nil }
    cursor.expect("{\"at\":")
    let text = cursor.timeText()
    return cursor.hasFailed ? nil : Timestamp.parse(text)
  }

  // MARK: Values

  @inline(__always)
  private mutating func time(_ cursor: inout RecordCursor) -> Timestamp {
    if let time = texts.time(cursor.timeText()) { return time }
    cursor.fail()
    return .earliest
  }

  /// A name that is likely to come again.
  @inline(__always)
  private mutating func name(_ cursor: inout RecordCursor) -> Name { texts.name(cursor.name()) }

  /// An id or key.
  @inline(__always)
  private func id(_ cursor: inout RecordCursor) -> Name { RecordTexts.made(cursor.name()) }

  private func string(_ cursor: inout RecordCursor) -> String {
    String(decoding: cursor.text(), as: UTF8.self)
  }

  /// A text of a fixed choice.
  private func choice<Choice: RawRepresentable<String>>(_ cursor: inout RecordCursor) -> Choice? {
    let choice = Choice(rawValue: string(&cursor))
    cursor.require(choice != nil)
    return choice
  }

  private func bucketKind(_ cursor: inout RecordCursor) -> Bucket.Kind {
    if cursor.skip("\"purchased\"") { return .purchased }
    if cursor.skip("\"starter\"") { return .starter }
    if cursor.skip("\"bonus\"") { return .bonus }
    cursor.expect("\"quota\"")
    return .quota
  }

  private mutating func buckets(_ cursor: inout RecordCursor) -> [Bucket] {
    cursor.expect("[")
    if cursor.skip("]") { return [] }
    var buckets: [Bucket] = []
    repeat {
      cursor.expect("{\"kind\":")
      let kind = bucketKind(&cursor)
      cursor.expect(",\"credits\":")
      var bucket = Bucket(kind: kind, credits: cursor.integer())
      if cursor.skip(",\"expiresAt\":") { bucket.expiresAt = time(&cursor) }
      cursor.expect("}")
      buckets.append(bucket)
    } while cursor.skip(",")
    cursor.expect("]")
    return buckets
  }

  // MARK: State

  private mutating func state(of account: inout Account, _ cursor: inout RecordCursor) {
    cursor.expect(",\"state\":{\"registeredAt\":")
    account.registeredAt = time(&cursor)
    account.isExempt = cursor.skip(",\"exempt\":true")
    cursor.expect(",\"balance\":")
    let balance = cursor.integer()
    cursor.expect(",\"buckets\":")
    account.buckets = buckets(&cursor)
    if cursor.skip(",\"quota\":{") { account.quota = quota(&cursor) }
    if cursor.skip(",\"holds\":[") { account.holds = holds(&cursor) }
    if cursor.skip(",\"recentTopUps\":[") {
      repeat { account.recentTopUps.append(time(&cursor)) } while cursor.skip(",")
      cursor.expect("]")
    }
    cursor.expect("}")
    cursor.require(balance == account.balance)
  }

  private mutating func quota(_ cursor: inout RecordCursor) -> Quota {
    cursor.expect("\"plan\":")
    let plan = name(&cursor)
    cursor.expect(",\"period\":")
    let period: QuotaPeriod
    if cursor.skip("\"month\"") {
      period = .month
    } else if cursor.skip("\"day\"") {
      period = .day
    } else {
      cursor.expect("{\"days\":")
      let days = cursor.integer()
      cursor.require(1...36_500 ~= days)
      cursor.expect("}")
      period = .days(days)
    }
    cursor.expect(",\"limit\":")
    let limit = cursor.integer()
    cursor.expect(",\"used\":")
    let used = cursor.integer()
    cursor.expect(",\"resetsAt\":")
    let resetsAt = time(&cursor)
    cursor.expect("}")
    return Quota(plan: plan, period: period, limit: limit, used: used, resetsAt: resetsAt)
  }

  private mutating func holds(_ cursor: inout RecordCursor) -> [HoldSum] {
    var holds: [HoldSum] = []
    repeat {
      cursor.expect("{\"credits\":")
      let credits = cursor.integer()
      cursor.expect(",\"expiresAt\":")
      holds.append(HoldSum(credits: credits, expiresAt: time(&cursor)))
      cursor.expect("}")
    } while cursor.skip(",")
    cursor.expect("]")
    return holds
  }

  // MARK: Events

  /// An event, and the account's state after it, which is the only one to say some of its balances.
  private mutating func event(
    _ kind: EventKind, of account: inout Account, _ cursor: inout RecordCursor
  ) -> LedgerEvent? {
    switch kind {
    case .charge:
      return .charge(charge(of: &account, isPast: false, &cursor))
    case .topUp:
      guard var topUp = topUp(of: account, isPast: false, &cursor) else { return nil }
      state(of: &account, &cursor)
      topUp.newBalance = account.balance
      return .topUp(consume topUp)
    default:
      let event = wholeEvent(kind, of: &account, &cursor)
      state(of: &account, &cursor)
      return event
    }
  }

  /// An event that says everything itself.
  private mutating func wholeEvent(
    _ kind: EventKind, of account: inout Account, _ cursor: inout RecordCursor
  ) -> LedgerEvent? {
    switch kind {
    case .charge, .topUp: return nil
    case .registration: return .registration(starter: credits(&cursor))
    case .settings: return .settings(credits: credits(&cursor))
    case .refill: return .refill(credits: credits(&cursor))
    case .expiry:
      cursor.expect(",\"bucket\":")
      return .expiry(bucketKind(&cursor), credits: credits(&cursor))
    case .authorization: return .authorization(authorization(of: account, &cursor))
    case .void: return .void(authorization(of: account, &cursor))
    case .chargeRefund:
      return .chargeRefund(charge(of: &account, isPast: true, &cursor), refund(&cursor))
    case .topUpRefund:
      guard let topUp = topUp(of: account, isPast: true, &cursor) else { return nil }
      return .topUpRefund(topUp, refund(&cursor))
    }
  }

  private func credits(_ cursor: inout RecordCursor) -> Credits {
    cursor.expect(",\"credits\":")
    return cursor.integer()
  }

  private mutating func authorization(of account: Account, _ cursor: inout RecordCursor)
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
    cursor.expect("}")
    return authorization
  }

  /// A charge, and unless it is a past one the account's state after it.
  private mutating func charge(
    of account: inout Account, isPast: Bool, _ cursor: inout RecordCursor
  ) -> Charge {
    let authorization = authorization(of: account, &cursor)
    let key = cursor.skip(",\"key\":") ? id(&cursor) : nil
    cursor.expect(",\"model\":")
    let model = name(&cursor)
    let usage = cursor.skip(",\"usage\":{") ? usage(&cursor) : nil
    let unreadUsage = cursor.skip(",\"unreadUsage\":") ? string(&cursor) : nil
    cursor.expect(",\"creditsCharged\":")
    var receipt = CreditReceipt(
      authorization: authorization, model: model, usage: usage, creditsCharged: cursor.integer(),
      newBalance: 0, timestamp: account.updatedAt)
    if cursor.skip(",\"creditsWaived\":") { receipt.creditsWaived = cursor.integer() }
    receipt.isFallback = cursor.skip(",\"usageFallback\":true")
    if isPast {
      cursor.expect(",\"newBalance\":")
      receipt.newBalance = cursor.integer()
      cursor.expect(",\"timestamp\":")
      receipt.timestamp = time(&cursor)
    }
    var taken = cursor.skip(",\"taken\":") ? buckets(&cursor) : nil
    if isPast {
      cursor.require(taken != nil)
    } else {
      state(of: &account, &cursor)
      receipt.newBalance = account.balance
      let credits = receipt.creditsCharged
      if let taken {
        cursor.require(!account.wasTakenFromFirst(taken, credits))
      } else {
        taken = account.takenFromFirst(credits)
        cursor.require(taken != nil)
      }
    }
    return Charge(
      receipt: consume receipt, key: key, taken: taken ?? [], unreadUsage: unreadUsage)
  }

  private func usage(_ cursor: inout RecordCursor) -> Usage {
    if cursor.skip("\"units\":") {
      let units = cursor.integer()
      cursor.expect("}")
      return .units(units)
    }
    cursor.expect("\"inputTokens\":")
    let input = cursor.integer()
    cursor.expect(",\"outputTokens\":")
    var tokens = TokenUsage(inputTokens: input, outputTokens: cursor.integer())
    if cursor.skip(",\"cacheReadTokens\":") {
      tokens.cacheReadTokens = cursor.integer()
      cursor.require(tokens.cacheReadTokens != 0)
    }
    if cursor.skip(",\"cacheWriteTokens\":") {
      tokens.cacheWriteTokens = cursor.integer()
      cursor.require(tokens.cacheWriteTokens != 0)
    }
    cursor.expect("}")
    return .tokens(tokens)
  }

  private mutating func topUp(
    of account: Account, isPast: Bool, _ cursor: inout RecordCursor
  ) -> TopUp? {
    guard let transaction = transaction(of: account, &cursor) else { return nil }
    cursor.expect(",\"creditsAdded\":")
    var topUp = TopUp(
      transaction: transaction, creditsAdded: cursor.integer(), newBalance: 0)
    if isPast {
      cursor.expect(",\"newBalance\":")
      topUp.newBalance = cursor.integer()
    }
    return topUp
  }

  private mutating func transaction(of account: Account, _ cursor: inout RecordCursor)
    -> Transaction?
  {
    cursor.expect(",\"transaction\":{\"id\":")
    let id = self.id(&cursor)
    cursor.expect(",\"account\":")
    cursor.require(name(&cursor) == account.name)
    cursor.expect(",\"type\":")
    let kind: Transaction.Kind? = choice(&cursor)
    cursor.expect(",\"status\":")
    let status: Transaction.Status? = choice(&cursor)
    guard let kind, let status else { return nil }
    let product = cursor.skip(",\"productID\":") ? name(&cursor) : nil
    var quantity: Int64 = 1
    if cursor.skip(",\"quantity\":") {
      quantity = cursor.integer()
      cursor.require(quantity != 1)
    }
    cursor.expect(",\"credits\":")
    let credits = cursor.integer()
    cursor.expect(",\"timestamp\":")
    var transaction = Transaction(
      id: id, account: account.name, kind: kind, status: status, productID: product,
      quantity: quantity, credits: credits, timestamp: time(&cursor))
    if cursor.skip(",\"price\":") { transaction.price = string(&cursor) }
    if cursor.skip(",\"currency\":") { transaction.currency = string(&cursor) }
    if cursor.skip(",\"key\":") { transaction.key = self.id(&cursor) }
    if cursor.skip(",\"reason\":") { transaction.reason = string(&cursor) }
    if cursor.skip(",\"expiresAt\":") { transaction.expiresAt = time(&cursor) }
    cursor.expect("}")
    return transaction
  }

  private mutating func refund(_ cursor: inout RecordCursor) -> Refund {
    cursor.expect(",\"refund\":{\"credits\":")
    let credits = cursor.integer()
    var forfeited: Credits = 0
    if cursor.skip(",\"forfeited\":") {
      forfeited = cursor.integer()
      cursor.require(forfeited != 0)
    }
    let reason = cursor.skip(",\"reason\":") ? string(&cursor) : nil
    cursor.expect(",\"newBalance\":")
    let newBalance = cursor.integer()
    cursor.expect(",\"timestamp\":")
    let timestamp = time(&cursor)
    cursor.expect("}")
    return Refund(
      credits: credits, forfeited: forfeited, newBalance: newBalance, timestamp: timestamp,
      reason: reason)
  }
}

/// Which event a record is of.
private enum EventKind {
  case registration, settings, refill, expiry, authorization, void, charge, chargeRefund, topUp
  case topUpRefund

  init?(_ cursor: inout RecordCursor) {
    if cursor.skip("charge\"") {
      self = .charge
    } else if cursor.skip("authorization\"") {
      self = .authorization
    } else if cursor.skip("top-up\"") {
      self = .topUp
    } else if cursor.skip("registration\"") {
      self = .registration
    } else if cursor.skip("settings\"") {
      self = .settings
    } else if cursor.skip("refill\"") {
      self = .refill
    } else if cursor.skip("expiry\"") {
      self = .expiry
    } else if cursor.skip("void\"") {
      self = .void
    } else if cursor.skip("charge-refund\"") {
      self = .chargeRefund
    } else if cursor.skip("top-up-refund\"") {
      self = .topUpRefund
    } else {
      return nil
    }
  }
}
