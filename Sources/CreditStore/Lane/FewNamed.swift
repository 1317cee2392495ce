internal import CreditModel

/// What is known of the few names that a long input repeats, models or products, looked up once
/// each.
struct FewNamed<Value> {
  private var entries: ContiguousArray<(name: Name, value: Value)> = []

  /// More names than most inputs have; beyond it others are forgotten.
  private static var limit: Int { 16 }

  mutating func removeAll() { entries.removeAll() }

  /// What is known of a name that is given as its bytes.
  /// - Parameter find: looks it up.
  mutating func value(of name: UnsafeRawBufferPointer, _ find: (Name) -> Value) -> (Name, Value) {
    if let entry = entries.first(where: { $0.name.text.hasSameBytes(as: name) }) { return entry }
    let name = Name(trusted: String(decoding: name, as: UTF8.self))
    let value = find(name)
    if entries.count >= Self.limit { entries.removeLast() }
    entries.insert((name, value), at: 0)
    return (name, value)
  }
}
