internal import CreditJSON
internal import CreditModel

/// One of an account's own limits, as requests and flags set it.
enum LimitText {
  private static let words: [String: LimitChange.Value] = ["none": .lifted, "plan": .plan]

  static var shapes: [JSONShape] {
    let alerts = JSONMember("alerts", .list(.value(.range(SpendLimit.percents))))
    return [
      .value(.range(0...Credits.largestGrant)), .value(.words(["none", "plan"])),
      .value(.decimal),
      .object([JSONMember("credits", .value(.range(0...Credits.largestGrant))), alerts.optional]),
      .object([JSONMember("usd", .value(.wholeOrDecimal)), alerts.optional]),
    ]
  }

  /// Reads `ID=N`, `ID=N@80,100`, `ID=none` or `ID=plan`; dollars may have a fraction.
  /// - Returns: nil if it has none of these forms.
  static func change(_ text: String) -> LimitChange? {
    let (id, setting) = text.tagParts
    guard let setting, SpendLimit.problem(withID: id) == nil else { return nil }
    var parts = setting.split(separator: "@", omittingEmptySubsequences: false).map(String.init)
    let value = parts.removeFirst()
    if parts.count > 1 { return nil }
    guard let last = parts.first else {
      let number = number(value).map { LimitChange.Value.number($0, isDollars: nil) }
      return (words[value] ?? number).map { LimitChange(id: Name(trusted: id), $0) }
    }
    let percents = last.split(separator: ",", omittingEmptySubsequences: false).map {
      Int64($0)
    }
    guard let number = number(value), let alerts = alerts(percents) else { return nil }
    return LimitChange(id: Name(trusted: id), .number(number, isDollars: nil), alerts: alerts)
  }

  /// Reads the value of a request: `1000`, `"2.50"`, `"none"`, `"plan"`, or an object with the
  /// number and its alerts.
  /// - Throws: `invalid_request`.
  static func change(_ id: Name, _ value: JSONValue) throws(CreditError) -> LimitChange {
    if let text = value.string, let word = words[text] { return LimitChange(id: id, word) }
    if value.isObject { return try change(id, object: value) }
    if let number = number(value) {
      return LimitChange(id: id, .number(number, isDollars: value.kind == .string ? true : nil))
    }
    throw .invalidRequest(
      "limit \(quoted(id.text)) must be a whole number from 0 to \(Credits.largestGrant), "
        + "dollars as text, \"none\", \"plan\" or an object such as "
        + "{\"credits\":60000,\"alerts\":[80,100]}")
  }

  private static func change(_ id: Name, object: JSONValue) throws(CreditError) -> LimitChange {
    var change = LimitChange(id: id, .plan)
    for (name, value) in object.members {
      let name = name.string ?? ""
      switch name {
      case "credits", "usd":
        guard let number = number(value), change.value == .plan else {
          throw .invalidRequest(
            "limit \(quoted(id.text)) must have one number: \"credits\", or \"usd\" in dollars")
        }
        change.value = .number(number, isDollars: name == "usd")
      case "alerts":
        guard value.kind == .array, let alerts = alerts(value.elements.map(\.int64)) else {
          throw .invalidRequest(
            "alerts of limit \(quoted(id.text)) must be rising percentages from 1 to 1000")
        }
        change.alerts = alerts
      default:
        throw .invalidRequest(
          "limit \(quoted(id.text)) has no member \(quoted(name)), "
            + "but \"credits\", \"usd\" and \"alerts\"")
      }
    }
    if change.value != .plan { return change }
    throw .invalidRequest(
      "limit \(quoted(id.text)) has no number: \"credits\", or \"usd\" in dollars")
  }

  /// Returns percentages that rise; nil for others.
  private static func alerts(_ percents: [Int64?]) -> [Int64]? {
    var alerts: [Int64] = []
    for percent in percents {
      guard let percent, SpendLimit.percents.contains(percent), percent > alerts.last ?? 0 else {
        return nil
      }
      alerts.append(percent)
    }
    return alerts.isEmpty ? nil : alerts
  }

  private static func number(_ value: JSONValue) -> ExactDecimal? {
    if let text = value.string { return number(text) }
    return value.kind == .number ? value.exactDecimal : nil
  }

  /// Reads a number without a sign, an exponent or zeros before it.
  private static func number(_ text: String) -> ExactDecimal? {
    let digits = text.utf8
    let isPlain = digits.allSatisfy { (0x30...0x39).contains($0) || $0 == UInt8(ascii: ".") }
    let isPadded = digits.starts(with: "0".utf8) && digits.count > 1 && !text.hasPrefix("0.")
    return isPlain && !isPadded ? ExactDecimal(text: text) : nil
  }
}

extension AccountView {
  /// Says that the use of a limit that was set has reached all its alerts before; nil otherwise.
  func remark(on change: LimitChange) -> String? {
    guard case .number = change.value, let view = limits.first(where: { $0.limit.id == change.id }),
      view.isPastAlerts, let amount = view.amount
    else { return nil }
    let unit = view.limit.unit
    return "limit \(quoted(change.id.text)) has no alert to come: \(unit.text(view.used)) of "
      + "\(unit.text(amount)) are used already"
  }
}

extension LimitSetting {
  func remark(onEndBy new: LimitSetting?) -> String {
    guard let new, let end = new.until?.text else {
      let then = then?.words ?? "as the plan says"
      return "limit \(quoted(id.text)) was \(words) until \(until?.text ?? ""), then \(then): "
        + "both end now"
    }
    guard let alerts, new.then != nil || until != nil else {
      return "limit \(quoted(id.text)) was \(words): at \(end) the plan's number applies, "
        + "not \(words) again"
    }
    let numbers = alerts.map(\.description).joined(separator: ",")
    return "the account's alerts of limit \(quoted(id.text)) pause until \(end); to keep them: "
      + "--limit \(shellWord(id.text))=\(new.words)@\(numbers) --limit-until \(end)"
  }
}
