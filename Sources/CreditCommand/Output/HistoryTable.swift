internal import CreditFinance
internal import CreditJSON
internal import CreditModel

/// The columns of a terminal's table of transactions, and the notes below it.
final class HistoryTable {
  private let terminal: Terminal
  /// The balances of the account, newest first; nil if there are several accounts.
  private var balances: [Int64]?
  private var count = 0

  /// - Parameter isOfAll: whether the transactions are those of all accounts.
  init(isOfAll: Bool, on terminal: Terminal) {
    self.terminal = terminal
    balances = isOfAll ? nil : []
  }

  static func columns(isOfAll: Bool) -> [TableColumn] {
    [TableColumn("TIME", "timestamp", as: .time, rank: 1, leastWidth: ValueForm.dayWidth)]
      + (isOfAll ? [TableColumn("ACCOUNT", "account", rank: 2)] : []) + [
        TableColumn("TYPE", "type", as: .lineType, rank: 3, leastWidth: 8),
        TableColumn(
          "FOR", "model", "productName", "productID", "counterparty", "reason", as: .subject,
          rank: 4),
        TableColumn("CREDITS", "credits", as: .number, rank: 0),
        TableColumn("SHARES", as: .shares, rank: 4, leastWidth: 12),
        TableColumn("BALANCE", "balance", as: .balance, rank: 5),
        TableColumn("STATUS", "status", as: .word(usual: "completed"), rank: 4),
        TableColumn("ID", "id", as: .id, rank: 6),
        TableColumn("KEY", "key", as: .id, rank: 7, isExtra: true),
      ]
  }

  static let openColumns = [
    TableColumn("TIME", "timestamp", as: .time, rank: 3),
    TableColumn("ACCOUNT", "account", rank: 1),
    TableColumn("STATUS", "status", as: .word(), rank: 4),
    TableColumn("HOLD", "hold", as: .number, rank: 2),
    TableColumn("AGE", "age", as: .age, rank: 2),
    TableColumn("ID", "id", as: .id, rank: 0),
  ]

  func add(_ line: HistoryLine) {
    count += 1
    balances?.append(line.balance)
  }

  /// Returns the notes below the table: `20 of 6,251 transactions`, and the balance's course.
  func notes(total: Int, offset: Int) -> [String] {
    var notes: [String] = []
    if count < total {
      let range =
        offset == 0 ? count.grouped : "\((offset + 1).grouped) to \((offset + count).grouped)"
      let note = "\(range) of \(total.grouped) transactions"
      let hint = "; --limit 0 prints all"
      notes.append(note.utf8.count + hint.utf8.count > terminal.width ? note : note + hint)
    }
    if let balances, let low = balances.min(), let high = balances.max(), terminal.isCapable {
      let text = "balance between \(low.grouped) and \(high.grouped)  "
      let width = min(60, terminal.width - text.utf8.count)
      if let bars = Sparkline.text(of: balances.reversed(), width: width) {
        notes.append(text + bars)
      }
    }
    return notes
  }
}

enum Bar {
  static let width = 20

  /// Returns a bar that is full at the maximum, and not empty above 0.
  static func text(
    of number: ExactDecimal, upTo most: ExactDecimal, width: Int = Bar.width
  ) -> String {
    var cells = width
    if number < most {
      cells =
        (1..<width).last { cell in
          guard let share = number.times(Int64(width)), let part = most.times(Int64(cell)) else {
            return false
          }
          return share >= part
        } ?? 0
      if number > .zero { cells = max(1, cells) }
    }
    return String(repeating: "█", count: cells) + String(repeating: "░", count: width - cells)
  }
}

/// Numbers over time as a line of small bars.
enum Sparkline {
  private static let bars: [Unicode.Scalar] = ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"]

  /// Returns the bars of some numbers, in their order. Nil if all are the same.
  /// - Parameter width: the most bars there may be: of more numbers, the last of each stretch.
  static func text(of numbers: [Int64], width: Int) -> String? {
    guard let low = numbers.min(), let high = numbers.max(), low < high, width > 0 else {
      return nil
    }
    let count = min(numbers.count, width)
    var text = ""
    for bar in 1...count {
      let number = numbers[bar * numbers.count / count - 1]
      let share = (Int128(number) - Int128(low)) * Int128(bars.count - 1)
      text.unicodeScalars.append(bars[Int(share / (Int128(high) - Int128(low)))])
    }
    return text
  }
}

/// A column of a table: its content, and its rank for narrow terminals.
struct TableColumn {
  let title: String
  let form: ValueForm
  /// The higher, the sooner the column is shortened, and then left out.
  let rank: Int
  /// The fewest columns of a terminal for a useful text; nil for the usual ones.
  private let leastWidth: Int?
  /// True if it is never left out, and only an id shortened, even if lines are too wide then.
  let isWhole: Bool
  /// True to leave it out before any other column is shortened.
  let isExtra: Bool
  /// The members of its value in a line: the first one present counts.
  private let members: [String]

  /// - Parameter members: names of members, `id`, or paths of them, `quota.limit`.
  init(
    _ title: String, _ members: String..., as form: ValueForm = .text, rank: Int,
    leastWidth: Int? = nil, isWhole: Bool = false, isExtra: Bool = false
  ) {
    self.title = title
    self.members = members
    self.form = form
    self.rank = rank
    (self.isWhole, self.isExtra) = (isWhole, isExtra)
    self.leastWidth = leastWidth.map { max($0, title.terminalColumns) }
  }

  func text(in line: JSONValue) -> String {
    if case .bar(let most) = form {
      let numbers = (members.first.flatMap(line.descendant), line.descendant(most))
      guard let number = numbers.0?.amount, let most = numbers.1?.amount else { return "" }
      return Bar.text(of: number, upTo: most)
    }
    if form == .lineType, line.string("id")?.hasPrefix("reversal:") == true { return "reversal" }
    if form == .shares { return form.text(of: line) }
    for member in members {
      let named = member.withUTF8Bytes { line.member(utf8: $0) }
      if let value = named ?? line.descendant(member), !value.isNull {
        guard form == .subject else { return form.text(of: value) }
        let isByHand = line.string("id")?.hasPrefix("refund:") == true && !line.hasMember("event")
        let reason = isByHand && member != "reason" ? line.string("reason") : nil
        let note = reason.map { "; " + $0.escapingHidden } ?? ReportLine(line)?.disputeNote ?? ""
        return form.text(of: value) + note
      }
    }
    return form == .subject ? ReportLine(line)?.subject.escapingHidden ?? "" : ""
  }

  var isWord: Bool { if case .word = form { true } else { form == .lineType } }

  /// Returns how far a column may be shortened. Numbers never are.
  func minimum(of width: Int) -> Int {
    switch form {
    case _ where isWhole && form != .id: width
    case .text, .id, .subject, .shares: min(width, leastWidth ?? max(8, title.terminalColumns))
    case .word, .lineType, .time: min(width, leastWidth ?? width)
    case .number, .balance, .flag, .age, .bar: width
    }
  }
}
