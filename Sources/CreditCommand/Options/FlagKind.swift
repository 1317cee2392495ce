internal import CreditModel
internal import CreditStore

/// The kind and form of the value that follows a flag.
public enum FlagKind: Hashable, Sendable {
  case alone
  case text(TextForm)
  /// A whole number of 64 bits. No fraction, exponent, plus sign or blank.
  case number(NumberForm)
  /// `true` or `false`.
  case truth
  /// A span of time: `90s`, `15m`, `1h`, `30d`.
  case span
  /// An RFC 3339 time, a day, a month, or a word such as `today`.
  case time
  /// An authorization's id, or the object that `credit-authorize` answered with. Of the kind that
  /// the names are of.
  case authorization(NameKind)

  public var takesValue: Bool { self != .alone }
}

public enum TextForm: Hashable, Sendable {
  case any
  /// A name in the store, or a new one.
  case name(NameKind)
  /// A time zone that the system has.
  case zone
  case path
  /// A store: a directory, or a URL without a password in it.
  case store
  /// A store on a server: a URL without a password in it.
  case server
  /// A tag: a name, `=` and a value.
  case tag
  /// A limit: its id, `=`, and a number, `none` or `plan`.
  case limit
  /// Several texts between commas, mostly these words.
  case list([String])
  /// Paths of members: names and indexes between dots, the paths between commas.
  case members
  /// One of a few words.
  case choice([String])
}

public enum NumberForm: Hashable, Sendable { case any, notNegative }

extension Flag {
  func value(of text: String) throws(UsageError) -> FlagValue {
    switch kind {
    case .alone: return .bool(true)
    case .text(let form):
      if let problem = form.problem(with: text) {
        let owners = ToolSuite.all.filter {
          $0.allFlags.contains { $0.isNamed(name) && $0.choices.contains(text) }
        }
        throw UsageError("--\(name) \(problem)\(ToolSuite.ending(on: owners))")
      }
      return .text(text)
    case .number(let form): return .integer(try number(text, form))
    case .truth:
      if text == "true" || text == "false" { return .bool(text == "true") }
      let question = NearestNames.question(text, among: ["true", "false"])
      throw UsageError("--\(name) takes true or false, not \(quoted(text))\(question)")
    case .span:
      if let span = TimeSpan(text: text) { return .span(span) }
      throw UsageError(
        "--\(name) takes a span of time such as 90s, 15m, 1h or 30d, not \(quoted(text))"
          + TimeSpan.advice(on: text))
    case .time: return .time(try AskedTime(argument: text, of: "--\(name)"))
    case .authorization: return .authorization(try authorization(text))
    }
  }

  private func number(_ text: String, _ form: NumberForm) throws(UsageError) -> Int64 {
    // `Int64(_:)` also takes a plus.
    let digits = text.utf8.first == UInt8(ascii: "-") ? text.utf8.dropFirst() : text.utf8[...]
    let isNumber = !digits.isEmpty && digits.allSatisfy { (0x30...0x39).contains($0) }
    let number = isNumber ? Int64(text) : nil
    if number == 0, name == "credits", digits.count > 1 {
      throw UsageError(
        "--credits takes a number above 0, not \(quoted(text)); a shell changes a number with "
          + "$ before it to that: write it without the $")
    }
    if let number, form == .any || digits.count == text.utf8.count { return number }
    if form == .any, isNumber {
      throw UsageError("--\(name) does not fit in 64 bits: \(quoted(text))")
    }
    let kind = "whole number\(form == .any ? "" : " of 0 or more")"
    let commas = text.contains(",") ? " without commas" : ""
    // Parted in thousands, or with a k for them.
    let groups = (text.hasSuffix("k") ? text.dropLast() + ".000" : text[...])
      .split(omittingEmptySubsequences: false) { "_.,' ".contains($0) }
    let isMeant =
      groups.count > 1 && !groups[0].isEmpty && groups.dropFirst().allSatisfy { $0.utf8.count == 3 }
    let meant = isMeant ? Int64(groups.joined()) : nil
    throw UsageError(
      "--\(name) takes a \(kind)\(commas), not \(quoted(text))"
        + (meant.map { "; did you mean \($0)?" } ?? ""))
  }

  /// Reads an authorization; it is an object if the text begins like one.
  private func authorization(_ text: String) throws(UsageError) -> AuthorizationReference {
    guard text.hasPrefix("{") else { return AuthorizationReference(id: Name(trusted: text)) }
    guard let document = try? JSONDocument(text) else {
      throw UsageError("--\(name) takes an id or an authorization, not \(quoted(text))")
    }
    if let member = document.duplicateName {
      throw UsageError("--\(name) has the member \(quoted(member)) twice")
    }
    do {
      return try document.withRoot { value throws(CreditError) in
        try AuthorizationReference(value.member("authorization") ?? value)
      }
    } catch {
      throw UsageError("--\(name): \(error.message)")
    }
  }
}

