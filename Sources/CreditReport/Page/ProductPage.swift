package import CreditJSON
internal import CreditModel

/// The products on sale as one page, to be printed or published.
package struct ProductPage {
  private let version: String
  private var rows = ""
  private var count = 0

  /// - Parameter version: of the tool that makes the page.
  package init(version: String) { self.version = version }

  /// Adds a product of a catalog.
  package mutating func add(_ product: JSONValue) {
    count += 1
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
    rows += "<tr>\(cells.joined())</tr>\n"
  }

  private static func cell(_ text: String, isNumber: Bool = false) -> String {
    isNumber ? "<td class=\"n\">\(text.html)</td>" : "<td><bdi>\(text.foldableHTML)</bdi></td>"
  }

  package var html: [UInt8] {
    let page = HTMLPage(title: "Products", style: PackageResources.page_css)
    let heads = ["#", "Id", "Name", "Description", "Credits", "Price"].map { name in
      ["#", "Credits", "Price"].contains(name)
        ? "<th class=\"n\">\(name)</th>" : "<th>\(name)</th>"
    }
    let noun = count == 1 ? "product" : "products"
    let table = """
      <figure><div class="wide-table"><table class="products">
      <thead><tr>\(heads.joined())</tr></thead>
      <tbody>
      \(rows)</tbody></table></div></figure>

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
