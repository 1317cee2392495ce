package import CreditModel

/// What a request or a provider's response says of usage and model.
package struct UsageReading {
  /// Whether it is a provider's response rather than a request of our own form.
  package let isResponse: Bool
  /// What was used, or why that cannot be read.
  package let usage: ReportedUsage
  /// The model that a response names itself.
  package let responseModel: String?
  /// What a response says that it cost, in dollars.
  package var reportedUSD: ExactDecimal?

  init(isResponse: Bool, usage: ReportedUsage, responseModel: String?) {
    self.isResponse = isResponse
    self.usage = usage
    self.responseModel = responseModel
  }

  /// Reads an object: a request with a usage of our own form, or a provider's response.
  package init(of value: JSONValue) {
    if let usage = value.member("usage").flatMap(TokenUsage.init(plain:)) {
      isResponse = false
      self.usage = .counts(.tokens(usage))
      responseModel = nil
      return
    }
    switch UsageFinding(in: value) {
    case .known(let shape, let usage):
      isResponse = !shape.isOwnForm
      self.usage = Self.reported(usage, shape)
    case .unknown(let usage):
      isResponse = Self.looksLikeResponse(value)
      let unknown = ReportedUsage.unknown(usage)
      self.usage = value.providerError.map(unknown.explained(by:)) ?? unknown
    case .none:
      isResponse = false
      usage = .missing(error: value.providerError)
    }
    responseModel = isResponse ? value.providerModel : nil
  }

  private static func reported(_ usage: JSONValue, _ shape: UsageShape) -> ReportedUsage {
    do throws(UsageProblem) {
      return .counts(try TokenCounts(of: usage, shape).usage)
    } catch {
      return .unreadable(usage, error)
    }
  }

  /// Whether an object whose usage says nothing has members that responses have and requests have not.
  private static func looksLikeResponse(_ value: JSONValue) -> Bool {
    let telling: [MemberPath] = ["object", "choices", "candidates", "response", "usageMetadata"]
    return telling.contains { $0.isPresent(in: value) }
  }
}

extension TokenUsage {
  /// Reads the two counts of our own form where there is nothing else, which is the usage of most
  /// requests; nil for any other, which may be a usage all the same.
  fileprivate init?(plain usage: JSONValue) {
    guard usage.nodeCount == 5, let input = usage.member("inputTokens")?.int64, input >= 0,
      let output = usage.member("outputTokens")?.int64, output >= 0
    else { return nil }
    self.init(inputTokens: input, outputTokens: output)
  }
}
