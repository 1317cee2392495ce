internal import CreditModel

/// Which accounts used something on which days: a bit for each.
struct ActivityBook {
  private var bits: [DayAndBlock: UInt64] = [:]

  /// A day, and 64 accounts of those numbered.
  private struct DayAndBlock: Hashable {
    let day: CalendarDay
    let block: Int
  }

  mutating func add(account number: Int, on day: CalendarDay) {
    bits[DayAndBlock(day: day, block: number / 64), default: 0] |= 1 << UInt64(number % 64)
  }

  /// How many accounts were active on each day on which any was.
  var accountsByDay: [CalendarDay: Int] {
    var counts: [CalendarDay: Int] = [:]
    for (key, mask) in bits { counts[key.day, default: 0] += mask.nonzeroBitCount }
    return counts
  }
}
