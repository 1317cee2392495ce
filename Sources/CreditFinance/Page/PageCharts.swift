internal import CreditModel

struct PageCharts {
  /// Number of items with their own colour; the others share one.
  private static let colourCount = 7

  let book: PageBook
  let days: ClosedRange<CalendarDay>
  let isForSeller: Bool

  var html: String {
    "<section class=\"charts\">\n\(balance)\(usage)\(sales)\(activity)</section>\n"
  }

  private func figure(_ title: String, _ note: String, _ content: String) -> String {
    "<figure><h2>\(title) <small>\(note)</small></h2>\n\(content)</figure>\n"
  }

  // MARK: Balance

  private var balance: String {
    let changes = book.balances.changes
    guard let first = changes.keys.min(), let last = changes.keys.max(), book.balances.isComplete,
      !book.isOfTag
    else { return "" }
    let bins = TimeBins(
      min(first, days.lowerBound)...max(last, days.upperBound), limit: 400)
    var values = [Int128](repeating: 0, count: bins.starts.count)
    for (day, change) in changes { values[bins.index(of: day)] += change }
    var balance = book.balances.opening
    for bin in values.indices {
      balance += values[bin]
      values[bin] = balance
    }
    let opening = book.balances.opening
    if opening == 0, values.allSatisfy({ $0 == 0 }) { return "" }
    let scale = AxisScale(
      from: min(opening, values.min() ?? 0), to: max(opening, values.max() ?? 0))
    let chart = Chart(bins: bins, scale: scale) { $0.brief }
    let note = book.balances.total.count > 1 ? "credits of all accounts" : "credits"
    return figure("Balance", note, chart.line(values, from: opening))
  }

  // MARK: Usage

  private var usage: String {
    let models = book.usage.models
    guard !models.isEmpty else { return "" }
    let bins = TimeBins(days, limit: 100)
    let order = models.indices.sorted { models[$0].sums.spent > models[$1].sums.spent }
    let series = stacked(bins, order, of: models.count) { bin in
      book.usage.days.map { (bin($0.key.day), $0.key.model, $0.value) }
    } name: {
      models[$0].name ?? "no model"
    }
    let chart = Chart(bins: bins, scale: Self.scale(series)) { $0.brief }
    let bars = chart.bars(series) { "\($0.separated) credits" }
    let note = book.sums.givenBack == 0 ? "" : ", before refunds"
    return figure("Usage", "credits a \(bins.unit.rawValue)\(note)", bars + legend(series))
  }

  // MARK: Sales

  private var sales: String { book.sums.sales.all.map { sales(in: $0.currency) }.joined() }

  /// Money is drawn in hundredths.
  private func sales(in currency: String) -> String {
    let products = book.sales.products
    let own = products.indices.filter { products[$0].currency == currency }
    let bins = TimeBins(days, limit: 61, shortest: .month)
    let entries = book.sales.months.flatMap { month, sums in
      sums.map { (month: month, product: $0.key, paid: $0.value.hundredths) }
    }.filter { own.contains($0.product) && $0.paid > 0 }
    // All of it may have been paid in another period, and paid back in this one.
    if entries.isEmpty { return "" }
    func paid(_ product: Int) -> Int128 { products[product].sums.price?.hundredths ?? 0 }
    let order = own.sorted { paid($0) > paid($1) }
    let series = stacked(bins, order, of: products.count) { bin in
      entries.map { (bin($0.month), $0.product, $0.paid) }
    } name: {
      products[$0].name ?? "no product"
    }
    let chart = Chart(bins: bins, scale: Self.scale(series)) {
      Self.money($0, brief: true, currency)
    }
    let bars = chart.bars(series) { "\(Self.money($0, brief: false, currency)) \(currency)" }
    let note = book.sums.paidBack.sum(of: currency) == nil ? "" : ", before refunds"
    return figure(
      isForSeller ? "Sales" : "Paid", "\(currency) a \(bins.unit.rawValue)\(note)",
      bars + legend(series))
  }

  private static func money(_ hundredths: Int128, brief: Bool, _ currency: String) -> String {
    if brief, hundredths % 100 == 0 { return (hundredths / 100).brief }
    return ExactDecimal(hundredths, places: 2).separated(in: currency)
  }

  // MARK: Activity

  /// Number of accounts that used something each day; of longer bins the day with the most.
  private var activity: String {
    let accounts = book.accounts.accounts.count
    let counts = book.activity.accountsByDay
    if accounts < 2 || counts.isEmpty { return "" }
    let bins = TimeBins(days, limit: 100)
    var values = [Int128](repeating: 0, count: bins.starts.count)
    for (day, count) in counts {
      let bin = bins.index(of: day)
      values[bin] = max(values[bin], Int128(count))
    }
    let series = [Chart.Series(name: "active", values: values, colour: 2)]
    let chart = Chart(bins: bins, scale: Self.scale(series)) { $0.brief }
    let note = bins.unit == .day ? "a day" : "on the busiest day of each \(bins.unit.rawValue)"
    let bars = chart.bars(series) { "\($0.separated) of \(accounts.separated) accounts" }
    return figure("Active accounts", note, bars)
  }

  // MARK: Stacks

