internal import CreditJSON
internal import CreditModel

extension ToolName {
  /// The requests that the tool reads on standard input; nil if it reads none. Each flag that is a
  /// member of a request is one here, too.
  var requestShape: JSONShape? {
    guard let others = unflaggedMembers else { return nil }
    let flags = tool.allFlags.filter { $0.member != nil }
    let usage = flags.filter { $0.group == .usage }.map(\.requestMember)
    var members = flags.filter { $0.group != .usage }.map(\.requestMember)
    if !usage.isEmpty {
      // A provider's own is any object; it is anywhere in its response.
      let shape = JSONShape.anyOf([.object(usage), .open([])])
      members.append(JSONMember("usage", shape, isRequired: false, summary: "What the model used"))
    }
    return .open(members + others)
  }

  /// The names of its requests' members; empty for a tool without requests.
  var requestNames: [String] {
    guard let others = unflaggedMembers else { return [] }
    let flags = tool.allFlags
    var names = flags.filter { $0.group != .usage }.compactMap { $0.member?.description }
    if flags.contains(where: { $0.group == .usage }) { names.append("usage") }
    return names + others.map(\.name)
  }

  /// The members of requests that no flag fills in; nil for a tool without requests.
  private var unflaggedMembers: [JSONMember]? {
    switch self {
    case .price, .charge: RequestShape.ofUsage + [RequestShape.now]
    case .topup: RequestShape.ofStoreKit + [RequestShape.now]
    case .authorize, .balance, .account, .history, .refund, .transfer: [RequestShape.now]
    case .run, .store, .doctor, .usage, .report, .reconcile: nil
    }
  }
}

extension Flag {
  /// The member of a request that the flag fills in.
  fileprivate var requestMember: JSONMember {
    JSONMember(
      "\(member ?? "")", self.memberShape, isRequired: false, summary: summary)
  }

  private var memberShape: JSONShape {
    switch kind {
    case .alone, .truth: .value(.truth)
    case .text(.tag): .map(.value(.text))
    case .text(.limit):
      .map(.anyOf([.value(.range(0...Credits.largestGrant)), .value(.words(["none", "plan"]))]))
    case .text(.list): .list(.value(.text))
    case .text(.choice(let words)): .value(.words(words))
    case .text: .value(placeholder == "DECIMAL" ? .numberOrDecimal : .text)
    case .number: .value(.integer)
    case .span: .value(.span)
    case .time: .value(.timeOrDay)
    case .authorization: .anyOf([.value(.text), .open([])])
    }
  }
}
