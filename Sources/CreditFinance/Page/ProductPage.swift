public import CreditBytes
internal import CreditJSON

/// The products on sale as one page for a shop: to be published, embedded or printed.
public struct ProductPage {
  private let version: String
  private let title: String
  private let now: Timestamp
  /// The products of each group, in the order of the catalog; those for everybody first.
  private var sections: [(group: String?, cards: [String])] = [(nil, [])]
  private var count = 0

  /// - Parameters:
  ///   - version: of the tool that makes the page.
  ///   - title: nil for `Products`.
  ///   - now: the time of the promotions; `latest` if all count.
  public init(version: String, title: String? = nil, now: Timestamp = .latest) {
    self.version = version
    self.title = title ?? "Products"
    self.now = now
  }

  /// - Parameters:
  ///   - plan: the plan that the product pays for, if it is a subscription and the plan is known.
  ///   - showsGroups: false on a page for one buyer.
  public mutating func add(
    _ product: JSONValue, plan: JSONValue? = nil, showsGroups: Bool = true
  ) {
    count += 1
    let groups = product.member("groups")?.elements.compactMap(\.string) ?? []
    let card = card(product, plan)
    guard showsGroups, !groups.isEmpty else { return sections[0].cards.append(card) }
    for group in groups {
      if let place = sections.firstIndex(where: { $0.group == group }) {
        sections[place].cards.append(card)
      } else {
        sections.append((group, [card]))
      }
    }
  }

  // MARK: Cards

  private func card(_ product: JSONValue, _ plan: JSONValue?) -> String {
    let id = product.string("id") ?? ""
    let parts = [
      "<h3><bdi>\((product.string("name") ?? id).foldableHTML)</bdi></h3>",
      product.string("description").map { "<p><bdi>\($0.foldableHTML)</bdi></p>" } ?? "",
      Self.amount(of: product), "<ul>\(remarks(on: product, plan))</ul>", Self.price(of: product),
    ]
    let created = product.member("createdAt")?.timestamp()?.text.prefix(10)
    let creation = created.map { "\n<dt>Created</dt><dd>\($0)</dd>" } ?? ""
    return """
      <article>\(parts.joined())<dl><dt>Id</dt><dd>\(id.foldableHTML)</dd>\(creation)</dl></article>

      """
  }

  private static func amount(of product: JSONValue) -> String {
    if let plan = product.string("plan") {
      return "<p class=\"amount\"><small>plan</small> <b>\(plan.foldableHTML)</b></p>"
    }
    guard let credits = product.int64("credits") else { return "" }
    let noun = credits == 1 ? "credit" : "credits"
    return "<p class=\"amount\"><b>\(credits.separated)</b> <small>\(noun)</small></p>"
  }

  private static func price(of product: JSONValue) -> String {
    guard let price = product.member("price")?.amount else { return "" }
    let currency = product.string("currency").map { " \($0.html)" } ?? ""
    var perCredit = ""
    if product.string("plan") != nil {
      perCredit = "<small>for \(span(of: product)?.html ?? "each period")</small>"
    } else if let credits = product.int64("credits"), credits > 0 {
      var share = FractionSum()
      if (try? share.add(price, times: 1, over: Int128(credits))) != nil,
        let exact = try? share.worked()
      {
        perCredit = "<small>\(ShownPlaces([exact]).plain(exact))\(currency) a credit</small>"
      }
    }
    let amount = price.separated(in: product.string("currency"))
    return "<p class=\"price\"><b>\(amount)\(currency)</b>\(perCredit)</p>"
  }

  /// Further terms for the buyer: bonuses in force, how long credits last, the models they pay for.
  private func remarks(on product: JSONValue, _ plan: JSONValue?) -> String {
    var remarks = [Self.quota(of: plan)].compactMap { $0 } + Self.limits(of: plan)
    if let credits = product.int64("credits"), credits > 0, product.string("plan") != nil {
      remarks.append("\(credits.separated) credits with it")
    }
    remarks += product.member("bonuses")?.elements.compactMap(bonus) ?? []
    if product.string("plan") == nil, let span = Self.span(of: product) {
      remarks.append("lasts \(span)")
    }
    if let models = product.member("models")?.elements.compactMap(\.string), !models.isEmpty {
      remarks.append("for \(models.joined(separator: ", "))")
    }
    return remarks.map { "<li><bdi>\($0.html)</bdi></li>" }.joined()
  }

  /// How long credits last, or the plan is paid: `30 days`; nil if unsaid.
  private static func span(of product: JSONValue) -> String? {
    product.string("expiresIn").map { time in
      (time.hasSuffix("d") ? Int(time.dropLast()) : nil)?.counted("day") ?? time
    }
  }

  /// Returns a plan's credits in words: `500 credits a month`; nil if it has none.
  public static func quota(of plan: JSONValue?) -> String? {
    guard let quota = plan?.int64("quota"), quota > 0, let period = plan?.member("period") else {
      return nil
    }
    return "\(quota.counted("credit")) \(words(for: period))"
  }

  /// The most that a plan's limits allow: `up to 5,000 credits a month`.
  private static func limits(of plan: JSONValue?) -> [String] {
    plan?.elements("limits").map { limit in
      let most =
        limit.member("usd")?.amount.map { "\($0.separated(in: "USD")) USD" }
        ?? "\((limit.int64("credits") ?? 0).separated) \(limit.string("unit") ?? "credits")"
      let models = limit.elements("models").compactMap(\.string).joined(separator: ", ")
      return "up to \(most) \(limit.member("period").map(words) ?? "")"
        + (models.isEmpty ? "" : " of \(models)")
    } ?? []
  }

  private static func words(for period: JSONValue) -> String {
    switch period.string {
    case "hour": "an hour"
    case "day", "week": "a \(period.string ?? "")"
    case "total": "in all"
    case "subscription": "in each period that is paid"
    case nil: period.int64("days").map { "every \($0) days" } ?? ""
    default: "a month"
    }
  }

  /// Returns a promotion in words; nil if it is not in force.
  private func bonus(_ bonus: JSONValue) -> String? {
    let until = bonus.member("until")?.timestamp()
    if let from = bonus.member("from")?.timestamp(), now != .latest, from > now { return nil }
    if let until, now != .latest, until <= now { return nil }
    var text =
      bonus.int64("percent").map { "\($0)% more" }
      ?? bonus.int64("credits").map { "\($0.separated) credits more" } ?? "a bonus"
    if bonus.member("first")?.bool == true { text += " on the first purchase" }
    if let until { text += ", until \(until.text.prefix(10))" }
    return text
  }

  // MARK: Page

  public var html: [UInt8] {
    let page = HTMLPage(
      title: title.html, style: PackageResources.products_css, hasImages: false)
    let body = sections.filter { !$0.cards.isEmpty }.map { group, cards in
      let head = group.map { "<h2>For group <bdi>\($0.html)</bdi></h2>\n" } ?? ""
      return "<section>\(head)<div>\n\(cards.joined())</div></section>\n"
    }
    let content = """
      <header><h1><bdi>\(title.html)</bdi></h1>
      <p>\(count.counted("product")) on sale</p></header>
      <main>
      \(body.joined())</main>
      <footer>credit-price \(version.html)</footer>

      """
    return page.head + Array(content.utf8) + page.end
  }
}
