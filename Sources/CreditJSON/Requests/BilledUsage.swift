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
}

/// The name of the last model. Models repeat from request to request, and reusing the name costs
/// nothing.
package final class LastModel {
  var name: Name?

  package init() {}
}

extension RequestReader {
  /// Reads model and usage from a request, a provider's response, or flags.
  package func billedUsage(under rules: PriceRules) throws(CreditError) -> BilledUsage {
    if let plain = plainUsage, member("serviceTier") == nil {
      return BilledUsage(
        model: try model(nil), usage: plain, reportedUSD: try reportedUSD(),
        costIsNegative: false, remarks: UsageRemarks.of(unread: try unreadBefore()), batch: nil)
    }
    let reading: UsageReading?
    switch source {
    case .flags, .event: reading = nil
    case .value(let value): reading = UsageReading(of: value, mayBePlain: !flags.isEmpty)
    case .response(let response): reading = response
    }
    let isPartial = try checkOutcome(of: reading)
    let usage = try withServiceTier(usage(reading, under: rules), reading)
    var unread = reading?.unread ?? []
    if reading?.isResponse == false { unread += try unreadBefore() }
    let reportedUSD = try reportedUSD() ?? reading?.reportedUSD
    return BilledUsage(
      model: try model(reading), usage: usage, reportedUSD: reportedUSD,
      costIsNegative: reportedUSD == nil && reading?.costIsNegative == true,
      remarks: UsageRemarks.of(isPartial: isPartial, unread: unread),
      batch: reading?.batch)
  }

  /// Adds the service tier that our own requests may have beside the usage. In a response the
  /// provider's rules read it.
  private func withServiceTier(
    _ usage: ReportedUsage, _ reading: UsageReading?
  ) throws(CreditError) -> ReportedUsage {
    guard reading?.isResponse != true, case .counts(.tokens(var tokens)) = usage,
      let value = try serviceTier()
    else { return usage }
    let tier = UsageCondition.kept(value.text)
    if tokens[.serviceTier] == nil { tokens[.serviceTier] = tier }
    guard tokens[.serviceTier] == tier else {
      throw Self.invalid("serviceTier in the request is not what its usage says")
    }
    return .counts(.tokens(tokens))
  }

  /// Returns the tier: text in a request, or in an object of Bedrock's response.
  private func serviceTier() throws(CreditError) -> Name? {
    guard let type = member("serviceTier")?.member("type") else {
      return try name("serviceTier", limit: UsageCondition.valueLimit)
    }
    guard let text = type.string else {
      throw Self.invalid("serviceTier.type must be text, not \(type.phrase)")
    }
    if let problem = Name.problem(with: text, limit: UsageCondition.valueLimit) {
      throw Self.invalid("serviceTier.type \(problem)")
    }
    return Name(trusted: text)
  }

  /// The usage of most requests: only our own two common counts, and no flags beside it.
  private var plainUsage: ReportedUsage? {
    guard case .value(let value) = source, flags.isEmpty,
      let usage = value.member("usage").flatMap(TokenUsage.init(plain:))
    else { return nil }
    return .counts(.tokens(usage))
  }

  /// Refuses a response that failed or is incomplete.
  /// - Returns: true if it is incomplete and charged nevertheless.
  private func checkOutcome(of reading: UsageReading?) throws(CreditError) -> Bool {
    guard let reading else { return false }
    switch reading.outcome {
    case .complete: return false
    case .refused(let error): throw error
    case .cut(let form):
      let name = form.map { " (\($0.name))" } ?? ""
      guard case .counts(let usage) = reading.usage else {
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

  /// Returns the request's `unread`: parts of a provider's usage that `credit-usage` did not read.
  /// Empty if it is absent.
  private func unreadBefore() throws(CreditError) -> [String] {
    guard let member = member("unread") else { return [] }
    let texts = member.elements.compactMap(\.string)
    guard member.kind == .array, texts.count == member.elements.count(where: { _ in true }),
      texts.count <= 64, texts.allSatisfy({ Name.problem(with: $0, limit: Name.idLimit) == nil })
    else { throw Self.invalid("unread must be a list of at most 64 names") }
    return texts
  }

  /// Returns the provider's cost in dollars from a request: decimal text, or a number whose digits
  /// are kept.
  private func reportedUSD() throws(CreditError) -> ExactDecimal? {
    guard let member = member("reportedUSD") else { return nil }
    guard let amount = member.exactDecimal else {
      throw CreditError(
        .invalidUsage,
        "reportedUSD must be a decimal number that is not negative, of at most 38 digits")
    }
    return amount
  }

  /// Returns the time of the work, which selects a price with a date. Nil if the request does not
  /// state it.
  package func timeOfUse(under policy: Policy) throws(CreditError) -> Timestamp? {
    if let time = try time("usedAt") { return time }
    return try readingTime(under: policy)
  }

  /// Returns the model. A request's model must match the flag; a provider's own yields to the flag.
  private func model(_ reading: UsageReading?) throws(CreditError) -> Name {
    if let reading, reading.isResponse || source.value == nil {
      if case .text(let flag) = flags["model"] { return try Self.name(flag, "model") }
      if let model = reading.responseModel { return try Self.name(model, "model") }
    }
    if let last = lastModel?.name, flags.isEmpty, isGiven(last) { return last }
    guard let model = try name("model") else {
      throw Self.invalid("the request names no model, and neither does --model")
    }
    lastModel?.name = model
    return model
  }

  /// Whether the request names this model.
  private func isGiven(_ model: Name) -> Bool {
    guard let member = member("model") else { return false }
    return model.text.withUTF8Bytes { member.utf8Equals($0) }
  }

  /// Returns the usage, with missing parts filled in by flags. Flags neither repair nor replace an
  /// unreadable usage: it is refused, even if it would cost the minimum.
  private func usage(_ reading: UsageReading?, under rules: PriceRules) throws(CreditError)
    -> ReportedUsage
  {
    let flagged = FlaggedUsage(flags)
    if flagged.isEmpty { return reading?.usage ?? Self.absentUsage }
    try flagged.checkConditions()
    switch source {
    case .flags, .event: return flagged.usage ?? Self.absentUsage
    case .response(let response):
      guard case .counts(let counts) = response.usage else { return response.usage }
      guard let filled = flagged.filled(counts) else { throw disagreement("usage") }
      return .counts(filled)
    case .value(let value):
      return try usage(of: value, reading, filledBy: flagged, under: rules)
    }
  }

  private func usage(
    of value: JSONValue, _ reading: UsageReading?, filledBy flagged: FlaggedUsage,
    under rules: PriceRules
  ) throws(CreditError) -> ReportedUsage {
    do throws(UsageProblem) {
      let reading = reading ?? UsageReading(of: value)
      if let usage = try flagged.usage(filling: value, reading) { return usage }
    } catch {
      throw rules.chargesMinimumForUnreadableUsage
        ? Self.invalid("the usage beside the flags can't be read: \(error.reason)")
        : CreditError(.invalidUsage, error.reason)
    }
    throw disagreement("usage")
  }

  private static let absentUsage = ReportedUsage.unreadable(
    raw: "", reason: "the request has no usage")
}
