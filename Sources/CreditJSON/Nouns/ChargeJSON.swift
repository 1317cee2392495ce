public import CreditModel

/// Facts from the end of a charge's record, or the account's state after it.
struct ChargeEnd {
  var taken: BucketShares
  var newBalance: Credits
  var timestamp: Timestamp
}

// A charge. `details` has members of few charges, `amendment` those of amending.
extension MemberVisitor where Self: ~Copyable {
  /// - Parameters:
  ///   - time: of the record.
  ///   - end: visits the members after those that all records of charges share.
  @inline(__always)
  mutating func charge(
    _ known: Charge, of account: Name, at time: Timestamp,
    end: (inout Self, ChargeDetails?, Credits) -> ChargeEnd?
  ) -> Charge? {
    let authorization = authorization(known.receipt.authorization, of: account, at: time)
    let key = optional("key", known.key, ID.self)
    let model = member("model", known.receipt.model, PolicyName.self)
    let usage = optional("usage", known.receipt.usage, UsageCounts.self)
    let unreadUsage = optional("unreadUsage", known.unreadUsage, Text.self)
    let usd = optional("usd", known.receipt.usd, Dollars.self)
    let knownDetails = known.receipt.details
    let details = rare(if: knownDetails != nil, before: "creditsCharged") {
      $0.details(knownDetails ?? .empty)
    }
    let credits = member("creditsCharged", known.receipt.creditsCharged, Whole.self)
    let waived = optional("creditsWaived", known.receipt.creditsWaived, Whole.self)
    let isFallback = flag("usageFallback", known.receipt.isFallback)
    let remarks = remarks(known.receipt.remarks)
    let end = end(&self, details, credits ?? 0)
    guard let authorization, let model, let credits, let end else { return nil }
    return Charge(
      receipt: CreditReceipt(
        authorization: authorization, model: model, usage: usage, creditsCharged: credits,
        newBalance: end.newBalance, timestamp: end.timestamp, usd: usd, details: details,
        creditsWaived: waived, isFallback: isFallback, remarks: remarks),
      key: key, taken: end.taken, unreadUsage: unreadUsage)
  }

  /// Visits a charge that another record has made.
  mutating func pastCharge(_ known: Charge, of account: Name, at time: Timestamp) -> Charge? {
    charge(known, of: account, at: time) { visitor, _, _ in
      let balance = visitor.member("newBalance", known.receipt.newBalance, Whole.self)
      let time = visitor.member("timestamp", known.receipt.timestamp, Time.self)
      let taken = visitor.member("taken", known.taken, Shares.self)
      guard let balance, let time, let taken else { return nil }
      return ChargeEnd(taken: taken, newBalance: balance, timestamp: time)
    }
  }

  private mutating func details(_ known: ChargeDetails) -> ChargeDetails? {
    let costUSD = optional("costUSD", known.costUSD, Dollars.self)
    let reportedUSD = optional("reportedUSD", known.reportedUSD, ExactNumber.self)
    let usedAt = optional("usedAt", known.usedAt, Time.self)
    let tags = optional("tags", known.tags, TagMap.self)
    let isArrears = flag("arrears", known.isArrears)
    let amendment = object("amendment", known.amendment, shape: "amendment", isOptional: true) {
      $0.amendment($1)
    }
    let catalogModel = optional("catalogModel", known.catalogModel, PolicyName.self)
    let limitUSD = optional("limitUSD", known.limitUSD, Dollars.self)
    let paidBy = paidShares("paidBy", known.paidBy)
    let countedAfter = member("countedAfter", known.countedAfter, Whole.self, unless: 0)
    let limitsCrossed = limitsCrossed(known.limitsCrossed)
    if !Self.reads { return nil }
    return ChargeDetails.of(
      usedAt: usedAt, reportedUSD: reportedUSD, costUSD: costUSD, tags: tags,
      isArrears: isArrears, amendment: amendment, catalogModel: catalogModel,
      limitUSD: limitUSD, paidBy: paidBy, countedAfter: countedAfter,
      limitsCrossed: limitsCrossed)
  }

