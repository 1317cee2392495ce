package import CreditModel

/// What the command line says about every request: flags that are members of a request.
package struct FlagMembers: Sendable {
  /// A flag's value, as its kind of member.
  package enum Value: Hashable, Sendable {
    case text(String)
    case integer(Int64)
    case bool(Bool)
    case time(Timestamp)
    case span(TimeSpan)
    case authorization(AuthorizationReference)
  }

  private var members: [(key: String, value: Value)] = []

  package init() {}

  package mutating func set(_ key: String, _ value: Value) {
    members.append((key, value))
  }

  package var isEmpty: Bool { members.isEmpty }

  package func has(_ key: StaticString) -> Bool { self[key] != nil }

  subscript(_ key: StaticString) -> Value? {
    if members.isEmpty { return nil }
    let key = key.description
    return members.first { $0.key == key }?.value
  }
}
