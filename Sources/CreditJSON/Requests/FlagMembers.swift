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
    case limits([LimitChange])
  }

  /// A class, as arrays of classes share one type: the runtime need not make one for these.
  private final class Member: Sendable {
    let key: StaticString
    let value: Value

    init(key: StaticString, value: Value) {
      self.key = key
      self.value = value
    }
  }

  private var members: [Member] = []
  /// Whether a count or condition of a usage is among them.
  private(set) var hasUsage = false
  /// Whether one of those counts is below 0.
  private(set) var hasNegativeCount = false

  package init() {}

  package mutating func set(_ key: StaticString, _ value: Value) {
    members.append(Member(key: key, value: value))
    guard FlaggedUsage.isKey(key) else { return }
    hasUsage = true
    if case .integer(let count) = value, count < 0 { hasNegativeCount = true }
  }

  package var isEmpty: Bool { members.isEmpty }

  package func has(_ key: StaticString) -> Bool { self[key] != nil }

  subscript(_ key: StaticString) -> Value? {
    // Requests on standard input mostly come without flags.
    members.isEmpty ? nil : members.first { $0.key.equals(key) }?.value
  }
}

extension StaticString {
  /// Returns true if both texts are the same, without making a string of either.
  func equals(_ other: StaticString) -> Bool {
    UnsafeRawBufferPointer(self).hasSameBytes(as: UnsafeRawBufferPointer(other))
  }
}
