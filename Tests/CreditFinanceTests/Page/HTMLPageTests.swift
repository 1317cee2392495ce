import CreditBytes
import Testing

@testable import CreditFinance

@Suite struct HTMLPageTests {
  private func text(_ page: HTMLPage) -> String {
    String(decoding: page.head + page.end, as: UTF8.self)
  }

  /// A browser only runs a script whose sum is the one in the head.
  @Test func scriptRunsByItsSum() throws {
    let html = text(HTMLPage(title: "t", style: [], script: Array("f();\n".utf8)))
    let start = try #require(html.firstRange(of: "<script>")).upperBound
    let end = try #require(html.firstRange(of: "</script>")).lowerBound
    let sum = Base64.encode(SHA256.digest(Array(html[start..<end].utf8)))
    #expect(html.contains("script-src 'sha256-\(String(decoding: sum, as: UTF8.self))'"))
    #expect(html.contains("default-src 'none'"))
  }

  @Test func aPageWithoutScriptRunsNoScript() {
    let html = text(HTMLPage(title: "t", style: []))
    #expect(!html.contains("script"))
  }

  @Test func productsAreEscaped() throws {
    var page = ProductPage(version: "0")
    try JSONDocument(
      #"{"id":"<i>","name":"\u202e'","credits":5000,"price":"1.50","currency":"EUR"}"#
    ).withRoot { page.add($0) }
    let html = String(decoding: page.html, as: UTF8.self)
    #expect(html.contains("&lt;i&gt;") && html.contains("\\u202e&#39;"))
    #expect(html.contains(">5,000<") && html.contains(">1.50 EUR<"))
    #expect(html.contains("1 product on sale"))
  }

  private func products(_ list: [String], isOfBuyer: Bool = false, title: String? = nil) throws
    -> String
  {
    var page = ProductPage(
      version: "0", title: title, now: try #require(Timestamp(dateText: "2026-02-01")))
    for text in list {
      try JSONDocument(text).withRoot { page.add($0, showsGroups: !isOfBuyer) }
    }
    return String(decoding: page.html, as: UTF8.self)
  }

  @Test func productsShowTheirPriceForACredit() throws {
    let pack = #"{"id":"a","credits":3000,"price":"10.00","currency":"EUR"}"#
    let html = try products([pack], title: "Our <packs>")
    #expect(html.contains("<h1><bdi>Our &lt;packs&gt;</bdi></h1>"))
    #expect(html.contains("<title>Our &lt;packs&gt;</title>"))
    #expect(html.contains("<small>0.003333 EUR a credit</small>"))
    // A plan's price is for its time.
    let plan = #"{"id":"b","plan":"pro","price":"30","currency":"EUR","credits":100}"#
    let paid = try products([plan])
    #expect(!paid.contains("a credit</small>") && paid.contains("100 credits with it"))
    #expect(try products([]).contains("0 products on sale"))
  }

  @Test func groupsHaveTheirOwnHeads() throws {
    let list = [
      #"{"id":"x","credits":5,"groups":["b","c"]}"#, #"{"id":"y","credits":5}"#,
      #"{"id":"z","credits":5,"groups":["c"]}"#,
    ]
    let html = try products(list)
    let heads = html.split(separator: "<h2>").dropFirst().map { $0.prefix { $0 != "/" } }
    #expect(heads == ["For group <bdi>b<", "For group <bdi>c<"])
    #expect(html.split(separator: "<article>").count == 5)
    // Who buys does not see them.
    #expect(try !products(list, isOfBuyer: true).contains("<h2>"))
  }

  @Test func promotionsInForceAreShown() throws {
    let bonuses = [
      #"{"id":"1","percent":10,"until":"2026-03-01","first":true}"#,
      #"{"id":"2","credits":1500,"from":"2026-01-01"}"#,
      #"{"id":"3","percent":20,"until":"2026-02-01"}"#,
      #"{"id":"4","percent":30,"from":"2026-02-02"}"#,
    ]
    let html = try products([
      #"{"id":"a","credits":5,"expiresIn":"30d","models":["m*"],"bonuses":"#
        + "[\(bonuses.joined(separator: ","))]}"
    ])
    #expect(
      html.contains(
        "<li><bdi>10% more on the first purchase, until 2026-03-01</bdi></li>"
          + "<li><bdi>1,500 credits more</bdi></li><li><bdi>lasts 30 days</bdi></li>"
          + "<li><bdi>for m*</bdi></li>"))
  }
}
