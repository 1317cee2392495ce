internal import CreditModel

/// The largest accounts, models and products, and the share of accounts that bought.
struct PageShares {
  private static let rowLimit = 10

  let book: PageBook
  let memberBook: PageBook?
  /// The parts that the page's account has paid in the work of teams.
  let paidFor: [SumTable.Group]
  /// True for the seller, who sees the providers' cost and the margin.
  let showsCost: Bool
  /// False for a customer, as the prices in dollars may be the providers'.
  let showsValue: Bool
  /// Nil for a customer.
  let revenue: GrantRevenue?

  func html() throws(CreditError) -> String {
    """
    <section class="shares">
    \(accounts)\(try teams())\(try members())\(try payments())\(models)\(tags)\(counts)\
    \(try products())\(deferred)\(conversion)</section>

    """
  }

  // MARK: Accounts

  private var accounts: String {
    // Without the lines of the charged accounts, only their payers are known.
    var known = book.accounts.accounts
    if book.owners.lacksAll {
      for place in known.indices { known[place].spent = known[place].paid }
    }
    let sorted = known.sorted {
      (max($0.spent, $0.paid), $0.bought, $1.name) > (max($1.spent, $1.paid), $1.bought, $0.name)
    }
    if sorted.count < 2 || book.team != nil { return "" }
    let spent = sorted.reduce(Int128(0)) { $0 + max(0, $1.spent) }
    let hasPayers = sorted.contains { $0.spent != $0.paid }
    let hasSales = !book.sums.sales.all.isEmpty
    func figures(_ account: AccountBook.AccountSums, _ balance: String?) -> [String] {
      [account.spent.separated] + (hasPayers ? [account.paid.separated] : [])
        + [account.bought.separated] + (hasSales ? [Self.money(account.sales)] : [])
        + (book.isOfTag ? [] : [balance ?? ""])
    }
    var rows = ""
    let (first, others) = Self.parted(sorted)
    for account in first {
      rows += row(
        account.name, share: (account.spent, spent),
        figures(account, book.balances.balance(of: account.name)?.separated))
    }
    var (sum, total) = (AccountBook.AccountSums(name: ""), AccountBook.AccountSums(name: ""))
    // Their total has been added up already.
    for one in sorted { try? total.add(one) }
    for other in others { try? sum.add(other) }
    if !others.isEmpty {
      let balance = others.reduce(Int128(0)) {
        $0 + Int128(book.balances.balance(of: $1.name) ?? 0)
      }
      rows += row(
        others: others.count, share: (sum.spent, spent), figures(sum, balance.separated))
    }
    return table(
      "Accounts" + refundNote,
      ["Account", "Share", "Spent"] + (hasPayers ? ["Credits paid"] : []) + ["Bought"]
        + (hasSales ? [showsCost ? "Sales" : "Paid"] : []) + (book.isOfTag ? [] : ["Balance"]),
      rows,
      total: figures(total, nil))
  }

  // MARK: Teams

  private func teams() throws(CreditError) -> String {
    if book.team != nil || !book.namesOthers { return "" }
    let rows = try book.teams.sorted().compactMap { group in
      group.values[0].map { UsageRow(name: $0.teamName, sums: group.sums) }
    }
    return usage("Teams", "Parent", rows)
  }

  /// The spending of each member of the page's account, with the parts of all payers.
  private func members() throws(CreditError) -> String {
    guard let memberBook else { return "" }
    let rows = try memberBook.teams.sorted().compactMap { group in
      group.values[1].map { UsageRow(name: $0, sums: group.sums) }
    }
    return usage("Members" + note("whoever paid"), "Member", rows)
  }

