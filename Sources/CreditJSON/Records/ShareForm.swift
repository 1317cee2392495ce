internal import CreditModel

// What the accounts of a chain have of holds, charges and refunds, as records say it.
extension JSONWriter {
  /// What accounts above have paid, and from which buckets: what is 0 or empty is not said.
  mutating func shares(_ shares: [PaidShare]) {
    key("paidBy")
    beginArray()
    for share in shares {
      beginObject()
      if share.account != .nobody { member("account", share.account) }
      member("credits", share.credits)
      if share.waived != 0 { member("waived", share.waived) }
      if !share.taken.isEmpty { member("taken", share.taken) }
      if !share.forfeited.isEmpty { member("forfeited", share.forfeited) }
      member("newBalance", share.newBalance)
      if let crossed = share.crossed { member("crossed", crossed) }
      if share.way != 0 { member("way", share.way) }
      if share.countedAfter != 0 { member("countedAfter", share.countedAfter) }
      endObject()
    }
    endArray()
  }

  /// What accounts above got back.
  mutating func shares(_ shares: [PaidBackShare]) {
    key("refundedTo")
    beginArray()
    for share in shares {
      beginObject()
      if share.account != .nobody { member("account", share.account) }
      member("credits", share.credits)
      if share.forfeited != 0 { member("forfeited", share.forfeited) }
      member("newBalance", share.newBalance)
      if let crossed = share.crossed { member("crossed", crossed) }
      endObject()
    }
    endArray()
  }

  /// `"member":"ana","authorization":"a1","of":"charge","credits":-220,"taken":[{"purchased":220}]`
  mutating func share(_ share: Share, at time: Timestamp) {
    if share.member != .nobody { member("member", share.member) }
    member("authorization", share.authorization)
    key("of")
    switch share.step {
    case .hold: plain("hold")
    case .void: plain("void")
    case .charge: plain("charge")
    case .amend(let number, let isReturn):
      plain("amend")
      member("number", number)
      if isReturn { member("return", true) }
    case .refund(let number):
      plain("refund")
      if number != 1 { member("number", number) }
    }
    if let part = share.held { holdPart("held", part) }
    if let part = share.released { holdPart("released", part) }
    if share.credits != 0 { member("credits", share.credits) }
    if !share.buckets.isEmpty { member("taken", share.buckets) }
    if share.counted != 0 { member("counted", share.counted) }
    if let model = share.model { member("model", model) }
    let instant = share.countedAt
    if instant.time != time { member("countedAt", instant.time) }
    if instant.after != 0 { member("countedAfter", instant.after) }
  }

  private mutating func holdPart(_ key: StaticString, _ part: Share.Hold) {
    self.key(key)
    beginObject()
    member("credits", part.credits)
    member("passed", part.passed)
    member("expiresAt", part.expiresAt)
    endObject()
  }
}

extension RecordReader {
  /// What ``JSONWriter/list(of:)`` writes, after the opening bracket.
  mutating func held(_ cursor: inout RecordCursor) -> [HeldShare] {
    var shares: [HeldShare] = []
    repeat {
      let account = otherAccount(&cursor)
      shares.append(HeldShare(account: account, credits: cursor.integer()))
      cursor.expect("}")
    } while cursor.skip(",")
    cursor.expect("]")
    return shares
  }

  mutating func paidShares(_ cursor: inout RecordCursor) -> [PaidShare] {
    var list: [PaidShare] = []
    repeat {
      var share = PaidShare(account: otherAccount(&cursor))
      share.credits = cursor.integer()
      if cursor.skip(",\"waived\":") { share.waived = notZero(&cursor) }
      if cursor.skip(",\"taken\":") { share.taken = notEmpty(&cursor) }
      if cursor.skip(",\"forfeited\":") { share.forfeited = notEmpty(&cursor) }
      cursor.expect(",\"newBalance\":")
      share.newBalance = cursor.integer()
      if cursor.skip(",\"crossed\":[") { share.crossed = integers(&cursor) }
      if cursor.skip(",\"way\":") { share.way = notZero(&cursor) }
      if cursor.skip(",\"countedAfter\":") { share.countedAfter = notZero(&cursor) }
      cursor.expect("}")
      list.append(share)
    } while cursor.skip(",")
    cursor.expect("]")
    return list
  }

