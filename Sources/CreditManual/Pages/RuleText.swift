internal import CreditJSON
internal import CreditModel

/// The texts from the tables of the rules: usage, prices, responses, the standard policy.
extension PageText {
  static func ruleText(_ place: String) -> String? {
    switch place {
    case "counts":
      Mdoc.table(
        ["Count", "Flag", "What is counted"],
        UsageCount.allCases.map { ["`\($0.row.member)`", "`--\($0.row.flag)`", $0.row.summary] })
    case "price-members":
      Mdoc.table(
        ["Count", "Member of `usdPer1M`", "If absent"],
        UsageCount.allCases.map { count in
          [
            "`\(count.row.member)`", "`\(PriceForm.dollars.name(of: count))`",
            count.row.absentPrice.words,
          ]
        })
    case "ordinary-values": Mdoc.text("(\(literals(UsageCondition.ordinaryValues))),")
    case "standard-policy": standardPolicy
    case "usage-places":
      // In the order of the search. The empty path is the response itself.
      Mdoc.text(literals((UsageShape.usageMembers + UsageShape.usageHolders).map(\.text)) + ",")
    case "usage-shapes":
      Mdoc.list(
        UsageShape.all.filter { !$0.isUnits && !$0.fields.isEmpty }.map { shape in
          (Mdoc.tag("\(shape.name)"), "\(shape.rule) See \(shape.documentation).")
        })
    case "response-ends":
      Mdoc.list(
        ResponseForm.all.map {
          (Mdoc.tag("\($0.name)"), "\($0.endInWords). See \($0.documentation).")
        })
    case "failed-statuses": Mdoc.text(literals(ResponseFailure.failedStatuses) + ";")
    case "result-places": Mdoc.text(literals(ShownResult.places) + ".")
    case "result-statuses": Mdoc.text(literals(ShownResult.statuses))
    case "result-failures": Mdoc.text(literals(ShownResult.failures) + ",")
    case "result-unfinished": Mdoc.text(literals(ShownResult.unfinished) + ",")
    case "result-endings": Mdoc.text(literals(ShownResult.endings) + ",")
    case "error-places":
      Mdoc.text(
        literals((ResponseFailure.errors.all + ResponseFailure.exceptions.all).map(\.text)) + ",")
    default: nil
    }
  }

  /// The names as literals. The empty one is the path of an object itself.
  private static func literals(_ names: [some CustomStringConvertible]) -> String {
    names.map { $0.description.isEmpty ? "the object itself" : "`\($0)`" }.joined(separator: ", ")
  }

  /// The members that the standard policy says before its lists, with their values.
  private static var standardPolicy: String {
    String(decoding: PolicyText.standard, as: UTF8.self).split(separator: "\n")
      .prefix { !$0.hasPrefix("  \"models\"") }
      .map { Mdoc.escaped(String($0)) }.joined(separator: "\n")
  }
}

extension UsageCount.AbsentPrice {
  /// The rule, for a table.
  fileprivate var words: String {
    switch self {
    case .refused: "must be there"
    case .input: "input price"
    case .inputUnlessCacheWrite: "input price, or none if there is a `cacheWrite`"
    case .cacheRead: "`cacheRead` price, else input price"
    case .unpriced: "none"
    }
  }
}

extension UsageShape {
  /// Its counts, and which of them include which.
  fileprivate var rule: String { "\(countsInWords). \(cacheCounts.words)" }

  /// `input` is `prompt_tokens`; …
  private var countsInWords: String {
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
