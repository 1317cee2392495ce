internal import CreditBytes
internal import CreditJSON
import CreditModel

/// The tables of usage shapes and response forms in words.
enum ResponseRules {
  /// The places that may have a usage, in the order of the search. The empty path is the response
  /// itself.
  static var usagePlaces: [String] {
    (UsageShape.usageMembers + UsageShape.usageHolders).map(\.text.description)
  }

  /// Each shape of usage: its name, its counts, and the provider's page.
  static var shapes: [(name: String, counts: String, page: String)] {
    UsageShape.all.filter { !$0.isUnits }.map { shape in
      (
        "\(shape.name)",
        shape.countsInWords.isEmpty
          ? "The usage has no counts, only the cost."
          : "\(shape.countsInWords). \(shape.cacheCounts.words)", "\(shape.documentation)"
      )
    }
  }

  /// Each form of response: its name, its end, and the provider's page.
  static var forms: [(name: String, end: String, page: String)] {
    ResponseForm.all.map { ("\($0.name)", $0.endInWords, "\($0.documentation)") }
  }

  /// The statuses of responses that are not billed.
  static var failedStatuses: [String] { ResponseFailure.failedStatuses.map(\.description) }

  /// The places of a response's error.
  static var errorPlaces: [String] {
    (ResponseFailure.errors + ResponseFailure.exceptions).map(\.text.description)
  }
}

extension UsageShape {
  /// `input` is `prompt_tokens`; …
  fileprivate var countsInWords: String {
    var meanings: [(meaning: String, paths: [String])] = []
    func add(_ path: StaticString, _ meaning: UsageField.Meaning, tag: StaticString? = nil) {
      guard let words = meaning.words else { return }
      let place = "`\(path)`" + (tag.map { " (\($0))" } ?? "")
      if let row = meanings.firstIndex(where: { $0.meaning == words }) {
        meanings[row].paths.append(place)
      } else {
        meanings.append((words, [place]))
      }
    }
    for field in fields { add(field.path, field.meaning) }
    for list in lists {
      for tag in list.tags {
        add(list.path, tag.meaning, tag: list.tag == nil ? nil : tag.name)
      }
    }
    return meanings.map { "\($0.meaning): \($0.paths.joined(separator: ", "))" }
      .joined(separator: "; ")
  }
}

extension UsageShape.CacheCounts {
  fileprivate var words: String {
    switch self {
    case .insideInput: "What is cached is part of the input."
    case .besideInput: "What is cached comes on top of the input."
    }
  }
}

extension UsageField.Meaning {
  /// The words for a number's billing. Nil for one that is not billed, or only looked at beside
  /// another.
  fileprivate var words: String? {
    switch self {
    case .input, .furtherInput: "input"
    case .output, .furtherOutput: "output"
    case .reasoning, .reasoningApart: "output where the total shows that it leaves it out"
    case .cacheRead: "cache reads"
    case .cacheWrite, .cacheWrite5m: "cache writes"
    case .cacheWrite1h: "cache writes for an hour"
    case .cacheWrite12h: "cache writes for 12 hours"
    case .part(let count), .beside(let count): "`\(count.row.member)`"
    case .condition(let condition): "`\(condition.member)`"
    case .served(let tier): "`\(UsageCondition.serviceTier.member)` of \(tier)"
    case .unread, .callsInAll: "`unread`"
    case .total, .known: nil
    }
  }
}

extension ResponseForm {
  /// The marks that end it or make its usage final.
  fileprivate var endInWords: String {
    var ends = ends.all.map(\.words)
    if let parts {
      ends.append("a `\(parts.reason.text)` in each of `\(parts.list.text)`")
    }
    if endsByWord { ends.append("`[DONE]`") }
    let finals = finals.all.map(\.words)
    return ends.joined(separator: "; ")
      + (finals.isEmpty ? "" : " (the usage is final from \(finals.joined(separator: "; ")) on)")
  }
}

extension ResponseMark {
  fileprivate var words: String {
    switch test {
    case .isThere: "`\(member.text)`"
    case .isNull: "`\(member.text)` of null"
    case .isTrue: "`\(member.text)` of true"
    case .isFalse: "`\(member.text)` of false"
    case .says(let texts):
      "`\(member.text)` of \(texts.map { "`\($0)`" }.joined(separator: ", "))"
    case .begins(let text): "`\(member.text)` of `\(text)...`"
    }
  }
}