  mutating func paidBackShares(_ cursor: inout RecordCursor) -> [PaidBackShare] {
    var list: [PaidBackShare] = []
    repeat {
      let account = otherAccount(&cursor)
      let credits = cursor.integer()
      let forfeited = cursor.skip(",\"forfeited\":") ? notZero(&cursor) : 0
      cursor.expect(",\"newBalance\":")
      let balance = cursor.integer()
      let crossed = cursor.skip(",\"crossed\":[") ? integers(&cursor) : nil
      cursor.expect("}")
      list.append(
        PaidBackShare(
          account: account, credits: credits, forfeited: forfeited, newBalance: balance,
          crossed: crossed))
    } while cursor.skip(",")
    cursor.expect("]")
    return list
  }

  /// The beginning of a share, up to its credits: one that was removed from the books has no
  /// account.
  private mutating func otherAccount(_ cursor: inout RecordCursor) -> Name {
    guard cursor.skip("{\"account\":") else {
      cursor.expect("{\"credits\":")
      return .nobody
    }
    let account = account(&cursor)
    cursor.expect(",\"credits\":")
    return account
  }

  func notZero(_ cursor: inout RecordCursor) -> Int64 {
    let number = cursor.integer()
    cursor.require(number != 0)
    return number
  }

  private mutating func notEmpty(_ cursor: inout RecordCursor) -> BucketShares {
    let shares = shares(&cursor)
    cursor.require(!shares.isEmpty)
    return shares
  }

  mutating func share(of account: Account, _ cursor: inout RecordCursor) -> Share? {
    let member = cursor.skip(",\"member\":") ? self.account(&cursor) : .nobody
    cursor.expect(",\"authorization\":")
    let authorization = id(&cursor)
    guard let step = shareStep(&cursor) else { return nil }
    let held = cursor.skip(",\"held\":") ? holdPart(&cursor) : nil
    let released = cursor.skip(",\"released\":") ? holdPart(&cursor) : nil
    let credits = cursor.skip(",\"credits\":") ? notZero(&cursor) : 0
    let buckets = cursor.skip(",\"taken\":") ? notEmpty(&cursor) : []
    let counted = cursor.skip(",\"counted\":") ? notZero(&cursor) : 0
    let model = cursor.skip(",\"model\":") ? textName(&cursor) : nil
    var countedAt = CountedInstant(account.updatedAt)
    if cursor.skip(",\"countedAt\":") {
      countedAt.time = time(&cursor)
      cursor.require(countedAt.time != account.updatedAt)
    }
    if cursor.skip(",\"countedAfter\":") { countedAt.after = notZero(&cursor) }
    return Share(
      member: member, authorization: authorization, step: step, held: held, released: released,
      credits: credits, buckets: buckets, counted: counted, model: model, countedAt: countedAt)
  }

  private func shareStep(_ cursor: inout RecordCursor) -> Share.Step? {
    cursor.expect(",\"of\":")
    if cursor.skip("\"charge\"") { return .charge }
    if cursor.skip("\"hold\"") { return .hold }
    if cursor.skip("\"void\"") { return .void }
    if cursor.skip("\"amend\"") {
      cursor.expect(",\"number\":")
      let number = cursor.integer()
      return .amend(number: number, isReturn: cursor.skip(",\"return\":true"))
    }
    cursor.expect("\"refund\"")
    if cursor.hasFailed { return nil }
    guard cursor.skip(",\"number\":") else { return .refund(number: 1) }
    let number = cursor.integer()
    cursor.require(number != 1)
    return .refund(number: number)
  }

  private mutating func holdPart(_ cursor: inout RecordCursor) -> Share.Hold {
    cursor.expect("{\"credits\":")
    let credits = cursor.integer()
    cursor.expect(",\"passed\":")
    let passed = cursor.integer()
    cursor.expect(",\"expiresAt\":")
    let expiresAt = time(&cursor)
    cursor.expect("}")
    return Share.Hold(credits: credits, passed: passed, expiresAt: expiresAt)
  }
}
