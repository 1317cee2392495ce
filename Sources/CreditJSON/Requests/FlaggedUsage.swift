public import CreditModel

/// The counts and conditions that flags give.
public struct FlaggedUsage: Sendable {
  private var tokens = TokenUsage(inputTokens: 0, outputTokens: 0)
  /// The counts that are given, a bit for each.
  private var given: UInt64 = 0
  public var units: Int64?
  /// The values of conditions, by their place; empty if none is given.
  private var conditions: [String?] = []

  public init() {}

  public subscript(count: UsageCount) -> Int64? {
    get { given & 1 << count.rawValue == 0 ? nil : tokens[count] }
    set {
      given |= 1 << count.rawValue
      tokens[count] = newValue ?? 0
    }
  }

  /// The value of a condition's flag.
  public subscript(condition: UsageCondition) -> String? {
    get { conditions.isEmpty ? nil : conditions[Int(condition.rawValue)] }
    set {
      if conditions.isEmpty {
        conditions = [String?](repeating: nil, count: UsageCondition.allCases.count)
      }
      conditions[Int(condition.rawValue)] = newValue
    }
  }

  var hasTokens: Bool { given != 0 }

  public var hasCounts: Bool { units != nil || hasTokens }

  public var isEmpty: Bool { !hasCounts && conditions.isEmpty }

  /// The usage that the flags alone state: a count that isn't flagged is 0.
  /// - Returns: nil if they give no count.
  public var usage: ReportedUsage? {
    if !hasCounts { return nil }
    if let negative { return .unreadable(raw: text, reason: negative.reason) }
    if let units { return .counts(.units(units)) }
    var tokens = tokens
    for condition in UsageCondition.allCases { tokens[condition] = self[condition] }
    return .counts(.tokens(tokens))
  }

  /// Returns a request's usage, with missing parts filled in by the flags.
  /// - Parameter reading: the usage that the request alone states.
  /// - Returns: nil if they state different things.
  /// - Throws: if the request has a usage that can't be read, flags or no flags.
  public func usage(filling request: JSONValue, _ reading: UsageReading) throws(UsageProblem)
    -> ReportedUsage?
  {
    if reading.isResponse {
      switch reading.usage {
      case .counts(let usage):
        return agrees(with: usage) ? filled(usage).map(ReportedUsage.counts) : nil
      case .unreadable(_, let reason): throw UsageProblem(reason)
      }
    }
    switch UsageFinding(in: SearchedObject(request)) {
    case .none: return usage ?? .missing
    case .unknown(let found):
      // An empty object lacks everything.
      guard found.isObject, found.nodeCount == 1 else { throw UsageProblem(unknown: found) }
      return usage ?? .unknown(found)
    case .known(let shape, let found):
      let counts = try TokenCounts(of: found.value, shape, in: SearchedObject(request))
      guard let filled = counts.filled(by: self) else { return nil }
      if let negative { throw negative }
      return self.filled(try filled.usage, besides: found.value).map(ReportedUsage.counts)
    }
  }

  /// Returns a usage with the conditions of the flags.
  /// - Parameter given: the object of our own form that it was read from.
  /// - Returns: nil if it has another value for a condition.
  public func filled(_ usage: Usage, besides given: JSONValue? = nil) -> Usage? {
    guard case .tokens(var tokens) = usage else {
      return UsageCondition.allCases.allSatisfy { self[$0] == nil } ? usage : nil
    }
    for condition in UsageCondition.allCases {
      guard let value = self[condition] else { continue }
      if tokens[condition] == nil, given?.member(condition.member) == nil {
        tokens[condition] = value
      }
      guard tokens[condition] == UsageCondition.kept(value) else { return nil }
    }
    return .tokens(tokens)
  }

  private func agrees(with usage: Usage) -> Bool {
    switch usage {
    case .units(let count): !hasTokens && units ?? count == count
    case .tokens(let counts):
      units == nil && UsageCount.allCases.allSatisfy { self[$0] ?? counts[$0] == counts[$0] }
    }
  }

  private var negative: UsageProblem? {
    let count = UsageCount.allCases.first { tokens[$0] < 0 }
    let (flag, value) = count.map { ($0.row.flag, tokens[$0]) } ?? ("units", units ?? 0)
    return value < 0 ? UsageProblem("--\(flag) must be 0 or more, not \(value)") : nil
  }

  /// The usage that a request would have instead of the flags.
  private var text: String {
    var members = UsageCount.allCases.compactMap { count in
      self[count].map { "\"\(count.row.member)\":\($0)" }
    }
    if let units { members.append("\"units\":\(units)") }
    return "{" + members.joined(separator: ",") + "}"
  }
}

/// The subject of a price or a charge: a model and its usage.
public struct BilledUsage {
  public let model: Name
  public let usage: ReportedUsage
  public let reportedUSD: ExactDecimal?
  /// True if the provider reports a cost below 0.
  public let costIsNegative: Bool
  public let remarks: UsageRemarks?
  public var batch: BatchLine? { reading?.batch }
  private let reading: UsageReading?

  /// - Parameters:
  ///   - reading: the request or the response that it is of.
  ///   - usd: the cost in the request, which replaces the response's.
  ///   - isPartial: true if the response is incomplete and charged nevertheless.
  public init(
    _ usage: ReportedUsage, of model: Name, from reading: UsageReading?, costing usd: ExactDecimal?,
    isPartial: Bool = false, unread: [String]
  ) {
    self.model = model
    self.usage = usage
    reportedUSD = usd ?? reading?.reportedUSD
    costIsNegative = reportedUSD == nil && reading?.costIsNegative == true
    remarks = UsageRemarks.of(isPartial: isPartial, unread: unread)
    self.reading = reading
  }
}

extension UsageReading {
  /// Refuses a response that failed or is incomplete.
  /// - Returns: true if it is incomplete and charged nevertheless.
  public func checkOutcome(acceptsPartial: Bool) throws(CreditError) -> Bool {
    switch outcome {
    case .complete: return false
    case .refused(let error): throw error
    case .cut(let form):
      let name = form.map { " (\($0.name))" } ?? ""
      switch usage {
      case .counts where acceptsPartial: return true
      case .counts(let usage):
        throw CreditError(.cutResponse, "the response\(name) is incomplete", [.partial(usage)])
      case .unreadable(_, let reason):
        throw CreditError(.cutResponse, "the response\(name) is incomplete, and \(reason)")
      }
    }
  }
}

extension Name {
  /// Checks a text from outside.
  /// - Parameter member: the name of it in the message.
  /// - Throws: `invalid_request`.
  public init(checked text: String, as member: StaticString, limit: Int = Name.idLimit)
    throws(CreditError)
  {
    if let problem = Name.problem(with: text, limit: limit) {
      let question = text.isEmpty ? ": is a variable not set?" : ""
      throw CreditError(.invalidRequest, "\(member) \(problem)\(question)")
    }
    self.init(trusted: text)
  }
}

extension JSONShape {
  public static var chargeRequest: JSONShape {
    .object([
      .text("account"), .text("key"), .text("model"), JSONMember("usage", .any),
      .decimal("reportedUSD").optional, .list("unread", of: .value(.text)).optional,
      .truth("partial").optional, .time("usedAt").optional,
      JSONMember("tags", TagMap.shape).optional,
    ])
  }
}