  private mutating func amendment(_ known: Amendment?) -> Amendment? {
    let number = member("number", known?.number, Whole.self)
    let isReturn = flag("return", known?.isReturn)
    let credits = member("credits", known?.credits, Whole.self)
    let previousCredits = member("previousCredits", known?.previousCredits, Whole.self)
    let usd = optional("previousUSD", known?.previousPrice.usd, Dollars.self)
    let costUSD = optional("previousCostUSD", known?.previousPrice.costUSD, Dollars.self)
    let waived = optional("previousWaived", known?.previousPrice.waived, Whole.self)
    let forfeited = shares("forfeited", known?.forfeited)
    let moved = optional("moved", known?.moved, Shares.self)
    let heldShares = heldShares("shares", known?.shares)
    let chargedAt = member("chargedAt", known?.chargedAt, Time.self)
    let first = object("first", known?.first) { $0.work($1) }
    guard let number, let credits, let previousCredits, let chargedAt, let first else { return nil }
    return Amendment(
      number: number, isReturn: isReturn, chargedAt: chargedAt, first: first,
      previousCredits: previousCredits,
      previousPrice: PriceParts(usd: usd, costUSD: costUSD, waived: waived), credits: credits,
      forfeited: forfeited, moved: moved, shares: heldShares)
  }

  private mutating func work(_ known: ChargedWork?) -> ChargedWork? {
    let model = member("model", known?.model, PolicyName.self)
    let usage = optional("usage", known?.usage ?? nil, UsageCounts.self)
    let unreadUsage = optional("unreadUsage", known?.unreadUsage ?? nil, Text.self)
    let reportedUSD = optional("reportedUSD", known?.reportedUSD ?? nil, ExactNumber.self)
    guard let model else { return nil }
    return ChargedWork(
      model: model, usage: usage, unreadUsage: unreadUsage, reportedUSD: reportedUSD)
  }

  /// Visits remarks on a usage or its price. Results have these members, too.
  @discardableResult
  mutating func remarks(_ known: UsageRemarks?) -> UsageRemarks? {
    let (isPartial, unread) = unreadUsage(known)
    let unpriced = optional("unpriced", known?.unpriced.nonEmpty, List<Text>.self)
    if !Self.reads { return nil }
    return UsageRemarks.of(isPartial: isPartial, unread: unread ?? [], unpriced: unpriced ?? [])
  }

  /// Visits whether a response was cut, and which numbers of it have no meaning here.
  @discardableResult
  fileprivate mutating func unreadUsage(_ known: UsageRemarks?) -> (Bool, [String]?) {
    let isPartial = optional("partial", known?.isPartial == true ? true : nil, Truth.self)
    require(isPartial ?? true)
    return (isPartial != nil, optional("unread", known?.unread.nonEmpty, List<Text>.self))
  }
}

extension Array {
  var nonEmpty: Self? { isEmpty ? nil : self }
}

/// Counts in the order of their table, or units.
enum UsageCounts: MemberForm {
  static func write(_ value: borrowing Usage, to writer: inout JSONWriter) {
    writer.usage(copy value)
  }

  static func read(_ reader: inout RecordReader) -> Usage? {
    reader.cursor.expect("{")
    if let units = reader.optional("units", nil, Whole.self) {
      reader.cursor.expect("}")
      return .units(units)
    }
    let input = reader.member("inputTokens", nil, Whole.self) ?? 0
    let output = reader.member("outputTokens", nil, Whole.self) ?? 0
    var tokens = TokenUsage(inputTokens: input, outputTokens: output)
    if !reader.cursor.isNext("}") { readOthers(of: &tokens, &reader) }
    reader.cursor.expect("}")
    return .tokens(tokens)
  }

  /// Reads the counts that need not be there, and the conditions.
  private static func readOthers(of tokens: inout TokenUsage, _ reader: inout RecordReader) {
    for place in 2..<UsageCount.total {
      let count = UsageCount(at: place)
      guard reader.cursor.skipMember(count.row.member) else { continue }
      tokens[count] = reader.cursor.integer()
      reader.require(tokens[count] != 0)
    }
    for condition in UsageCondition.allCases where reader.cursor.skipMember(condition.member) {
      let value = reader.string()
      tokens[condition] = value
      reader.require(tokens[condition] == value)
    }
  }

  static var shape: JSONShape {
    let counts = (0..<UsageCount.total).map { place in
      let member = JSONMember.integer("\(UsageCount(at: place).row.member)")
      return place < 2 ? member : member.optional
    }
    let conditions = UsageCondition.allCases.map { JSONMember.text("\($0.member)").optional }
    return .named("usage", .anyOf([.object(counts + conditions), .object([.integer("units")])]))
  }
}

