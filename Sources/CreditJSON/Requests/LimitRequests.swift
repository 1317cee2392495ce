package import CreditModel

/// One of an account's own limits, as requests and flags set it.
package enum LimitText {
  /// Reads `ID=N`, `ID=none` or `ID=plan`.
  /// - Returns: nil if it has none of these forms.
  package static func change(_ text: String) -> LimitChange? {
    guard let mark = text.utf8.firstIndex(of: UInt8(ascii: "=")) else { return nil }
    let value = String(text[text.utf8.index(after: mark)...])
    return change(String(text[..<mark]), value)
  }

  static func change(_ id: String, _ value: String) -> LimitChange? {
    guard SpendLimit.problem(withID: id) == nil else { return nil }
    let id = Name(trusted: id)
    switch value {
    case "none": return LimitChange(id: id, credits: .some(nil))
    case "plan": return LimitChange(id: id, credits: nil)
    default:
      let isNumber = !value.isEmpty && value.utf8.allSatisfy { (0x30...0x39).contains($0) }
      let isPadded = value.utf8.count > 1 && value.utf8.first == UInt8(ascii: "0")
      guard isNumber, !isPadded, let credits = Credits(value), credits <= .largestGrant else {
        return nil
      }
      return LimitChange(id: id, credits: credits)
    }
  }
}

extension RequestReader {
  /// The limits that the request and the flags set, each once.
  /// - Throws: `invalid_request`.
  func limits() throws(CreditError) -> [LimitChange] {
    var changes: [LimitChange] = []
    if let given = member("limits") {
      guard given.isObject else {
        throw Self.invalid("limits must be an object such as {\"day\":1000,\"week\":\"none\"}")
      }
      for (name, value) in given.members {
        let id = name.string ?? ""
        if let problem = SpendLimit.problem(withID: id) {
          throw Self.invalid("limit \(quoted(id)) \(problem)")
        }
        let isWord = value.string.map { $0 == "none" || $0 == "plan" } ?? false
        let text = isWord ? value.string : value.int64.map { "\($0)" }
        guard let change = text.flatMap({ LimitText.change(id, $0) }) else {
          throw Self.invalid(
            "limit \(quoted(id)) must be a whole number from 0 to \(Credits.largestGrant), "
              + "\"none\" or \"plan\"")
        }
        changes.append(change)
      }
    }
    guard case .limits(let flagged) = flags["limits"] else { return changes }
    for change in flagged {
      guard let known = changes.first(where: { $0.id == change.id }) else {
        changes.append(change)
        continue
      }
      if known != change { throw disagreement("limits") }
    }
    return changes
  }
}