extension AskedTime {
  /// - Parameter source: its source, for the message.
  init(argument text: String, of source: String) throws(UsageError) {
    guard let time = AskedTime(text: text) else {
      throw UsageError(
        "\(source) takes a time such as 2026-02-19T10:00:00Z, 2026-02-19, 2026-02 or today, not "
          + quoted(text) + Self.advice(on: text, for: source))
    }
    self = time
  }

  /// Returns the end of a message about a text that is almost a time; empty for others.
  /// - Parameter name: the flag, or a request's member.
  static func advice(on given: String, for name: String) -> String {
    let text = given.drop { $0 == "@" }.split { " \t\n".contains($0) }.joined(separator: " ")
    if text != given, AskedTime(text: text) != nil { return "; did you mean \(text)?" }
    if Timestamp(text: text + "Z") != nil { return "; add Z for UTC, or an offset such as +02:00" }
    let span = TimeSpan(text: String(text.drop { $0 == "-" }))?.text
    if span != nil, ["xpires", "tarts"].contains(where: name.utf8.contains) {
      return "; \(name.dropLast(2))\(name.hasPrefix("-") ? "in" : "In") takes a span"
    }
    let units = ["s": "seconds", "m": "minutes", "h": "hours", "d": "days"]
    // A limit ends later.
    let way = name.utf8.contains("imit") ? "" : " ago"
    let ago = span.flatMap { span in
      units[String(span.suffix(1))].map { "\(span.dropLast()) \($0)\(way)" }
    }
    let isFlag = name.hasPrefix("--")
    if let words = ago ?? (isFlag ? past(text.lowercased()) : nil) {
      let time = "; \(name) \"$(date -u -d '\(words)' +%FT%TZ)\" is one"
      return isFlag ? time : "; it is a span of time, not a time"
    }
    let (count, number) = (text.utf8.count, text.hasPrefix("+") ? 0 : Int64(text) ?? 0)
    // Seconds that begin like a year of this century are of the year 2033 and later.
    let isCompact = text.hasPrefix("20") && number > 0 && [10, 12, 14].contains(count)
    let date = isCompact ? text.prefix(8) : text.prefix { "0123456789-./".contains($0) }
    let rest = text.dropFirst(date.count)
    var meant = days(in: date)
    if !rest.isEmpty {
      guard let clock = clock(in: rest) else { return "" }
      meant = meant.map { $0 + clock }.filter { Timestamp(text: $0) != nil }
    }
    if !meant.isEmpty { return "; did you mean \(meant.joined(separator: " or "))?" }
    if number > 0, count == 10 || count == 13 {
      let (unit, factor) = count == 10 ? ("seconds", Int64(1000)) : ("milliseconds", 1)
      return "; as \(unit) since 1970 it is \(Timestamp(milliseconds: number * factor).text)"
    }
    let isUnknown = date.contains("-") && Timestamp(dateText: String(date)) == nil
    if isUnknown, date.utf8.count == 10 || date.utf8.count == 7 && rest.isEmpty {
      let parts = date.split(separator: "-")
      let isMonth = parts.count > 1 && (1...12).contains(Int(parts[1]) ?? 0)
      return isMonth || parts.first?.utf8.count != 4
        ? "; that day does not exist" : "; there is no month \(parts.dropFirst().first ?? "")"
    }
    return text.contains("/") ? "; a day is written YEAR-MONTH-DAY" : ""
  }

  /// Returns a past time's words for the command date; nil if they may name no such time.
  private static func past(_ text: String) -> String? {
    let words = text.split { " -".contains($0) }.filter { $0 != "ago" }
    guard let last = words.last, words.count <= 2,
      let unit = units.first(where: { [$0, $0 + "s"].contains(last) })
    else { return nil }
    if words.count == 2, Int64(words[0]) != nil { return "\(words[0]) \(last) ago" }
    return words.count == 1 || words[0] == "last" ? "last \(unit)" : nil
  }

  private static let units = [
    "minute", "hour", "day", "week", "month", "year",
    "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday",
  ].map { Substring($0) }

  /// Returns the days that three numbers may name: the year is the first of them or the last.
  private static func days(in text: Substring) -> [String] {
    var parts = text.split { "-./".contains($0) }.map { $0.utf8.count == 1 ? "0" + $0 : $0 }
    if text.utf8.count == 8, parts == [text] {
      parts = [text.prefix(4), text.dropFirst(4).prefix(2), text.suffix(2)]
    }
    guard parts.count == 3 else { return [] }
    let orders = parts[0].utf8.count == 4 ? [[0, 1, 2]] : [[2, 1, 0], [2, 0, 1]]
    let days = orders.map { $0.map { parts[$0] }.joined(separator: "-") }
    return days.prefix(parts[0] == parts[1] ? 1 : 2).filter { Timestamp(dateText: $0) != nil }
  }

