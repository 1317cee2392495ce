internal import CreditCommand
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
    case "usage-places": Mdoc.text(literals(ResponseRules.usagePlaces) + ",")
    case "usage-shapes":
      Mdoc.list(ResponseRules.shapes.map { (Mdoc.tag($0.name), "\($0.counts) See \($0.page).") })
    case "response-ends":
      Mdoc.list(ResponseRules.forms.map { (Mdoc.tag($0.name), "\($0.end). See \($0.page).") })
    case "failed-statuses": Mdoc.text(literals(ResponseRules.failedStatuses) + ";")
    case "error-places": Mdoc.text(literals(ResponseRules.errorPlaces) + ",")
    default: nil
    }
  }

  /// The names as literals. The empty one is the path of an object itself.
  private static func literals(_ names: [String]) -> String {
    names.map { $0.isEmpty ? "the object itself" : "`\($0)`" }.joined(separator: ", ")
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
