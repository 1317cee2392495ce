package import CreditModel

/// What the command line says about every request: flags that are members of a request.
package struct FlagMembers: Sendable {
  /// A flag's value, as its kind of member.
  package enum Value: Hashable, Sendable {
    case text(String)
    case integer(Int64)
    case bool(Bool)
    case time(AskedTime)
    case span(TimeSpan)
    case authorization(AuthorizationReference)
    case tags(Tags)
  }

  /// A class, as arrays of classes share one type: the runtime need not make one for these.
  private final class Member: Sendable {
    let key: String
    let value: Value

    init(key: String, value: Value) {
      self.key = key
      self.value = value
    }
  }

  private var members: [Member] = []
  /// Whether a count or condition of a usage is among them.
  private(set) var hasUsage = false

  package init() {}

  package mutating func set(_ key: String, _ value: Value) {
    members.append(Member(key: key, value: value))
    if FlaggedUsage.isKey(key) { hasUsage = true }
  }

  package var isEmpty: Bool { members.isEmpty }

  package func has(_ key: StaticString) -> Bool { self[key] != nil }

  subscript(_ key: StaticString) -> Value? { members.isEmpty ? nil : self[key.description] }

  subscript(_ key: String) -> Value? { members.first { $0.key == key }?.value }
}
