import Testing

@testable import CreditReport

@Suite struct FocusRowsTests {
  /// The columns that FOCUS 1.2 says must be there whatever a provider supports.
  private static let mandatory = [
    "BilledCost", "BillingAccountId", "BillingAccountName", "BillingCurrency", "BillingPeriodEnd",
    "BillingPeriodStart", "ChargeCategory", "ChargeClass", "ChargeDescription", "ChargePeriodEnd",
    "ChargePeriodStart", "ContractedCost", "EffectiveCost", "InvoiceIssuerName", "ListCost",
    "PricingQuantity", "PricingUnit", "ProviderName", "PublisherName", "ServiceCategory",
    "ServiceName",
  ]

  private let lines = [
    line(
      "1", "a", "usage", -12, at: "2026-11-02T10:00",
      #""model":"m","usage":{"inputTokens":1200,"outputTokens":500},"usd":"0.012","costUSD":"0.01""#
    ),
    line(
      "2", "a", "usage", -3, at: "2026-11-02T11:00",
      #""model":"m","usage":{"inputTokens":10,"outputTokens":0},"usd":"0.003""#),
    line("3", "a", "purchase", 500, at: "2026-11-02T10:00"),
  ]

  private func rows(
    by columns: [ReportColumn] = FocusRows.standardColumns, showsCost: Bool = true
  ) throws -> [[String: String]] {
    let text = try printed(
      FocusRows(by: columns, in: period(), provider: "shop", showsCost: showsCost), lines)
    let rows = text.split(separator: "\r\n").map {
      $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    }
    return rows.dropFirst().map { Dictionary(uniqueKeysWithValues: zip(rows[0], $0)) }
  }

  @Test func hasEveryMandatoryColumn() throws {
    for row in try rows() {
      for name in Self.mandatory { #expect(row[name] != nil, "\(name)") }
      for name in Self.mandatory where name != "ChargeClass" { #expect(row[name] != "", "\(name)") }
    }
  }

  @Test func pricesEachGroupOnce() throws {
    let rows = try rows()
    #expect(
      rows.map { $0["ChargeDescription"] } == ["m: credits", "m: inputTokens", "m: outputTokens"])
    #expect(rows.map { $0["EffectiveCost"] } == ["0.015", "0.0", "0.0"])
    #expect(rows.map { $0["ConsumedQuantity"] } == ["15.0", "1210.0", "500.0"])
    #expect(rows.map { $0["ConsumedUnit"] } == ["Credits", "Tokens", "Tokens"])
    #expect(rows[0]["x_CostUSD"] == "0.01" && rows[0]["x_Credits"] == "15.0")
    #expect(rows[0]["ChargePeriodStart"] == "2026-11-02T00:00:00Z")
    #expect(rows[0]["ChargePeriodEnd"] == "2026-11-03T00:00:00Z")
    #expect(rows[0]["BillingPeriodStart"] == "2026-11-01T00:00:00Z")
    #expect(rows[0]["BillingPeriodEnd"] == "2026-12-01T00:00:00Z")
  }

  /// The validator of the FinOps Foundation wants them, as other rules name them.
  @Test func hasColumnsThatAreAlwaysEmpty() throws {
    for row in try rows() {
      #expect(row["InvoiceId"] == "" && row["CommitmentDiscountStatus"] == "")
    }
  }

  @Test func hidesTheCostOfTheSeller() throws {
    #expect(try rows(showsCost: false)[0]["x_CostUSD"] == nil)
  }

  @Test func isMadeByOtherColumns() throws {
    let row = try rows(by: [.month])[0]
    #expect(row["ChargePeriodStart"] == "2026-11-01T00:00:00Z")
    #expect(row["ChargePeriodEnd"] == "2026-12-01T00:00:00Z")
    #expect(row["BillingAccountId"] == "all accounts")
  }
}
