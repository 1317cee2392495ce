internal import CreditModel

/// Credits spent on each model, in all and on each day.
struct UsageBook {
  private var numbers = NameTable()
  private(set) var models: [ModelSums] = []
  private var days: [DayAndModel: Int128] = [:]

  struct ModelSums {
    let name: String?
    var sums = LineSums()

    var spent: Int128 { 0 - sums.credits }
  }

  private struct DayAndModel: Hashable {
    let day: CalendarDay
    let model: Int
  }

  /// Adds a line of usage that counts.
  mutating func add(_ line: ReportLine, on day: CalendarDay) throws(CreditError) {
    let name = line.text("model")
    // No model has an empty name.
    let key = Name(trusted: name ?? "")
    let (number, isNew) = numbers.enter(key)
    if isNew { models.append(ModelSums(name: name)) }
    try models[number].sums.add(line, nil, counts: !line.isShare)
    days[DayAndModel(day: day, model: number), default: 0] -= Int128(line.credits)
  }

  /// What each model took on each day.
  var entriesByDay: [(day: CalendarDay, model: Int, spent: Int128)] {
    days.map { ($0.key.day, $0.key.model, $0.value) }
  }
}
