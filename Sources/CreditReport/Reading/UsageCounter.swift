internal import CreditJSON
internal import CreditModel

/// Reads what was used, each use once: a charge that was corrected has a line of its own for each
/// correction, which says all that was used. Of newest lines first, as the history prints them, the
/// last correction counts.
struct UsageCounter {
  /// The charges whose last correction has been read.
  private var corrected = NameTable()

  /// What a line of usage counts, in the order of ``UsageCount``, then units; nothing of others.
  mutating func counts(of line: ReportLine) -> [(kind: UsageKind, count: Int64)] {
    guard line.kind == .usage, line.counts, isNews(line), let usage = line.value.member("usage"),
      usage.isObject
    else { return [] }
    return UsageKind.all.compactMap { kind in
      guard let count = usage.int64(kind.member), count > 0 else { return nil }
      return (kind, count)
    }
  }

  /// Whether a line says of a charge what no line before it said.
  private mutating func isNews(_ line: ReportLine) -> Bool {
    let id = line.id
    guard id.hasPrefix("amend:") else { return corrected.number(of: Name(trusted: id)) == nil }
    if id.hasSuffix(":old") { return false }
    let end = id.utf8.lastIndex(of: UInt8(ascii: ":")) ?? id.endIndex
    let charge = id[..<end].dropFirst("amend:".utf8.count)
    return corrected.add(Name(trusted: String(charge)))
  }
}

/// A kind of what is used.
struct UsageKind: Hashable {
  /// Its place among all.
  let number: Int

  static let all = (0...UsageCount.allCases.count).map(UsageKind.init)

  private var row: UsageCount.Row? {
    number < UsageCount.allCases.count ? UsageCount.allCases[number].row : nil
  }

  /// The member of a usage: `inputTokens`.
  var member: StaticString { row?.member ?? "units" }

  /// What it is called in a table: `input tokens`.
  var title: String {
    var title = ""
    var last: Unicode.Scalar = " "
    for scalar in member.description.unicodeScalars {
      let isUpper = scalar.properties.isUppercase
      let isStart = isUpper || (scalar.properties.numericType != nil && !last.isDigit)
      if isStart, !title.isEmpty { title += " " }
      title += isUpper ? String(scalar).lowercased() : String(scalar)
      last = scalar
    }
    return title
  }

  /// What one of them is, as FOCUS names units.
  var unit: String {
    switch row?.kind {
    case .input, .output: "Tokens"
    case .calls: title.prefix(1).uppercased() + title.dropFirst()
    case nil: "Units"
    }
  }

  var isTokens: Bool { row.map { $0.kind != .calls } ?? false }
}

extension Unicode.Scalar {
  fileprivate var isDigit: Bool { ("0"..."9").contains(self) }
}
