/// A time as people ask for one: an instant, a day or a month, whose beginning in UTC is meant, or
/// a word whose meaning depends on the clock.
package enum AskedTime: Hashable, Sendable {
  case instant(Timestamp)
  case word(Word)

  package enum Word: String, CaseIterable, Sendable {
    case now, today, yesterday
  }

  /// - Returns: nil for text of any other form.
  package init?(text: String) {
    if let time = Timestamp(text: text) ?? Timestamp(dateText: text) {
      self = .instant(time)
    } else if let word = Word(rawValue: text) {
      self = .word(word)
    } else {
      return nil
    }
  }

  /// The instant that is meant.
  package func time(at now: Timestamp) -> Timestamp {
    switch self {
    case .instant(let time): time
    case .word(.now): now
    case .word(.today): now.dayStart
    case .word(.yesterday):
      max(.earliest, Timestamp(milliseconds: now.dayStart.milliseconds - Self.day))
    }
  }

  private static let day = Timestamp.millisecondsPerDay
}

extension Timestamp {
  /// The beginning of the day, in UTC.
  fileprivate var dayStart: Timestamp {
    Timestamp(milliseconds: dayNumber * Self.millisecondsPerDay)
  }

  /// The beginning of a day, `2026-02-19`, or of a month, `2026-02`, in UTC.
  /// - Returns: nil for text of any other form, and for a date that the calendar does not have.
  package init?(dateText text: String) {
    guard text.utf8.count == 10 else {
      self.init(monthText: text)
      return
    }
    self.init(text: text + "T00:00:00Z")
  }

  /// The beginning of a month, `2026-02`, in UTC.
  package init?(monthText text: String) {
    guard text.utf8.count == 7 else { return nil }
    self.init(text: text + "-01T00:00:00Z")
  }

  /// The beginning of the month after this time's.
  package var nextMonth: Timestamp {
    let date = Self.civil(dayNumber: dayNumber)
    let isLast = date.month == 12
    let day = Self.dayNumber(
      year: date.year + (isLast ? 1 : 0), month: isLast ? 1 : date.month + 1, day: 1)
    return min(.latest, Timestamp(milliseconds: day * Self.millisecondsPerDay))
  }
}
