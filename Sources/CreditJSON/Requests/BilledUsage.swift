package import CreditModel

/// The subject of a price or a charge: a model and its usage.
package struct BilledUsage {
  package let model: Name
  package let usage: ReportedUsage
  package let reportedUSD: ExactDecimal?
  /// True if the provider reports a cost below 0.
  package let costIsNegative: Bool
  package let remarks: UsageRemarks?
  /// The line of a batch's results that it is on.
  package let batch: BatchLine?

  /// - Parameters:
  ///   - reading: the request or the response that it is of.
  ///   - usd: the cost in the request, which replaces the response's.
  ///   - isPartial: true if the response is incomplete and charged nevertheless.
  package init(
    _ usage: ReportedUsage, of model: Name, from reading: UsageReading?, costing usd: ExactDecimal?,
    isPartial: Bool = false, unread: [String]
  ) {
    self.model = model
    self.usage = usage
    reportedUSD = usd ?? reading?.reportedUSD
    costIsNegative = reportedUSD == nil && reading?.costIsNegative == true
    remarks = UsageRemarks.of(isPartial: isPartial, unread: unread)
    batch = reading?.batch
  }
}

extension UsageReading {
  /// Refuses a response that failed or is incomplete.
  /// - Returns: true if it is incomplete and charged nevertheless.
  package func checkOutcome(acceptsPartial: Bool) throws(CreditError) -> Bool {
    switch outcome {
    case .complete: return false
    case .refused(let error): throw error
    case .cut(let form):
      let name = form.map { " (\($0.name))" } ?? ""
      guard case .counts(let usage) = self.usage else {
        throw CreditError(
          .cutResponse,
          "the response\(name) is not all there, and says nothing yet of what it used")
      }
      if acceptsPartial { return true }
      throw CreditError(
        .cutResponse,
        "the response\(name) is not all there; --partial takes what it says so far",
        [.partial(usage)])
    }
  }
}

extension Name {
  /// Checks a text from outside.
  /// - Parameter member: the name of it in the message.
  /// - Throws: `invalid_request`.
  package init(checked text: String, as member: StaticString, limit: Int = Name.idLimit)
    throws(CreditError)
  {
    if let problem = Name.problem(with: text, limit: limit) {
      throw CreditError(.invalidRequest, "\(member) \(problem)")
    }
    self.init(trusted: text)
  }
}

extension JSONShape {
  /// A request for `credit-charge`.
  package static var chargeRequest: JSONShape {
    .object([
      .text("account"), .text("key"), .text("model"), JSONMember("usage", .any),
      .decimal("reportedUSD").optional, .list("unread", of: .value(.text)).optional,
      .truth("partial").optional, .time("usedAt").optional,
      JSONMember("tags", TagMap.shape).optional,
    ])
  }
}
