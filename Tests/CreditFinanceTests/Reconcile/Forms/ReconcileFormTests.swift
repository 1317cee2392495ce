import CreditModel
import Testing

@testable import CreditFinance

/// The table, the rows and the page.
@Suite struct ReconcileFormTests {
  private func result(_ model: String = "opus") throws -> Reconciliation.Result {
    let name = model.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
    let pages = [
      anthropicPage([[anthropicUsage(name, input: 500_000)], []]),
      anthropicPage([[anthropicCost("50", name, "uncached_input_tokens")], []]),
    ]
    let history = [
      usage("1", "2026-11-01T01:00:00Z", name, "\"inputTokens\":500000", usd: "0.4"),
      usage("2", "2026-11-02T01:00:00Z", name, "\"inputTokens\":1", usd: "1"),
    ]
    return try compare(AnthropicBill.self, pages, history).result
  }

  private func text(_ text: ReportText) -> String { String(decoding: text.bytes, as: UTF8.self) }

  @Test func rows() throws {
    let result = try result()
    #expect(result.titles == ["DAY", "MODEL", "BILL, $", "BOOKS, $", "DIFFERENCE", "CAUSE"])
    #expect(
      result.rows == [
        ["2026-11-01", "opus", "0.50", "0.40", "0.10", "price: input 1 for 0.8 per 1M"],
        ["2026-11-02", "opus", "", "1.00", "-1.00", "not in bill: 1 call"],
        ["TOTAL", "", "0.50", "1.40", "-0.90", "-180.00 %"],
      ])
  }

  @Test func commaSeparatedValues() throws {
    let csv = text(try result("=cmd()").csv)
    #expect(csv.contains("2026-11-01,'=cmd(),0.5,0.4,0.1,USD,price,"))
    #expect(csv.hasSuffix("\r\n"))
    #expect(csv.contains("total,,0.5,1.4,-0.9,USD,,2 of 2 lines differ"))
  }

  @Test func thePageIsCompleteAndRunsNoScript() throws {
    let page = text(try result("</title><script>alert(1)</script>\"'&").page(version: "1"))
    #expect(page.contains("&lt;/title&gt;&lt;script&gt;") || page.contains("&lt;/<wbr>title&gt;"))
    #expect(!page.contains("<script"))
    #expect(page.contains("default-src 'none'"))
    #expect(page.contains("2026-11-01 to 2026-11-02"))
    #expect(page.contains("price: input 1 for 0.8 per 1M"))
    #expect(page.contains("key-<wbr>2"))
    #expect(page.contains("−0.90 <small>USD</small>"))
    let hashes = page.matches(of: /<code>([0-9a-f]{64})<\/code>/)
    #expect(hashes.count == 2 && hashes[0].1 != hashes[1].1)
  }

  /// `printf '{"data":[],"has_more":false}' | sha256sum`
  @Test func filesAreNamedByTheirHash() throws {
    let compared = try compare(
      AnthropicBill.self, [anthropicPage([[]]), "{\"data\":[],\"has_more\":false}"])
    #expect(
      compared.result.files[1].sha256
        == "fd71b4438dea68046585a59a5e30b570dcf2dc0bf70fbaff48cbd9049f377504")
    #expect(compared.result.files[1].path == "bill2")
    #expect(compared.result.files[1].byteCount == 28)
  }

  /// Who keeps the page knows which books were compared, and when.
  @Test func thePageSaysWhichBooksItCompared() throws {
    let books =
      "The books: 2 lines of credit-history, the newest recorded 2026-12-24T00:00:00.000Z. "
      + "Compared 2027-01-01T00:00:00.000Z."
    #expect(text(try result().page(version: "1")).contains(books))
    let none = try compare(AnthropicBill.self, [anthropicPage([[]])]).result
    #expect(text(none.page(version: "1")).contains("0 lines of credit-history. Compared"))
  }

  @Test func thePageNamesProviderAndFiles() throws {
    let page = text(try result().page(version: "1"))
    #expect(page.contains("<h1>Anthropic bill compared with the books</h1>"))
    let compared = try compare(AnthropicBill.self, [anthropicPage([[]])])
    var files = compared.result.files
    files[0] = BillFile(path: "/home/<x>/july.json", sha256: files[0].sha256, byteCount: 1)
    let result = Reconciliation.Result(
      grouping: .dayAndModel, findings: [], totals: compared.result.totals, files: files,
      format: "OpenAI")
    let named = text(result.page(version: "1"))
    #expect(named.contains("title=\"/home/&lt;x&gt;/july.json\">july.<wbr>json</td>"))
  }

  /// Each row adds up, however many there are: 0.015 and 0.015 are not shown as 0.02 of 0.03.
  @Test func aTableAddsUpAtAnyLength() throws {
    let first = try result()
    var totals = try compare(AnthropicBill.self, [anthropicPage([[]])]).result.totals
    func finding(_ books: String, _ bill: String) throws -> Finding {
      var finding = first.findings[0]
      let (books, bill) = (try amount(books), try amount(bill))
      (finding.billUSD, finding.booksUSD) = (bill, books)
      finding.differenceUSD = bill.adding(books.negated)
      try totals.add(finding)
      return finding
    }
    func amount(_ text: String) throws -> ExactDecimal {
      try #require(text.withUTF8Bytes { ExactDecimal(amount: $0) })
    }
    let findings = try (0..<10_000).map { _ in try finding("0.4", "0.5") }
    let last = [try finding("0.015", "0.03"), try finding("0.025", "0.05")]
    let table = Reconciliation.Result(
      grouping: .key, findings: findings + last, totals: totals, files: [], format: "X"
    ).rows.suffix(3)
    #expect(
      table.map { Array($0[1...3]) } == [
        ["0.030", "0.015", "0.015"], ["0.050", "0.025", "0.025"],
        ["5000.080", "4000.040", "1000.040"],
      ])
  }

  /// Small amounts have four digits, and all of the table as many places.
  @Test func aTablesPointsAreInALine() throws {
    let pages = [
      anthropicPage([[anthropicUsage("opus", input: 500_000)]]),
      anthropicPage([[anthropicCost("50", "opus", "uncached_input_tokens")]]),
    ]
    let history = [
      usage("1", "2026-11-01T01:00:00Z", "opus", "\"inputTokens\":500000", usd: "0.478764")
    ]
    let result = try compare(AnthropicBill.self, pages, history).result
    #expect(result.rows[0][2...4] == ["0.50000", "0.47876", "0.02124"])
    #expect(text(result.page(version: "1")).contains(">0.47876</td>"))
  }

  /// The headline, the cards and the details have the places of the table.
  @Test func allAmountsHaveThePlacesOfTheTable() throws {
    let pages = [
      anthropicPage([
        [anthropicUsage("opus", input: 600_000), anthropicUsage("haiku", input: 100_000)]
      ]),
      anthropicPage([
        [
          anthropicCost("234.5", "opus", "uncached_input_tokens"),
          anthropicCost("1.23", "haiku", "uncached_input_tokens"),
        ]
      ]),
    ]
    let history = [
      usage("1", "2026-11-01T01:00:00Z", "opus", "\"inputTokens\":500000", usd: "1.98"),
      usage("2", "2026-11-01T01:00:00Z", "haiku", "\"inputTokens\":100000", usd: "0.0123"),
    ]
    let result = try compare(AnthropicBill.self, pages, history).result
    #expect(result.rows[1][2...4] == ["2.3450", "1.9800", "0.3650"])
    #expect(result.totals.sentence.contains(": the bill is 0.3650 USD above"))
    let page = text(result.page(version: "1"))
    #expect(page.contains("2.3573 <small>USD") && page.contains("0.3650 <small>USD"))
    #expect(!page.contains(">0.36<") && !page.contains(">2.36<"))
    #expect(result.rows[1][5] == "both: quantity 0.3908, price -0.0258")
    #expect(text(result.csv).contains("both: quantity 0.3908, price -0.0258"))
    #expect(page.contains("both: quantity 0.3908, price −0.0258"))
  }

  /// The total of a narrow page has a row to itself, and its amounts have their names above them.
  @Test func theTotalHasTheColumnsOfItsLines() throws {
    let page = text(try result().page(version: "1"))
    let total = try #require(page.split(separator: "\n").first { $0.contains("colspan=\"2\"") })
    #expect(total.contains("<td class=\"n\" data-name=\"bill\">0.50</td>"))
    #expect(total.contains("<td class=\"n\" data-name=\"difference\">−0.90</td>"))
    #expect(page.contains("<td class=\"n\" data-name=\"lines\">2</td>"))
  }

  @Test(arguments: [
    ("gpt-5", ": --models leaves out those of other providers"),
    ("anthropic/claude-opus-4.7", ", but has similar names: give --catalog or --map"),
  ])
  func modelsThatTheBillLacksAreNamed(_ model: String, _ advice: String) throws {
    let pages = [anthropicPage([[anthropicUsage("claude-opus-4-7-20260416", input: 10)]])]
    let history = [usage("1", "2026-11-01T01:00:00Z", model, "\"inputTokens\":10")]
    let remarks = try compare(AnthropicBill.self, pages, history).result.remarks
    #expect(remarks == ["the bill has no \"\(model)\"\(advice)"])
    #expect(try compare(AnthropicBill.self, [anthropicPage([[]])], history).result.remarks == [])
  }

  @Test func aTableIsNoBillOfPages() {
    let error = failure { try compare(OpenAIBill.self, ["start_time,amount_value\n1,2\n"]) }
    #expect(
      error?.message == "bill1: line 1: it is CSV or other text, and openai reads JSON: "
        + "pages of organization/usage/* and of organization/costs")
  }
}
