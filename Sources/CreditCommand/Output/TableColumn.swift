internal import CreditJSON
internal import CreditModel

/// A column of a table: what it shows, and how soon a narrow terminal does without it.
struct TableColumn {
  let title: String
  let form: ValueForm
  /// The higher, the sooner the column is shortened, and then left out.
  let rank: Int
  /// The fewest columns of a terminal in which text of it says anything.
  private let leastWidth: Int
  /// Where the value is found in a line: the first of the members that is there.
  private let members: [String]

  /// - Parameter members: names of members, `id`, or paths of them, `quota.limit`.
  init(
    _ title: String, _ members: String..., as form: ValueForm = .text, rank: Int,
    leastWidth: Int = 8
  ) {
    self.title = title
    self.members = members
    self.form = form
    self.rank = rank
    self.leastWidth = max(leastWidth, title.terminalColumns)
  }

  /// What a line has in this column.
  func text(in line: JSONValue) -> String {
    if case .bar(let most) = form {
      let numbers = (members.first.flatMap(line.descendant), line.descendant(most))
      guard let number = numbers.0?.int64, let most = numbers.1?.int64 else { return "" }
      return Bar.text(of: number, upTo: most)
    }
    for member in members {
      let named = member.withUTF8Bytes { line.member(utf8: $0) }
      if let value = named ?? line.descendant(member), !value.isNull {
        return form.text(of: value)
      }
    }
    return ""
  }

  /// How far a column may be shortened: numbers, words and times not at all.
  func minimum(of width: Int) -> Int {
    switch form {
    case .text, .id: min(width, leastWidth)
    case .number, .balance, .word, .time, .flag, .age, .bar: width
    }
  }
}
