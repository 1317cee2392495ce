internal import CreditJSON
internal import CreditModel

extension RequestReader {
  /// Reads model and usage from a request of our own, from a provider's response, or from flags.
  func billedUsage() throws(CreditError) -> BilledUsage? {
    guard let context else {
      list?.hasUsage = true
      _ = (try name("model", .model), try serviceTier(), try reportedUSD(), try unreadBefore())
      return nil
    }
    // The usage of most requests: only our own two common counts, and no flags beside it.
    if isAlone, let plain = own("usage").flatMap(TokenUsage.init(plain:)),
      own("serviceTier") == nil
    {
      return BilledUsage(
        .counts(.tokens(plain)), of: try model(nil, context), from: nil,
        costing: try reportedUSD(), unread: try unreadBefore())
    }
    let reading: UsageReading?
    switch source {
    case .flags, .event: reading = nil
    case .value(let value):
      // Counts of the flags, and --flat, are the operator's word.
      reading = UsageReading.of(
        value, mayBePlain: !isAlone,
        isJudged: !context.flags.usage.hasCounts && !context.flags.arguments[.flat],
        countsShown: { answered in
          if let named = own("model") { return context.pricesImagesAlone(named) }
          let named = context.flags.arguments[.model] ?? answered
          return context.pricesImagesAlone(Name(trusted: named ?? ""))
        })
    case .response(let response): reading = response
    }
    let isPartial: Bool
    do throws(CreditError) {
      isPartial = try reading?.checkOutcome(acceptsPartial: context.acceptsPartial) ?? false
    } catch {
      guard error.code == .cutResponse else { throw error }
      var cut = error
      if case .counts = reading?.usage,
        context.flags.arguments.tool.flags.contains(where: { $0 === Flag.partial })
      {
        cut = CreditError(
          .cutResponse, error.message + "; --partial charges what it reports so far", error.details)
      }
      guard case .value = source, let reading, reading.isPiece, reading.batch == nil
      else { throw cut }
      throw cut.with(hint: "; the chunks of one response are read with --response")
    }
    var usage = try withServiceTier(usage(reading, context), reading)
    var unread = reading?.unread ?? []
    if reading?.isResponse == false { unread += try unreadBefore() }
    let reportedUSD = try reportedUSD()
    let model = try model(reading, context)
    if let reading, reading.productCount > 0, context.pricesImagesAlone(model) {
      usage = usage.showing(images: reading.productCount)
    }
    return BilledUsage(
      usage, of: model, from: reading, costing: reportedUSD,
      isPartial: isPartial, unread: unread)
  }

  /// Adds the service tier that our own requests may have beside the usage. In a response the
  /// provider's rules read it.
  private func withServiceTier(
    _ usage: ReportedUsage, _ reading: UsageReading?
  ) throws(CreditError) -> ReportedUsage {
    guard reading?.isResponse != true, let value = try serviceTier() else { return usage }
    let tier = UsageCondition.kept(value.text)
    guard case .counts(.tokens(var tokens)) = usage else {
      guard tier != nil, case .counts = usage else { return usage }
      throw CreditError(.invalidUsage, "units cost the same in each serviceTier: leave it out")
    }
    if tokens[.serviceTier] == nil { tokens[.serviceTier] = tier }
    guard tokens[.serviceTier] == tier else {
      throw .invalidRequest("serviceTier in the request differs from its usage")
    }
    return .counts(.tokens(tokens))
  }

  /// Returns the tier: text in a request, or in an object of Bedrock's response.
  private func serviceTier() throws(CreditError) -> Name? {
    let member = given("serviceTier", .any, "The service tier, if the usage does not have it")
    let type = member?.member("type")
    guard let text = type ?? member else { return nil }
    let name: StaticString = type == nil ? "serviceTier" : "serviceTier.type"
    let tier = try text.text(of: "\(name)")
    if type == nil, let flag = context?.flags.usage[.serviceTier], !flag.hasSameBytes(as: tier) {
      throw Self.disagreement(name, tier, flag)
    }
    return try Name(checked: tier, as: name, limit: UsageCondition.valueLimit)
  }

