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
    [TableColumn("TIME", "timestamp", as: .time, rank: 1)]
      + (isOfAll ? [TableColumn("ACCOUNT", "account", rank: 2)] : []) + [
        TableColumn("TYPE", "type", as: .word(), rank: 3),
        TableColumn(
          "FOR", "model", "productName", "productID", "counterparty", "reason", rank: 4,
          leastWidth: 12),
        TableColumn("CREDITS", "credits", as: .number, rank: 0),
        TableColumn("BALANCE", "balance", as: .balance, rank: 2),
        TableColumn("STATUS", "status", as: .word(usual: "completed"), rank: 3),
        TableColumn("ID", "id", as: .id, rank: 5),
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
      let text = "balance from \(low.grouped) to \(high.grouped)  "
      let width = min(60, terminal.width - text.utf8.count)
      if let bars = Sparkline.text(of: balances.reversed(), width: width) {
        notes.append(text + bars)
      }
    }
    return notes
  }
}