  /// The account's parts in the work of each team, and of each member.
  private func payments() throws(CreditError) -> String {
    var teams: [String: LineSums] = [:]
    let members = try paidFor.map { (group) throws(CreditError) in
      let (payer, team) = (group.values[0], group.values[1])
      try teams[team?.teamName ?? "no team", default: LineSums()].add(group.sums)
      let suffix = team == payer ? "" : team.map { " of \($0.teamName)" } ?? ""
      return UsageRow(name: (group.values[2] ?? "") + suffix, sums: group.sums)
    }
    let rows = teams.map { UsageRow(name: $0.key, sums: $0.value) }
    return usage("Paid for teams", "Team", rows) + usage("Paid for members", "Member", members)
  }

  // MARK: Models

  private var models: String {
    let models = book.usage.models.map { UsageRow(name: $0.name ?? "no model", sums: $0.sums) }
    return usage("Models" + note("own work and its part of others"), "Model", models)
  }

  /// Says whose payments a table has, if the page has tables of both.
  private func note(_ text: String) -> String {
    memberBook?.days == nil || book.team != nil ? "" : " <small>\(text)</small>"
  }

  private struct UsageRow {
    let name: String
    let sums: LineSums
  }

  /// Returns a table of usage by its purpose.
  /// - Parameters:
  ///   - rest: the usage without a name.
  ///   - attributes: of the table's figure.
  private func usage(
    _ title: String, _ noun: String, _ rows: [UsageRow], rest: LineSums? = nil,
    attributes: String = ""
  ) -> String {
    let sorted = rows.sorted { ($0.sums.spent, $1.name) > ($1.sums.spent, $0.name) }
    if sorted.isEmpty { return "" }
    let spent = sorted.reduce(max(0, rest?.spent ?? 0)) { $0 + max(0, $1.sums.spent) }
    let hasPrice = showsValue && sorted.contains { $0.sums.usd != nil }
    let hasCost = showsCost && sorted.contains { $0.sums.costUSD != nil }
    let hasRefunds = (sorted.map(\.sums) + [rest ?? LineSums()])
      .contains { $0.refundsOfCharges != nil }
    let paths =
      (hasPrice ? [\LineSums.usd] : []) + (hasCost ? [\LineSums.costUSD, \.marginUSD] : [])
    func amounts(_ sums: LineSums) -> [ExactDecimal?] { paths.map { sums[keyPath: $0] } }
    let (firstRows, others) = Self.parted(sorted)
    let first = firstRows.map(\.sums)
    var (sums, total) = (rest ?? LineSums(), LineSums())
    // Their total has been added up already.
    for other in others { try? sums.add(other.sums) }
    for sums in first + [sums] { try? total.add(sums) }
    var places = ShownPlaces(first.flatMap(amounts))
    let isFooted = places.foot { places in
      paths.allSatisfy { path in
        places.addsUp((first + [sums]).map { $0[keyPath: path] }, to: total[keyPath: path])
      }
        && (hasCost ? first + [sums, total] : []).allSatisfy {
          places.addsUp([$0.costUSD, $0.marginUSD], to: $0.usd)
        }
    }
    func figures(_ sums: LineSums) -> [String] {
      [sums.count.separated, sums.spent.separated]
        + amounts(sums).map { $0.map(places.text) ?? "" }
    }
    var cells = ""
    for one in firstRows {
      cells += row(one.name, share: (one.sums.spent, spent), figures(one.sums))
    }
    if sums.count > 0 || sums.credits != 0 {
      cells +=
        rest.map { $0.count > 0 || $0.credits != 0 } == true
        ? row(html: "others", share: (sums.spent, spent), figures(sums))
        : row(others: others.count, share: (sums.spent, spent), figures(sums))
    }
    return table(
      title + (hasRefunds ? " <small>after refunds</small>" : "")
        + (isFooted ? "" : " <small>rounded, the total is of exact amounts</small>"),
      [noun, "Share", "Charges", "Credits"] + (hasPrice ? ["Value, $"] : [])
        + (hasCost ? ["Cost, $", "Margin on value, $"] : []), cells,
      total: sorted.count > 1 ? figures(total) : nil, attributes: attributes)
  }

