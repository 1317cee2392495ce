public import CreditBytes
internal import CreditJSON
internal import CreditModel

/// The products on sale as one page, to be printed or published.
public struct ProductPage {
  private let version: String
  private var rows: [(cells: String, created: String)] = []

  /// - Parameter version: of the tool that makes the page.
  public init(version: String) { self.version = version }

  public mutating func add(_ product: JSONValue) {
    let id = product.string("id") ?? ""
    let price = product.member("price").map { price in
      price.string ?? String(decoding: price.raw, as: UTF8.self)
    }
    let shownPrice = price.map { price in
      product.string("currency").map { "\(price) \($0)" } ?? price
    }
    let cells = [
      Self.cell(String(product.int64("displayOrder") ?? 0), isNumber: true), Self.cell(id),
      Self.cell(product.string("name") ?? id), Self.cell(product.string("description") ?? ""),
      Self.cell(product.int64("credits").map(\.separated) ?? "", isNumber: true),
      Self.cell(shownPrice ?? "", isNumber: true),
    ]
    let created = product.member("createdAt")?.timestamp()?.text.prefix(10) ?? ""
    rows.append((cells.joined(), String(created)))
  }

  private static func cell(_ text: String, isNumber: Bool = false) -> String {
    isNumber ? "<td class=\"n\">\(text.html)</td>" : "<td><bdi>\(text.foldableHTML)</bdi></td>"
  }

  public var html: [UInt8] {
    let page = HTMLPage(title: "Products", style: PackageResources.page_css)
    // A product's creation time is shown if any product has one.
    let showsCreation = rows.contains { !$0.created.isEmpty }
    var names = ["#", "Id", "Name", "Description", "Credits", "Price"]
    if showsCreation { names.append("Created") }
    let heads = names.map { name in
      ["#", "Credits", "Price", "Created"].contains(name)
        ? "<th class=\"n\">\(name)</th>" : "<th>\(name)</th>"
    }
    let body = rows.map { row in
      "<tr>\(row.cells)\(showsCreation ? Self.cell(row.created, isNumber: true) : "")</tr>\n"
    }
    let count = rows.count
    let noun = count == 1 ? "product" : "products"
    let table = """
      <figure><div class="wide-table"><table class="products">
      <thead><tr>\(heads.joined())</tr></thead>
      <tbody>
      \(body.joined())</tbody></table></div></figure>

      """
    let content = """
      <header><h1>Products</h1>
      <p>\(count.separated) \(noun) on sale</p></header>
      <main>
      \(count == 0 ? "" : table)</main>
      <footer>credit-price \(version.html)</footer>

      """
    return page.head + Array(content.utf8) + page.end
  }
}