  /// Returns the clock and the offset (or UTC) after a day: `T10:00:00+02:00` for ` 10:00 +0200`.
  private static func clock(in text: Substring) -> String? {
    let text = text.drop { " ,T".contains($0) }
    let clock = text.prefix { "0123456789:.".contains($0) }
    var numbers = clock.split(separator: ":").map { $0.utf8.count == 1 ? "0" + $0 : $0 }
    if numbers == [clock], [2, 4, 6].contains(clock.utf8.count) {
      numbers = [0, 2, 4].map { (clock + "0000").dropFirst($0).prefix(2) }
    }
    let zone = text.dropFirst(clock.count).drop { $0 == " " }
    guard numbers.count == 2 || numbers.count == 3, let offset = offset(zone) else { return nil }
    return "T" + numbers.joined(separator: ":") + (numbers.count == 2 ? ":00" : "") + offset
  }

  private static func offset(_ zone: Substring) -> String? {
    if ["", "Z", "UTC", "GMT"].contains(zone) { return "Z" }
    let digits = zone.dropFirst().filter { $0 != ":" }
    guard let sign = zone.first, sign == "+" || sign == "-", [2, 4].contains(digits.utf8.count)
    else { return nil }
    return "\(sign)\(digits.prefix(2)):\(digits.utf8.count == 4 ? digits.suffix(2) : "00")"
  }
}

extension TextForm {
  /// Returns the fault of a path that begins with `~` or a variable; nil for another path.
  static func unexpandedHome(_ path: String) -> String? {
    if path.hasPrefix("$") {
      let name = path.prefix { $0 != "/" }
      return "takes a path, and \(quoted(String(name))) in it is not expanded: the shell expands "
        + "no variable in single quotes"
    }
    if !path.hasPrefix("~") { return nil }
    return "takes a path, and the ~ of \(quoted(path)) is not expanded: write $HOME"
  }

  /// Returns a text's fault, if any, to follow the flag's name in a message.
  func problem(with text: String) -> String? {
    switch self {
    case .any, .name, .zone, .path, .list: nil
    case .store, .server:
      if text.isEmpty {
        "takes a path, and is empty here: is a variable not set?"
      } else if let problem = Self.unexpandedHome(text) {
        problem
      } else if URLPassword.isIn(text) {
        "takes no URL with a password in it, which others could see; use CREDIT_STORE, PGPASSFILE, "
          + "PGPASSWORD or a service file (an @ in a name is written %40)"
      } else {
        nil
      }
    case .tag:
      if case (let name, let value?) = text.tagParts {
        Tags.problem(inRequest: name, value).map { "\(quoted(text)) \($0)" }
      } else {
        "takes NAME=VALUE, not \(quoted(text))"
      }
    case .limit: Self.limitProblem(text)
    case .members:
      // No member has an empty name: a path with one is a variable that is not set, or a slip.
      text.utf8.split(omittingEmptySubsequences: false) { ",.".utf8.contains($0) }
        .contains { $0.isEmpty }
        ? "takes members such as account,balance; not \(quoted(text))" : nil
    case .choice(let words):
      words.contains(text)
        ? nil
        : "takes one of \(words.joined(separator: ", ")); not \(quoted(text))"
          + NearestNames.question(text, among: words)
    }
  }

  private static func limitProblem(_ text: String) -> String? {
    if LimitText.change(text) != nil { return nil }
    let parts = text.split(separator: "@", maxSplits: 1, omittingEmptySubsequences: false)
    let (id, number) = String(parts[0]).tagParts
    let plain = "\(id)=\((number ?? "").filter { !",-".contains($0) })"
    if LimitText.change(plain + text.dropFirst(parts[0].count)) != nil {
      return "takes numbers of 0 or more, without commas, such as day=1000; not \(quoted(text))"
    }
    if text.contains("$") || text.lowercased().utf8.contains("usd") {
      return
        "takes a number alone, such as day=5; only a limit of the plan with \"unit\":\"usd\" is "
        + "in dollars; not \(quoted(text))"
    }
    if parts.count == 2, case .number? = LimitText.change(String(parts[0]))?.value {
      return "takes rising percentages from 1 to 1000 behind the @, such as day=1000@80,100; "
        + "not \(quoted(text))"
    }
    return "takes ID=N, ID=N@PERCENT,…, ID=none or ID=plan, such as day=1000@80; "
      + "not \(quoted(text))"
  }
}

extension String {
  /// The text before the first `=` of a tag, and the text after it.
  var tagParts: (name: String, value: String?) {
    guard let mark = utf8.firstIndex(of: UInt8(ascii: "=")) else { return (self, nil) }
    return (String(self[..<mark]), String(self[utf8.index(after: mark)...]))
  }
}

/// The kinds of names that a store has, as completions ask for them.
public enum NameKind: String, CaseIterable, Sendable {
  case account, model, product, plan
  /// A limit of a plan, or a period that is one.
  case limit
  /// An authorization that is neither charged nor voided.
  case authorization
  /// An authorization that has been charged.
  case charge
}
