public import CreditModel

extension ResultVisitor where Self: ~Copyable {
  fileprivate mutating func historyMembers(
    _ known: HistoryLine?, signedText: String? = nil, isChanged: Bool = false,
    cursor: String? = nil, use: GrantUse? = nil
  ) {
    member("id", known?.id, ID.self)
    member("account", known?.account, AccountName.self)
    member("type", known?.kind, WordText<HistoryLine.Kind>.self)
    member("status", known?.status, WordText<Transaction.Status>.self)
    member("credits", known?.credits, Whole.self)
    member("balance", known?.balance, Whole.self)
    member("timestamp", known?.timestamp, Time.self)
    optional("updatedAt", known?.updatedAt, Time.self)
    optional("completedAt", known?.completedAt, Time.self)
    optional("model", known?.model, PolicyName.self)
    optional("catalogModel", known?.catalogModel, PolicyName.self)
    optional("usage", known?.usage, UsageCounts.self)
    optional("productID", known?.productID, PolicyName.self)
    optional("productName", known?.productName, Text.self)
    optional("quantity", known?.quantity, Whole.self)
    optional("price", known?.price, Text.self)
    optional("currency", known?.currency, Text.self)
    optional("key", known?.key, ID.self)
    optional("reason", known?.reason, Text.self)
    optional("scheduledAt", known?.scheduledAt, Time.self)
    optional("startsAt", known?.terms?.startsAt, Time.self)
    optional("expiresAt", known?.expiresAt, Time.self)
    historyPlan(known)
    grantTerms(known?.terms)
    optional("grant", known?.grant, ID.self)
    // The buckets that credits came from or, if below 0, went to.
    parts("taken", known?.taken) { visitor, known in
      visitor.optional("grant", known?.grant?.id, ID.self)
      visitor.optional("kind", known?.grant == nil ? known?.kind : nil, WordText<Bucket.Kind>.self)
      // A quota's is that of its reset.
      let isDated = known?.grant == nil && known?.kind != .quota
      visitor.optional("expiresAt", isDated ? known?.expiresAt : nil, Time.self)
      visitor.member("credits", known?.credits, Whole.self)
    }
    optional("left", use?.left, Whole.self)
    optional("used", use?.used, Whole.self)
    optional("expired", use?.expired, Whole.self)
    optional("usedAt", known?.usedAt, Time.self)
    optional("chargedAt", known?.chargedAt, Time.self)
    optional("tags", known?.tags, TagMap.self)
    optional("usd", known?.usd, Dollars.self)
    optional("costUSD", known?.costUSD, Dollars.self)
    optional("creditsWaived", known?.creditsWaived, Whole.self)
    optional("usdWaived", known?.usdWaived, Dollars.self)
    optional("creditsRefunded", known?.creditsRefunded, Whole.self)
    optional("creditsForfeited", known?.creditsForfeited, Whole.self)
    optional("crossed", known?.crossed, List<Whole>.self)
    limitsCrossed(known?.limitsCrossed)
    paidBy(known?.paidBy ?? [], own: known?.ownCredits ?? 0, of: known?.account ?? .nobody)
    // The parts of other accounts in a correction or a refund.
    parts("shares", known?.shares.nonEmpty) { visitor, known in
      visitor.otherAccount(known?.account)
      visitor.member("credits", known?.credits, Whole.self)
    }
    optional("parent", known?.parent, AccountName.self)
    optional("member", known?.member, AccountName.self)
    optional("counterparty", known?.counterparty, AccountName.self)
    optional("originalTransactionID", known?.originalTransactionID, ID.self)
    optional("signedTransactionInfo", signedText, Text.self)
    event(known?.event, isOfHistory: true)
    mark("changed", isChanged)
    optional("cursor", cursor, Text.self)
  }

  /// Visits the plan of a quota, or of the payment for it.
  private mutating func historyPlan(_ known: HistoryLine?) {
    paidPlan(known?.paid?.plan ?? known?.plan, until: known?.paid?.until)
    optional("carriedOver", known?.carriedOver, Whole.self)
    optional("endedAt", known?.paid?.endedAt, Time.self)
    // The ends before each extension of the paid time.
    parts("extended", known?.extended.nonEmpty) { visitor, known in
      visitor.member("at", known?.extendedAt, Time.self)
      visitor.member("until", known?.until, Time.self)
      visitor.optional("endedAt", known?.endedAt, Time.self)
    }
  }
}

extension JSONWriter {
  /// Writes a line of the history.
  /// - Parameters:
  ///   - signedText: the transaction's text that the App Store signed.
  ///   - isChanged: true if the line was recorded earlier and is repeated after a change.
  ///   - cursor: the place after it, for a follower.
  ///   - use: the use of its grant's credits.
  public mutating func historyLine(
    _ line: HistoryLine, signedText: String? = nil, isChanged: Bool = false,
    cursor: String? = nil, use: GrantUse? = nil
  ) {
    beginObject()
    historyMembers(line, signedText: signedText, isChanged: isChanged, cursor: cursor, use: use)
    endObject()
  }

  /// Writes a page of the history, or of the open authorizations, as one object.
  public mutating func page<Line>(
    of lines: [Line], total: Int, limit: Int, offset: Int,
    _ write: (inout JSONWriter, Line) -> Void
  ) {
    beginObject()
    key("transactions")
    beginArray()
    for line in lines { write(&self, line) }
    endArray()
    pageMembers(total: total, limit: limit, offset: offset)
    endObject()
  }
}

extension ResultVisitor where Self: ~Copyable {
  fileprivate mutating func pageMembers(total: Int, limit: Int, offset: Int) {
    member("total", Int64(total), Whole.self)
    member("limit", Int64(limit), Whole.self)
    member("offset", Int64(offset), Whole.self)
  }
}

extension JSONShape {
  public static var historyLine: JSONShape {
    ShapeRecorder.shape { $0.historyMembers(nil) }
  }

  public static func page(of line: JSONShape) -> JSONShape {
    ShapeRecorder.shape {
      $0.add(.list("transactions", of: line))
      $0.pageMembers(total: 0, limit: 0, offset: 0)
    }
  }
}
