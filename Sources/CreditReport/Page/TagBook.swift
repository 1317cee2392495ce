internal import CreditJSON
internal import CreditModel

/// What was spent under each tag. Names and values beyond its limits are summed together: a tag may
/// have another value in each line.
struct TagBook {
  /// How many names are told apart; the others are left out.
  static let nameLimit = 16
  /// How many values of a name are told apart.
  static let valueLimit = 10_000

  private var numbers = NameTable()
  private(set) var tags: [TagSums] = []
  /// Whether there were more names than are told apart.
  private(set) var isCut = false

  /// One tag, with what each value of it sums to.
  struct TagSums {
    let name: String
    private var numbers = NameTable()
    private(set) var values: [ValueSums] = []
    /// What values sum to that are not told apart.
    private(set) var others = LineSums()

    init(name: String) { self.name = name }

    fileprivate mutating func add(_ line: ReportLine, _ value: String) throws(CreditError) {
      let key = Name(trusted: value)
      guard let number = numbers.number(of: key) ?? newNumber(of: key, value) else {
        return try others.add(line, nil)
      }
      try values[number].sums.add(line, nil)
    }

    private mutating func newNumber(of key: Name, _ value: String) -> Int? {
      guard values.count < TagBook.valueLimit else { return nil }
      values.append(ValueSums(value: value))
      return numbers.enter(key).number
    }

    /// How many credits were spent with the tag.
    var spent: Int128 { values.reduce(-others.credits) { $0 + $1.spent } }
  }

  struct ValueSums {
    let value: String
    var sums = LineSums()

    var spent: Int128 { 0 - sums.credits }
  }

  /// Adds a line of usage that counts.
  mutating func add(_ line: ReportLine) throws(CreditError) {
    guard let members = line.value.member("tags"), members.isObject else { return }
    for (name, value) in members.members {
      guard let name = name.string, let value = value.string else { continue }
      let key = Name(trusted: name)
      guard let number = numbers.number(of: key) ?? newNumber(of: key, name) else {
        isCut = true
        continue
      }
      try tags[number].add(line, value)
    }
  }

  private mutating func newNumber(of key: Name, _ name: String) -> Int? {
    guard tags.count < Self.nameLimit else { return nil }
    tags.append(TagSums(name: name))
    return numbers.enter(key).number
  }
}
