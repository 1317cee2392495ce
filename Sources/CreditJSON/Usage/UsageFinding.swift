import CreditModel

/// The usage of a request, a response, or a chunk of one.
enum UsageFinding {
  /// One that a shape fits.
  case known(UsageShape, JSONValue)
  /// One that none fits.
  case unknown(JSONValue)
  case none

  /// Looks where the table says.
  init(in object: JSONValue) {
    var unknown: JSONValue?
    for member in UsageShape.usageMembers {
      guard let usage = member.value(in: object) else { continue }
      if let shape = UsageShape.shape(of: usage) {
        self = .known(shape, usage)
        return
      }
      if unknown == nil || unknown?.isNull == true { unknown = usage }
    }
    if let unknown {
      self = .unknown(unknown)
      return
    }
    for holder in UsageShape.usageHolders {
      guard let usage = holder.value(in: object) else { continue }
      if let shape = UsageShape.shape(of: usage) {
        self = .known(shape, usage)
        return
      }
    }
    self = .none
  }
}

extension UsageProblem {
  /// Why a usage fits no shape.
  init(unknown usage: JSONValue) {
    switch usage.kind {
    case .null: self.init("the usage is null")
    case .object: self.init(unknownObject: usage)
    default: self.init("the usage is no object of counts")
    }
  }

  private init(unknownObject usage: JSONValue) {
    for shape in UsageShape.all {
      if let (count, other) = shape.contradiction(in: usage) {
        self.init("\(count.text) and \(other.text) are not counts of one usage")
        return
      }
    }
    var counts: [String] = []
    for shape in UsageShape.all {
      guard let count = shape.anyOf.first?.text.description, !counts.contains(count) else {
        continue
      }
      counts.append(count)
    }
    self.init(
      "the usage has none of the counts that were looked for: " + counts.joined(separator: ", "))
  }
}

extension ReportedUsage {
  /// A usage that a shape fits, and the counts that turned out wrong.
  static func unreadable(_ usage: JSONValue, _ problem: UsageProblem) -> ReportedUsage {
    .unreadable(raw: CompactText.of(usage), reason: problem.reason)
  }

  /// A usage that fits no shape.
  static func unknown(_ usage: JSONValue) -> ReportedUsage {
    .unreadable(usage, UsageProblem(unknown: usage))
  }

  /// No usage, or none that says anything, and what the provider says of that if it does.
  static func missing(raw: String = "", error: String?) -> ReportedUsage {
    let reason = error.map { "the response is an error without usage: \(quoted($0))" }
    return .unreadable(raw: raw, reason: reason ?? "there is no usage")
  }

  /// The same with the reason that an error gives.
  func explained(by error: String) -> ReportedUsage {
    guard case .unreadable(let raw, _) = self else { return self }
    return .missing(raw: raw, error: error)
  }
}

extension JSONValue {
  /// The model that a response names; nil where there is none, or an empty one.
  var providerModel: String? {
    for path in UsageShape.models {
      if let model = path.value(in: self)?.string, !model.isEmpty { return model }
    }
    return nil
  }

  /// What a response that is an error says.
  var providerError: String? {
    for path in ["error", "response.error"] as [MemberPath] {
      guard let error = path.value(in: self), !error.isNull else { continue }
      return error.string ?? error.member("message")?.string ?? error.member("code")?.string
    }
    return nil
  }
}
