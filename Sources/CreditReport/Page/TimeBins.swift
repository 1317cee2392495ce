/// Days in bars: each day one, or where that makes too many, each week, month or year.
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
    unit = (longEnough.first { length / $0.1 < Int64(limit) } ?? (.year, 366)).0
    var start = Self.start(of: days.lowerBound, unit)
    var starts: [CalendarDay] = []
    while start <= days.upperBound {
      starts.append(start)
      start = Self.next(start, unit)
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

  private static func next(_ start: CalendarDay, _ unit: Unit) -> CalendarDay {
    switch unit {
    case .day: CalendarDay(number: start.number + 1)
    case .week: CalendarDay(number: start.number + 7)
    case .month: CalendarDay(number: start.number + 31).monthStart
    case .year: CalendarDay(number: start.number + 366).yearStart
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
