internal import CreditJSON
internal import CreditModel

/// Spend limits for people: how much of each is spent, as a bar and in numbers.
struct LimitBars {
  private static let width: Int64 = 10

  let lines: [String]

  /// - Returns: nil for what is no list of limits.
  init?(_ list: JSONValue, named name: JSONValue) {
    guard name.utf8Equals("limits"), list.kind == .array else { return nil }
    let limits = Array(list.elements)
    let names = limits.map { $0.member("limit")?.shown ?? "" }
    guard !limits.isEmpty, !names.contains("") else { return nil }
    let longest = names.map(\.terminalColumns).max() ?? 0
    lines = zip(limits, names).map { limit, name in
      let gap = String(repeating: " ", count: longest - name.terminalColumns + TableLayout.gap)
      return name + gap + Self.bar(limit) + String(repeating: " ", count: TableLayout.gap)
        + Self.words(limit)
    }
  }

  /// Something spent is never shown as nothing, and something left never as a full bar.
  private static func bar(_ limit: JSONValue) -> String {
    let used = max(0, limit.member("used")?.int64 ?? 0)
    let credits = limit.member("credits")?.int64 ?? 0
    var cells = width
    if used < credits {
      cells = Int64(Int128(used) * Int128(width) / Int128(credits))
      if used > 0 { cells = max(1, cells) }
    }
    return String(repeating: "█", count: Int(cells))
      + String(repeating: "░", count: Int(width - cells))
  }

  private static func words(_ limit: JSONValue) -> String {
    var text =
      "\(limit.member("used")?.shown ?? "") of \(limit.member("credits")?.shown ?? "") credits"
    if let account = limit.member("account") { text += " of \(account.shown)" }
    switch limit.member("period") {
    case .some(let period) where period.isObject:
      text += " in \(period.member("days")?.shown ?? "") days"
    case .some(let period) where period.string == "total": text += " in all"
    case .some(let period): text += " a \(period.shown)"
    case nil: break
    }
    if let models = limit.member("models") {
      text += ", for " + models.elements.map(\.shown).joined(separator: ", ")
    }
    if let held = limit.member("held"), held.int64 != 0 { text += ", \(held.shown) held" }
    if let end = limit.member("resetsAt") { text += ", until \(end.shown)" }
    return text
  }
}
