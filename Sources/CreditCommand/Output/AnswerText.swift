internal import CreditJSON
internal import CreditModel

/// One result laid out for reading: a member a line, nested members indented, and lists as tables.
struct AnswerText {
  private static let indent = 2

  private let terminal: Terminal
  /// Members with their values, and other text without one.
  private var lines: [(text: String, value: String?)] = []

  private init(_ terminal: Terminal) { self.terminal = terminal }

  static func text(of result: JSONValue, on terminal: Terminal) -> String {
    var answer = AnswerText(terminal)
    answer.add(result, depth: 0)
    return answer.text
  }

  private var text: String {
    var width = 0
    for (name, value) in lines where value != nil { width = max(width, name.terminalColumns) }
    var text = ""
    for (line, value) in lines {
      text += line
      if let value, !value.isEmpty {
        text += String(repeating: " ", count: width - line.terminalColumns + TableLayout.gap)
        text += value
      }
      text += "\n"
    }
    return text
  }

  private mutating func add(_ object: JSONValue, depth: Int) {
    let margin = String(repeating: " ", count: depth * Self.indent)
    for (name, value) in object.members {
      // The sentence of an error is on the terminal already.
      if depth == 1, terminal.showsMessages, name.utf8Equals("message") { continue }
      let title = margin + (name.string ?? "").asWords
      if value.isObject {
        let hasMembers = value.members.contains { _ in true }
        lines.append((title, hasMembers ? "" : "none"))
        add(value, depth: depth + 1)
      } else if name.utf8Equals("limits"), let bars = Self.limitBars(value) {
        lines.append((title, ""))
        for bar in bars { lines.append((margin + "  " + bar, nil)) }
      } else if value.kind == .array {
        addList(value, title, depth: depth)
      } else {
        lines.append((title, value.isNull ? "none" : value.shown))
      }
    }
  }

  private mutating func addList(_ list: JSONValue, _ title: String, depth: Int) {
    let elements = Array(list.elements)
    guard let first = elements.first, first.isObject else {
      let text = elements.map(\.shown).joined(separator: ", ")
      return lines.append((title, elements.isEmpty ? "none" : text))
    }
    let margin = String(repeating: " ", count: (depth + 1) * Self.indent)
    let table = Table(
      Self.columns(of: elements),
      on: Terminal(width: terminal.width - margin.utf8.count, hasColors: terminal.hasColors))
    for element in elements { table.add(element) }
    lines.append((title, ""))
    for line in table.takeText().split(separator: "\n") { lines.append((margin + line, nil)) }
  }

  /// A column for each member that an object of the list has, the first ones first.
  private static func columns(of list: [JSONValue]) -> [TableColumn] {
    var columns: [TableColumn] = []
    var known: Set<String> = []
    for object in list {
      for (name, value) in object.members {
        guard let name = name.string, known.insert(name).inserted else { continue }
        columns.append(
          TableColumn(
            name.asWords.uppercased(), name, as: value.columnForm(named: name),
            rank: columns.count))
        // The used share of a limit.
        if name == "used", object.descendant("limit") != nil {
          columns.append(TableColumn("", name, as: .bar(of: "credits"), rank: .max))
        }
      }
    }
    return columns
  }

  // MARK: Spend limits

  /// Returns the spent share of each limit, as a bar and in numbers; nil if it is not a list of
  /// limits.
  private static func limitBars(_ list: JSONValue) -> [String]? {
    let limits = Array(list.elements)
    let names = limits.map { $0.member("limit")?.shown ?? "" }
    guard !limits.isEmpty, !names.contains("") else { return nil }
    let longest = names.map(\.terminalColumns).max() ?? 0
    return zip(limits, names).map { limit, name in
      let gap = String(repeating: " ", count: longest - name.terminalColumns + TableLayout.gap)
      let used = limit.member("used")?.amount ?? .zero
      let bar = Bar.text(of: used, upTo: number(of: limit)?.amount ?? .zero, width: 10)
      return name + gap + bar + String(repeating: " ", count: TableLayout.gap) + words(limit)
    }
  }

  private static func number(of limit: JSONValue) -> JSONValue? {
    limit.member("credits") ?? limit.member("usd")
  }

  private static func words(_ limit: JSONValue) -> String {
    let unit = limit.member("unit")?.shown ?? "credits"
    var text =
      "\(limit.member("used")?.shown ?? "") of \(number(of: limit)?.shown ?? "") "
      + (unit == "usd" ? "dollars" : unit)
    if let account = limit.member("account") { text += " of \(account.shown)" }
    switch limit.member("period") {
    case .some(let period) where period.isObject:
      text += " in \(period.member("days")?.shown ?? "") days"
    case .some(let period) where period.string == "total": text += " in all"
    case .some(let period): text += (period.string == "hour" ? " an " : " a ") + period.shown
    case nil: break
    }
    if let models = limit.member("models") {
      text += ", for " + models.elements.map(\.shown).joined(separator: ", ")
    }
    if let held = limit.member("held"), held.int64 != 0 { text += ", \(held.shown) held" }
    if let end = limit.member("resetsAt") { text += ", until \(end.shown)" }
    if let end = limit.member("until") { text += "; this number until \(end.shown)" }
    if let then = limit.member("then") { text += ", then \(number(of: then)?.shown ?? "lifted")" }
    if let alerts = limit.member("alerts") {
      text += ", alerts at " + alerts.elements.map { "\($0.shown) %" }.joined(separator: ", ")
    }
    return text
  }
}

extension JSONValue {
  fileprivate func columnForm(named name: String) -> ValueForm {
    if kind == .number { return .number }
    if name == "timestamp" || name.hasSuffix("At") { return .time }
    if ["kind", "type", "status"].contains(name) { return .word() }
    return name == "id" ? .id : .text
  }
}
