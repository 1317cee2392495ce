import CreditBytes
import CreditJSON
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
}