  // MARK: Tags

  /// A table for each tag: first those with several rows, then by usage. The script shows the one
  /// that is chosen, and the first one until then.
  private var tags: String {
    let note = book.tags.isCut ? " <small>the first \(TagBook.nameLimit) tags</small>" : ""
    let sorted = book.tags.tags.sorted {
      ($0.isParted ? 1 : 0, $0.spent, $1.name) > ($1.isParted ? 1 : 0, $1.spent, $0.name)
    }
    return sorted.map { tag in
      let values = tag.values.map { UsageRow(name: $0.value, sums: $0.sums) }
      let untagged = UsageRow(name: "no \(tag.name)", sums: tag.untagged)
      return usage(
        "By tag <bdi>\(tag.name.html)</bdi>\(note)", tag.name.html,
        values + (tag.untagged.count > 0 ? [untagged] : []), rest: tag.others,
        attributes: " data-tag=\"\(tag.name.html)\"")
    }.joined()
  }

  // MARK: Counts

  private var counts: String {
    let used = book.counts.used
    if used.isEmpty { return "" }
    let tokens = used.reduce(Int128(0)) { $0 + ($1.kind.isTokens ? max(0, $1.count) : 0) }
    let rows = used.map { kind, count in
      row(kind.title, share: (kind.isTokens ? max(0, count) : 0, tokens), [count.separated])
    }
    return table("Usage by kind", ["Kind", "Share of tokens", "Number"], rows.joined())
  }

  // MARK: Products

  private func products() throws(CreditError) -> String {
    let sorted = book.sales.products.sorted { $0.sums.credits > $1.sums.credits }
    if sorted.isEmpty { return "" }
    var rows = ""
    let (first, others) = Self.parted(sorted)
    for product in first {
      let sums = product.sums
      rows += row(
        product.name ?? "no product", id: product.id, share: try share(of: [product][...]),
        [
          sums.count.separated, sums.credits.separated,
          product.currency == nil ? "" : PageFigures.money(try product.kept(), product.currency),
          sums.refundedPrice.map { PageFigures.money($0, product.currency) } ?? "",
        ])
    }
    func sold(_ products: ArraySlice<SalesBook.ProductSums>) -> [String] {
      [
        products.reduce(Int64(0)) { $0 + $1.sums.count }.separated,
        products.reduce(Int128(0)) { $0 + $1.sums.credits }.separated,
      ]
    }
    if !others.isEmpty {
      rows += row(
        others: others.count, share: try share(of: others), sold(others) + ["", ""])
    }
    let money = [Self.money(book.sums.sales), Self.money(book.sums.paidBack)]
    return table(
      "Products" + refundNote,
      [
        "Product", "Share", "Purchases", "Credits", showsCost ? "Sales" : "Paid", "Refunded",
      ], rows, total: sorted.count > 1 ? sold(sorted[...]) + money : nil)
  }

  /// The part of products in the money of their currency, after refunds; 0 of 0 for several
  /// currencies, which have no sum together.
  private func share(of products: ArraySlice<SalesBook.ProductSums>) throws(CreditError)
    -> (part: Int128, whole: Int128)
  {
    guard let currency = products.first?.currency,
      products.allSatisfy({ $0.currency == currency })
    else { return (0, 0) }
    var part = ExactDecimal.zero
    for product in products { try part.add(try product.kept()) }
    let whole = try book.sales.kept(in: currency)
    let places = max(part.scale, whole.scale)
    guard let part = part.coefficient(atScale: places),
      let whole = whole.coefficient(atScale: places)
    else { return (0, 0) }
    return (part, whole)
  }

  /// Says which columns are before refunds, if there were any.
  private var refundNote: String {
    let sums = book.sums
    let hasRefunds = sums.takenBack != 0 || sums.givenBack != 0 || !sums.paidBack.all.isEmpty
    return hasRefunds ? " <small>credits before refunds, money after them</small>" : ""
  }