// A charge as results have it.
extension ResultVisitor where Self: ~Copyable {
  mutating func receiptMembers(_ charge: Charge) {
    let known = charge.receipt
    authorizationPart(known.authorization)
    member("model", known.model, PolicyName.self)
    optional("usage", known.usage, UsageCounts.self)
    member("creditsCharged", known.creditsCharged, Whole.self)
    member("newBalance", known.newBalance, Whole.self)
    let details = known.details
    members(if: details != nil) { visitor in
      visitor.paidBy(details?.paidBy ?? [], own: known.ownCredits, of: known.authorization.account)
    }
    member("timestamp", known.timestamp, Time.self)
    members(if: details != nil) { visitor in
      visitor.resultDetails(details ?? .empty, usd: known.usd)
      visitor.refundedTo(details?.amendment, of: known.authorization.account)
    }
    mark("usageFallback", known.isFallback)
    remarks(known.remarks)
    let waived = known.creditsWaived
    mark("exempt", waived != nil)
    optional("creditsWaived", waived, Whole.self)
    optional("key", charge.key, ID.self)
  }

  fileprivate mutating func receiptMembers(_ charge: Charge, after refund: Refund?) {
    receiptMembers(charge)
    optional("creditsRefunded", refund?.total, Whole.self)
  }

  /// The price in dollars is of interest if the provider takes another amount.
  private mutating func resultDetails(_ known: ChargeDetails, usd: String?) {
    optional("usedAt", known.usedAt, Time.self)
    optional("tags", known.tags, TagMap.self)
    optional("reportedUSD", known.reportedUSD, ExactNumber.self)
    let costUSD = usd == nil ? nil : known.costUSD
    optional("usd", costUSD == nil ? nil : usd, Dollars.self)
    optional("costUSD", costUSD, Dollars.self)
    optional("amended", known.amendment?.number, Whole.self)
    optional("previousCredits", known.amendment?.previousCredits, Whole.self)
    let forfeited = known.creditsForfeited
    optional("creditsForfeited", forfeited == 0 ? nil : forfeited, Whole.self)
    limitsCrossed(known.limitsCrossed)
  }

  fileprivate mutating func priceMembers(
    _ known: PriceQuote?, _ usage: Usage?, model: Name?, remarks: UsageRemarks?
  ) {
    member("model", model, PolicyName.self)
    optional("usage", usage, UsageCounts.self)
    optional("usd", known?.usd, Dollars.self)
    optional("costUSD", known?.costUSD, Dollars.self)
    member("credits", known?.credits, Whole.self)
    mark("usageFallback", known?.isFallback)
    optional("unpriced", known?.unpriced.nonEmpty, List<Text>.self)
    unreadUsage(remarks)
  }
}

extension JSONWriter {
  /// Writes a charge's receipt and its key as an object.
  /// - Parameter refund: the last refund of the charge, if any.
  public mutating func receipt(of charge: Charge, after refund: Refund? = nil) {
    element { $0.receiptMembers(charge, after: refund) }
  }

  public mutating func price(
    _ quote: PriceQuote, _ usage: Usage?, model: Name, remarks: UsageRemarks? = nil
  ) {
    element { $0.priceMembers(quote, usage, model: model, remarks: remarks) }
  }

  /// Writes a usage, in the form of requests and results.
  public mutating func usage(_ usage: Usage) {
    beginObject()
    switch usage {
    case .tokens(let tokens):
      member("inputTokens", tokens.inputTokens, Whole.self)
      member("outputTokens", tokens.outputTokens, Whole.self)
      let (read, written) = (tokens.cacheReadTokens, tokens.cacheWriteTokens)
      optional("cacheReadTokens", read == 0 ? nil : read, Whole.self)
      optional("cacheWriteTokens", written == 0 ? nil : written, Whole.self)
      // Counts of few usages that are not 0, and conditions that are not ordinary.
      if tokens.isCommon { break }
      for place in UsageCount.commonTotal..<UsageCount.total {
        let count = UsageCount(at: place)
        if tokens[count] != 0 { member(count.row.member, tokens[count], Whole.self) }
      }
      for condition in UsageCondition.allCases {
        if let value = tokens[condition] { member(condition.member, value) }
      }
    case .units(let units): member("units", units, Whole.self)
    }
    endObject()
  }
}

extension JSONShape {
  public static var receipt: JSONShape {
    ShapeRecorder.shape { $0.receiptMembers(.sample, after: nil) }
  }

  /// The shape of a price's answer.
  public static var price: JSONShape {
    ShapeRecorder.shape { $0.priceMembers(nil, nil, model: nil, remarks: nil) }
  }
}

extension CreditReceipt {
  static var sample: CreditReceipt {
    CreditReceipt(
      authorization: .sample, model: .nobody, usage: nil, creditsCharged: 0, newBalance: 0,
      timestamp: .earliest)
  }
}

extension Charge {
  /// Any charge: readers begin with it.
  static let sample = Charge(receipt: .sample, taken: [])
}