  /// Returns each colour's value in each bin. The first things in the order have their own colour.
  private func stacked(
    _ bins: TimeBins, _ order: [Int], of count: Int,
    _ entries: ((CalendarDay) -> Int) -> [(bin: Int, thing: Int, amount: Int128)],
    name: (Int) -> String
  ) -> [Chart.Series] {
    var colours = [Int](repeating: Self.colourCount, count: count)
    let own = order.count > Self.colourCount + 1 ? Self.colourCount : order.count
    for (colour, thing) in order.prefix(own).enumerated() { colours[thing] = colour }
    var values = [[Int128]](
      repeating: [Int128](repeating: 0, count: bins.starts.count), count: Self.colourCount + 1)
    var names = [Int: String]()
    for (bin, thing, amount) in entries(bins.index) {
      let colour = colours[thing]
      values[colour][bin] += amount
      names[colour] = names[colour] == nil || names[colour] == name(thing) ? name(thing) : "others"
    }
    return names.keys.sorted().map { colour in
      Chart.Series(name: names[colour] ?? "", values: values[colour], colour: colour)
    }
  }

  private static func scale(_ series: [Chart.Series]) -> AxisScale {
    let bins = series.first?.values.indices ?? 0..<0
    let totals = bins.map { bin in series.reduce(Int128(0)) { $0 + max(0, $1.values[bin]) } }
    let below = bins.map { bin in series.reduce(Int128(0)) { $0 + min(0, $1.values[bin]) } }
    return AxisScale(from: below.min() ?? 0, to: totals.max() ?? 0)
  }
}

/// The values along an axis: from a round number to a round number, by steps of 1, 2 or 5 times a
/// power of ten.
struct AxisScale {
  let low: Int128
  let high: Int128
  private let step: Int128

  /// More than any sum of credits; larger amounts of money are drawn as this.
  static let limit: Int128 = 1_000_000_000_000_000_000_000_000_000_000

  /// A scale that holds both values, and zero.
  init(from lowest: Int128, to highest: Int128) {
    let lowest = max(min(0, lowest), -Self.limit)
    let highest = min(max(0, highest, lowest + 1), Self.limit)
    var step: Int128 = 1
    var power: Int128 = 1
    search: while true {
      for factor in [1, 2, 5] as [Int128] {
        step = power * factor
        if (highest - lowest) / step < 5 { break search }
      }
      power *= 10
    }
    self.step = step
    low = Self.roundedDown(lowest, to: step)
    high = -Self.roundedDown(-highest, to: step)
  }

  private static func roundedDown(_ value: Int128, to step: Int128) -> Int128 {
    let rest = value % step
    return rest == 0 ? value : value - rest - (rest < 0 ? step : 0)
  }

  /// The values that are marked, from the highest.
  var marks: [Int128] { (0...(high - low) / step).map { high - $0 * step } }

  /// Returns a value's distance from the top, on an axis of this length.
  func position(of value: Int128) -> Int128 {
    (high - min(max(value, low), high)) * 1000 / (high - low)
  }
}

/// Days in bars: one each, or if those are too many, each week, month or year.
struct TimeBins {
  enum Unit: String {
    case day, week, month, year
  }

  let unit: Unit
  /// The first days of the bins, without gaps.
  let starts: [CalendarDay]

  /// - Parameter limit: the most bins.
  init(_ days: ClosedRange<CalendarDay>, limit: Int, shortest: Unit = .day) {
    let length = days.upperBound.number - days.lowerBound.number + 1
    let units: [(Unit, Int64)] = [(.day, 1), (.week, 7), (.month, 31), (.year, 366)]
    let longEnough = units.drop { $0.0 != shortest }
    let (unit, span) = longEnough.first { length / $0.1 < Int64(limit) } ?? (.year, 366)
    self.unit = unit
    var start = Self.start(of: days.lowerBound, unit)
    var starts: [CalendarDay] = []
    while start <= days.upperBound {
      starts.append(start)
      start = Self.start(of: CalendarDay(number: start.number + span), unit)
    }
    self.starts = starts
  }

  private static func start(of day: CalendarDay, _ unit: Unit) -> CalendarDay {
    switch unit {
    case .day: day
    case .week: day.weekStart
    case .month: day.monthStart
    case .year: day.yearStart
    }
  }

  /// The number of a day's bin; days outside are in the nearest.
  func index(of day: CalendarDay) -> Int {
    var low = 0
    var high = starts.count
    while high - low > 1 {
      let middle = (low + high) / 2
      if starts[middle] <= day { low = middle } else { high = middle }
    }
    return low
  }

  /// `2026-02-19`, `2026-W08`, `2026-02`, `2026`
  func name(_ index: Int) -> String {
    switch unit {
    case .day: starts[index].text
    case .week: starts[index].weekText
    case .month: starts[index].monthText
    case .year: starts[index].yearText
    }
  }

  /// Returns a label for the axis: `Feb 19`, with the year if it has changed.
  func label(_ index: Int, after previous: Int?) -> String {
    let start = starts[index]
    if unit == .year { return start.yearText }
    let year = previous.map { starts[$0].yearText == start.yearText } == true ? "" : start.yearText
    let month = start.monthName
    let name = unit == .month ? month : "\(month) \(start.dayOfMonth)"
    return year.isEmpty ? name : "\(name)<br>\(year)"
  }
}
