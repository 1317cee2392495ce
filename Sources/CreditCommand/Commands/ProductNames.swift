internal import CreditModel

/// The names of a policy's products, each looked up once.
struct ProductNames {
  private let policy: Policy
  private var numbers = NameTable()
  private var names: [String?] = []

  init(_ policy: Policy) { self.policy = policy }

  /// A line with its product's name, where the catalog has one that is not its id.
  mutating func naming(_ line: HistoryLine) -> HistoryLine {
    guard let id = line.productID, let name = name(of: id) else { return line }
    var line = line
    line.productName = name
    return line
  }

  private mutating func name(of id: Name) -> String? {
    let (number, isNew) = numbers.enter(id)
    if isNew {
      // A catalog that cannot be read names nothing.
      let name = (try? policy.product(id))?.name
      names.append(name == id.text ? nil : name)
    }
    return names[number]
  }
}
