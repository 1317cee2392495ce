import CreditModel

// The members of a top-up that make it a grant.
extension RequestReader {
  /// The terms that make a top-up a grant.
  func terms() throws(CreditError) -> StatedTerms {
    StatedTerms(
      priority: try integer("priority", in: Grant.priorities),
      start: try moment("startsAt", "startsIn"), expiry: try moment("expiresAt", "expiresIn"),
      models: try models())
  }

  private func moment(_ time: StaticString, _ span: StaticString) throws(CreditError)
    -> StatedTerms.Moment?
  {
    switch (try self.time(time), try self.span(span)) {
    case (let instant?, nil): return .at(instant)
    case (nil, let span?): return .after(span)
    case (nil, nil): return nil
    case (_?, _?): throw Self.invalid("a top-up takes \(time) or \(span), not both")
    }
  }

  /// Ids of models, or beginnings of ids: a list in a request, parted by commas in a flag.
  private func models() throws(CreditError) -> ModelPatterns? {
    var flag: ModelPatterns?
    if case .text(let text) = flags["models"] {
      let texts = text.split(separator: ",", omittingEmptySubsequences: false)
      flag = try Self.models(texts.map(String.init))
    }
    guard let member = member("models") else { return flag }
    var texts: [String] = []
    for element in member.elements {
      guard let text = element.string else { throw Self.invalid("models must be a list of texts") }
      texts.append(text)
    }
    if member.kind != .array { throw Self.invalid("models must be a list of texts") }
    let given = try Self.models(texts)
    if let flag, flag != given { throw disagreement("models") }
    return given
  }

  private static func models(_ texts: [String]) throws(CreditError) -> ModelPatterns {
    do throws(ModelPatterns.Problem) {
      return try ModelPatterns(texts)
    } catch {
      throw invalid("models \(error.text)")
    }
  }
}