  // MARK: Deferred revenue

  /// The change of deferred revenue by product, as journals book it.
  private var deferred: String {
    guard let revenue, !revenue.rows.isEmpty else { return "" }
    let rows = revenue.rows.map { product, currency, parts in
      let cells = parts.map { $0.separated(in: currency) } + [currency]
      return product.map { row($0, share: (0, 0), cells) }
        ?? row(html: "total", share: (0, 0), cells, kind: " class=\"sum\"")
    }
    return table(
      "Deferred revenue <small>opening and sold, less the next four, is the closing</small>",
      [
        "Product", "", "Opening", "Sold", "Paid back", "Earned", "Expired", "Kept", "Closing",
        "Currency",
      ], rows.joined())
  }

  // MARK: Conversion

  private var conversion: String {
    let accounts = book.accounts.accounts
    let (bought, again) = book.accounts.buyers
    if accounts.count < 2 || bought == 0 { return "" }
    let counts = [("Accounts", accounts.count), ("Bought", bought), ("Bought again", again)]
    let rows = counts.map { name, count in
      row(name, share: (Int128(count), Int128(accounts.count)), [count.separated])
    }
    return table("Conversion", ["Which", "Share", "Number"], rows.joined())
  }

  // MARK: Tables

  /// Splits sorted rows into those that are shown and those that are summed up, never one alone.
  private static func parted<Row>(_ rows: [Row]) -> (ArraySlice<Row>, others: ArraySlice<Row>) {
    let count = rows.count == rowLimit + 1 ? rows.count : rowLimit
    return (rows.prefix(count), rows.dropFirst(count))
  }

  private static func money(_ sums: MoneySums) -> String {
    sums.all.map { PageFigures.money($0.sum, $0.currency) }.joined(separator: "<br>")
  }

  private func table(
    _ title: String, _ names: [String], _ rows: String, total: [String]? = nil,
    attributes: String = ""
  ) -> String {
    let sum = total.map { row(html: "total", share: (0, 0), $0, kind: " class=\"sum\"") } ?? ""
    let heads = names.enumerated().map { "<th\($0 > 1 ? " class=\"n\"" : "")>\($1)</th>" }
    // If there is little room, each figure has its name above it.
    let captions = names.enumerated().dropFirst(2).map { "--h\($0): '\($1)'" }
    let columns = names.count > 4 ? " columns\" style=\"\(captions.joined(separator: "; "))" : ""
    return """
      <figure\(attributes)><h2>\(title)</h2>
      <div class="wide-table\(columns)"><table><thead><tr>\(heads.joined())</tr></thead><tbody>
      \(rows)\(sum)</tbody></table></div></figure>

      """
  }

  /// - Parameter id: shown beside another name, which the catalog may change later.
  private func row(
    _ name: String, id: String? = nil, share: (part: Int128, whole: Int128), _ cells: [String]
  ) -> String {
    let idText = id.map { $0 == name ? "" : " <small><bdi>\($0.foldableHTML)</bdi></small>" } ?? ""
    let html = "<bdi title=\"\((id ?? name).html)\">\(name.foldableHTML)</bdi>\(idText)"
    return row(html: html, share: share, cells)
  }

  private func row(
    others count: Int, share: (part: Int128, whole: Int128), _ cells: [String]
  ) -> String {
    row(html: count.counted("other"), share: share, cells)
  }

  private func row(
    html name: String, share: (part: Int128, whole: Int128), _ cells: [String], kind: String = ""
  ) -> String {
    let width = share.part.share(of: share.whole, in: 1000)?.percentText ?? "0%"
    let numbers = cells.map { "<td class=\"n\">\($0)</td>" }.joined()
    return """
      <tr\(kind)><td class="name">\(name)</td><td class="share">\
      \(share.part.percent(of: share.whole))<i style="width:\(width)"></i></td>\(numbers)</tr>

      """
  }
}
