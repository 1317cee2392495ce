internal import CreditModel

public enum Grouping: String, CaseIterable, Sendable {
  case dayAndModel = "day,model"
  case day
  case model
  /// A line for each call: of bills that have a row for each.
  case key

  public var hasDay: Bool { self == .dayAndModel || self == .day }
  public var hasModel: Bool { self == .dayAndModel || self == .model }
}

/// Subject of a line, beside its day.
public enum Subject: Hashable, Sendable {
  case all
  case model(String)
  /// A row of the bill without a model, by its description.
  case charge(String)
  case call(String)

  public var text: String {
    switch self {
    case .all: ""
    case .model(let name), .charge(let name), .call(let name): name
    }
  }

  /// Texts that only the same subjects have.
  fileprivate var key: String {
    switch self {
    case .all: "a"
    case .model(let name): "m" + name
    case .charge(let name): "d" + name
    case .call(let name): "k" + name
    }
  }

  /// Models come before rows without one.
  fileprivate var rank: Int { if case .charge = self { 1 } else { 0 } }
}

/// The lines of a comparison, found by day, subject and currency.
final class LineTable {
  /// The most lines there may be: memory has a limit.
  static let limit = 200_000

  private struct Key: Hashable {
    let day: Int64
    let subject: Int
    let currency: String?
  }

  let grouping: Grouping
  private var subjectNumbers = NameTable()
  private var subjects: [Subject] = []
  private var places: [Key: Int] = [:]
  private(set) var lines: [ComparedLine] = []

  init(_ grouping: Grouping) { self.grouping = grouping }

  func number(of subject: Subject) -> Int {
    let (number, isNew) = subjectNumbers.enter(Name(trusted: subject.key))
    if isNew { subjects.append(subject) }
    return number
  }

  /// Returns the line of a day and a subject, adding it if missing.
  /// - Parameter currency: nil for dollars, and for usage.
  /// - Throws: `limit_exceeded`.
  func line(
    _ day: CalendarDay?, _ subject: Int, currency: String? = nil
  ) throws(CreditError) -> ComparedLine {
    let day = grouping.hasDay ? day : nil
    let key = Key(day: day?.number ?? .min, subject: subject, currency: currency)
    if let place = places[key] { return lines[place] }
    guard lines.count < Self.limit else {
      throw CreditError(.limitExceeded, "the comparison has more than \(Self.limit) lines")
    }
    let line = ComparedLine(day: day, subject: subjects[subject], currency: currency)
    places[key] = lines.count
    lines.append(line)
    return line
  }

  func find(_ day: Int64, _ subject: Int) -> ComparedLine? {
    places[Key(day: day, subject: subject, currency: nil)].map { lines[$0] }
  }

  /// Moves money under a model's name to that model.
  ///
  /// The bill's usage or the books have to have the model.
  /// - Parameter id: of the model that a text may name.
  func joinNamedCharges(
    _ id: (String) throws(CreditError) -> String
  ) throws(CreditError) {
    for line in lines where line.bill.rowCount > 0 && line.books.lineCount == 0 {
      guard case .charge(let text) = line.subject, !line.bill.hasUsage else { continue }
      let model = Subject.model(try id(text))
      guard let subject = subjectNumbers.number(of: Name(trusted: model.key)) else { continue }
      try self.line(line.day, subject, currency: line.currency).bill.add(line.bill)
      line.bill = BillSide()
    }
  }

  /// Sorts the lines by day, those without one last, then by subject and currency.
  func sorted() -> [ComparedLine] { lines.sorted { Self.order(of: $0) < Self.order(of: $1) } }

  private static func order(of line: ComparedLine) -> (Int64, Int, Name, String) {
    (
      line.day?.number ?? .max, line.subject.rank, Name(trusted: line.subject.text),
      line.currency ?? ""
    )
  }
}
