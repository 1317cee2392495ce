package import CreditModel

/// What a request or a provider's response says of usage and model.
package struct UsageReading {
  /// What became of a response.
  enum Outcome {
    case complete
    /// It ends before all is said that is billed; the form that says so, if one does.
    case cut(ResponseForm?)
    /// It is not billed, for this reason.
    case refused(CreditError)
  }

  /// Whether it is a provider's response rather than a request of our own form.
  package let isResponse: Bool
  /// What was used, or why that cannot be read.
  package internal(set) var usage: ReportedUsage
  /// The model that a response names itself.
  package let responseModel: String?
  /// What a response says that it cost, in dollars.
  package internal(set) var reportedUSD: ExactDecimal?
  var outcome = Outcome.complete
  /// The line of a batch's results that the response stands on.
  package internal(set) var batch: BatchLine?
  /// The paths of numbers above 0 in a provider's usage that may be billed and are none of our
  /// counts.
  package internal(set) var unread: [String] = []

  /// Whether it is not billed, whatever it says was used.
  package var hasFailed: Bool { if case .refused = outcome { true } else { false } }

  /// Whether all is said that is billed.
  package var isComplete: Bool { if case .complete = outcome { true } else { false } }

  init(isResponse: Bool, usage: ReportedUsage, responseModel: String?) {
    self.isResponse = isResponse
    self.usage = usage
    self.responseModel = responseModel
  }

  /// Where in a provider's usage numbers stand that may be billed and are none of our counts.
  package static func unread(in usage: JSONValue) -> [String] {
    guard let shape = UsageShape.shape(of: usage) else { return [] }
    return (try? TokenCounts(of: usage, shape))?.unread ?? []
  }

  /// Reads an object: a request with a usage of our own form, or a provider's response.
  package init(of value: JSONValue) {
    if let usage = value.member("usage").flatMap(TokenUsage.init(plain:)) {
      self.init(isResponse: false, usage: .counts(.tokens(usage)), responseModel: nil)
      return
    }
    guard let line = BatchLine(value) else {
      self.init(ofResponse: value)
      return
    }
    self.init(ofResponse: line.body(in: value) ?? value)
    batch = line
    usage = usage.served(as: "batch")
    if let failure = line.failure { outcome = .refused(failure.error) }
  }

  private init(ofResponse value: JSONValue) {
    let hasUsage: Bool
    switch UsageFinding(in: value) {
    case .known(let shape, let usage):
      hasUsage = true
      self.init(of: usage, shape, in: value)
      // Our own form has no outcome: what else stands there is not a provider's.
      if shape.isOwnForm { return }
      reportedUSD = value.providerCost
    case .unknown(let usage):
      hasUsage = false
      let isResponse = Self.looksLikeResponse(value)
      self.init(
        isResponse: isResponse, usage: .unknown(usage),
        responseModel: isResponse ? value.providerModel : nil)
    case .none:
      hasUsage = false
      self.init(isResponse: false, usage: .missing, responseModel: nil)
    }
    if let failure = ResponseFailure(in: value, hasUsage: hasUsage, isResponse: isResponse) {
      outcome = .refused(failure.error)
    } else if isResponse {
      var course = ResponseCourse()
      course.add(value, usage: hasUsage ? usage : nil)
      if !course.isComplete(isStream: false) { outcome = .cut(course.form) }
    }
  }

  /// Reads a usage that a shape fits.
  private init(of usage: JSONValue, _ shape: UsageShape, in value: JSONValue) {
    let model = shape.isOwnForm ? nil : value.providerModel
    do throws(UsageProblem) {
      let counts = try TokenCounts(of: usage, shape, in: value)
      self.init(
        isResponse: !shape.isOwnForm, usage: .counts(try counts.usage), responseModel: model)
      unread = counts.unread
    } catch {
      self.init(
        isResponse: !shape.isOwnForm, usage: .unreadable(usage, error), responseModel: model)
    }
  }

  /// Whether an object whose usage says nothing has members that responses have and requests have
  /// not.
  private static func looksLikeResponse(_ value: JSONValue) -> Bool {
    let telling: [MemberPath] = ["object", "choices", "candidates", "response", "usageMetadata"]
    return telling.contains { $0.isPresent(in: value) }
  }
}

extension TokenUsage {
  /// Reads the two counts of our own form where there is nothing else, which is the usage of most
  /// requests; nil for any other, which may be a usage all the same.
  init?(plain usage: JSONValue) {
    guard usage.nodeCount == 5, let input = usage.member("inputTokens")?.int64, input >= 0,
      let output = usage.member("outputTokens")?.int64, output >= 0
    else { return nil }
    self.init(inputTokens: input, outputTokens: output)
  }
}
