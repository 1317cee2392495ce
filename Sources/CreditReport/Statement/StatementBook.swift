internal import CreditModel

/// Movements of an account's credits in a month, and its balances before and after.
///
/// It holds nothing of the work's cost to the seller.
struct StatementBook {
  let account: String
  let period: ReportPeriod
  /// Whether each use is a line of its own.
  private let listsEach: Bool
  private var balances = BalanceBook()
  private var listed: [Listed] = []
  private var usage: [DayAndModel: (count: Int64, credits: Int128)] = [:]
  private var chain = BalanceChain()
  private var lineCount = 0
  private var firstTime: Timestamp?
  private var isNewestFirst = true

  private struct Listed {
    let time: Timestamp
    let place: Int
    let line: StatementLine
  }

  private struct DayAndModel: Hashable {
    let day: CalendarDay
    let model: String
  }

  init(of account: String, in period: ReportPeriod, listsEach: Bool) {
    self.account = account
    self.period = period
    self.listsEach = listsEach
  }

  /// Adds a line of the account.
  mutating func add(_ line: ReportLine) throws(CreditError) {
    if line.counts {
      noteOrder(line.recordedAt)
      chain.add(line)
    }
    for part in line.parts { try add(part, of: line) }
  }

  private mutating func add(_ line: ReportLine, of whole: ReportLine) throws(CreditError) {
    let time = period.time(of: line)
    let day = period.day(of: time)
    if !line.isSaleAlone { balances.add(whole, on: day, isBefore: period.isBefore(time)) }
    guard period.contains(time) else { return }
    if line.kind == .usage, !listsEach {
      let key = DayAndModel(day: day, model: line.text("model") ?? "")
      let sum = usage[key] ?? (0, 0)
      usage[key] = (sum.count + 1, sum.credits + Int128(line.credits))
    } else {
      let line = StatementLine(line, try line.payment(), in: period)
      listed.append(Listed(time: time, place: lineCount, line: line))
    }
  }

  /// Lines of one instant are in the order of the history, which may come newest first.
  private mutating func noteOrder(_ time: Timestamp) {
    lineCount += 1
    if let firstTime, time != firstTime { isNewestFirst = time < firstTime }
    firstTime = firstTime ?? time
  }

  /// - Throws: `invalid_request` where lines are missing before the newest one.
  func check() throws(CreditError) {
    guard let newest = balances.balance(of: account), !chain.leads(to: newest) else { return }
    throw CreditError(
      .invalidRequest,
      "the history of \(quoted(account)) has gaps: a statement needs all its lines up to the "
        + "newest")
  }

  /// What the account had at the beginning.
  var opening: Int128 { balances.opening }

  /// All movements, the oldest first; the usage of a day is behind what else it had.
  var lines: [StatementLine] {
    let single = listed.sorted { left, right in
      if left.time != right.time { return left.time < right.time }
      return isNewestFirst ? left.place > right.place : left.place < right.place
    }.map(\.line)
    let daily = usage.sorted {
      ($0.key.day, Name(trusted: $0.key.model)) < ($1.key.day, Name(trusted: $1.key.model))
    }.map { key, sum in
      StatementLine(usageOf: key.model, on: key.day, count: sum.count, credits: sum.credits)
    }
    var merged: [StatementLine] = []
    var next = 0
    for line in single {
      while next < daily.count, daily[next].day < line.day {
        merged.append(daily[next])
        next += 1
      }
      merged.append(line)
    }
    return merged + daily[next...]
  }
}