  /// Returns the request's `unread`: parts of a provider's usage that `credit-usage` did not read.
  /// Empty if it is absent.
  private func unreadBefore() throws(CreditError) -> [String] {
    let member = given("unread", .list(.value(.text)), "Members of the usage that were not read")
    guard let member else { return [] }
    let texts = member.elements.compactMap(\.string)
    guard member.kind == .array, texts.count == member.elements.count(where: { _ in true }),
      texts.count <= 64, texts.allSatisfy({ Name.problem(with: $0, limit: Name.idLimit) == nil })
    else { throw .invalidRequest("unread must be a list of at most 64 names") }
    return texts
  }

  /// Returns the provider's cost in dollars from a request: decimal text, or a number whose digits
  /// are kept.
  private func reportedUSD() throws(CreditError) -> ExactDecimal? {
    let member = given(
      "reportedUSD", .value(.numberOrDecimal), "What the provider says that it cost, in dollars")
    guard let member else { return nil }
    guard let amount = member.exactDecimal else {
      throw CreditError(
        .invalidUsage,
        "reportedUSD must be a decimal number that is not negative, of at most 38 digits")
    }
    return amount
  }

  /// Returns the model. A request's model must match the flag; a provider's own yields to the flag.
  private func model(_ reading: UsageReading?, _ context: RequestContext) throws(CreditError)
    -> Name
  {
    let flags = context.flags
    if let reading, reading.isResponse || source.value == nil {
      if let flag = flags.arguments[.model] { return try Name(checked: flag, as: "model") }
      if let model = reading.responseModel {
        if let last = context.lastModel, last.text.hasSameBytes(as: model) { return last }
        let name = try Name(checked: model, as: "model")
        context.lastModel = name
        return name
      }
    }
    if isAlone, let last = context.lastModel, let given = own("model"),
      last.text.withUTF8Bytes({ given.utf8Equals($0) })
    {
      return last
    }
    guard let model = try name("model", .model) else {
      throw .invalidRequest(
        own("authorization")?.isObject == true && own("usage") == nil
          ? "it is only credit-authorize's result; credit-authorize --pass prints its request, too"
          : "no model is named: give --model MODEL, or the request's member model")
    }
    context.lastModel = model
    return model
  }

  /// Returns the usage, with missing parts filled in by flags. Flags neither repair nor replace an
  /// unreadable usage: it is refused, even if it would cost the minimum.
  private func usage(_ reading: UsageReading?, _ context: RequestContext) throws(CreditError)
    -> ReportedUsage
  {
    let flagged = context.flags.usage
    if flagged.isEmpty { return reading?.usage ?? .missing }
    for condition in UsageCondition.allCases {
      guard let value = flagged[condition] else { continue }
      _ = try Name(checked: value, as: condition.member, limit: UsageCondition.valueLimit)
    }
    let usage: ReportedUsage?
    switch source {
    case .flags, .event: return flagged.usage ?? .missing
    case .response(let response):
      guard case .counts(let counts) = response.usage else { return response.usage }
      usage = flagged.filled(counts).map(ReportedUsage.counts)
    case .value(let value):
      do throws(UsageProblem) {
        usage = try flagged.usage(filling: value, reading ?? UsageReading.of(value))
      } catch {
        throw context.chargesMinimum
          ? .invalidRequest("the usage beside the flags can't be read: \(error.reason)")
          : CreditError(.invalidUsage, error.reason)
      }
    }
    guard let usage else { throw Self.disagreement("usage") }
    return usage
  }
}

extension RequestContext {
  func pricesImagesAlone(_ model: Name) -> Bool {
    (try? prices.model(model, at: now ?? clock()))?.pricing.callsAlone == .images
  }

  /// The same for the model that a request names.
  func pricesImagesAlone(_ member: JSONValue) -> Bool {
    if let judged, judged.model.text.withUTF8Bytes({ member.utf8Equals($0) }) {
      return judged.pricesImages
    }
    let model = Name(trusted: member.string ?? "")
    let pricesImages = pricesImagesAlone(model)
    judged = (model, pricesImages)
    return pricesImages
  }
}
