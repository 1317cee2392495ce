import Testing

@testable import CreditFinance

@Suite struct FocusRowsTests {
  /// The columns that FOCUS 1.2 requires of every provider.
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
    by columns: [ReportColumn] = FocusRows.standardColumns, showsCost: Bool = true,
    of lines: [String]? = nil, in period: ReportPeriod = period()
  ) throws -> [[String: String]] {
    let text = try printed(
      FocusRows(by: columns, in: period, provider: "shop", showsCost: showsCost),
      lines ?? self.lines)
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

  /// The account that used the credits is the subaccount of its payers.
  @Test func payersAreBilledForTheirParts() throws {
    let lines = [
      line(
        "refund:c", "ana", "refund", 0, at: "2026-11-03T10:00",
        #""model":"m","usd":"-0.02","shares":[{"account":"acme","credits":20}]"#),
      line("refund:c", "acme", "refund", 20, at: "2026-11-03T10:00", #""member":"ana""#),
      line("c", "acme", "usage", -30, at: "2026-11-02T10:00", #""model":"m","member":"ana""#),
      line(
        "c", "ana", "usage", -10, at: "2026-11-02T10:00", status: "refunded",
        #""model":"m","usage":{"inputTokens":7},"usd":"0.04","costUSD":"0.02","paidBy":"#
          + #"[{"account":"ana","credits":10},{"account":"acme","credits":30}]"#),
    ]
    let names = ["BillingAccountId", "SubAccountId", "BilledCost", "x_Credits", "x_CostUSD"]
    let expected = [
      ["acme", "ana", "0.03", "30.0", "0.015"], ["acme", "ana", "0.0", "0.0", "0.0"],
      ["ana", "ana", "0.01", "10.0", "0.005"], ["acme", "ana", "-0.02", "-20.0", "0.0"],
    ]
    for lines in [lines, lines.reversed()] {
      #expect(try rows(of: lines).map { row in names.map { row[$0] ?? "-" } } == expected)
    }
    // Without payers and accounts, with the payer's lines and without them.
    let work = lines.filter { $0.contains(#""account":"ana","type""#) }
    for lines in [lines, lines.reversed(), work] {
      let rows = try rows(by: [.model], of: lines)
      #expect(rows.map { $0["BilledCost"] } == ["0.04", "0.0", "-0.02"])
      #expect(rows.map { $0["x_Credits"] } == ["40.0", "0.0", "-20.0"])
      #expect(rows.allSatisfy { $0["SubAccountId"] == "" })
    }
  }

  /// The validator of the FinOps Foundation wants them, as other rules name them.
  @Test func hasColumnsThatAreAlwaysEmpty() throws {
    for row in try rows() {
      #expect(row["InvoiceId"] == "" && row["CommitmentDiscountStatus"] == "")
    }
  }

  /// A charge of three credits, corrected to four, of which one and then the others came back.
  private let refunded = [
    line(
      "c", "a", "usage", -3, at: "2026-11-02T11:00", status: "refunded",
      #""model":"m","usage":{"inputTokens":10},"usd":"0.003","tags":{"project":"x"}"#),
    line(
      "amend:c:1", "a", "usage", -1, at: "2026-11-02T12:00",
      #""model":"m","usage":{"inputTokens":12},"usd":"0.001","tags":{"project":"x"}"#),
    line("refund:c", "a", "refund", 1, at: "2026-11-03T10:00", #""usd":"-0.001""#),
    line("refund:c:2", "a", "refund", 3, at: "2026-12-04T10:00", #""usd":"-0.003""#),
  ]

  @Test func refundsAreCredits() throws {
    for lines in [refunded, refunded.reversed()] {
      let rows = try rows(by: [.day, .account, .model, .tag("project")], of: lines)
      let credits = rows.filter { $0["ChargeCategory"] == "Credit" }
      #expect(credits.map { $0["BilledCost"] } == ["-0.001", "-0.003"])
      #expect(credits.map { $0["EffectiveCost"] } == ["-0.001", "-0.003"])
      #expect(credits.map { $0["x_Credits"] } == ["-1.0", "-3.0"])
      #expect(credits.map { $0["x_CostUSD"] } == ["0.0", "0.0"])
      #expect(credits.map { $0["ChargeClass"] } == ["", "Correction"])
      #expect(
        credits.map { $0["ChargePeriodStart"] } == ["2026-11-03T00:00:00Z", "2026-12-04T00:00:00Z"])
      #expect(credits.allSatisfy { $0["ConsumedQuantity"] == "" && $0["ServiceName"] == "m" })
      #expect(credits.allSatisfy { $0["ChargeDescription"] == "m: credits given back" })
      #expect(rows.filter { $0["ChargeCategory"] == "Usage" }.first?["BilledCost"] == "0.004")
    }
  }

  /// The dollars of a refund are those of its line: a correction may have forfeited credits.
  @Test func refundsHaveTheDollarsOfTheirLines() throws {
    let lines = [
      line("c", "a", "usage", -84, at: "2026-11-02T11:00", status: "refunded", #""usd":"0.084""#),
      line(
        "amend:c:1", "a", "usage", 5, at: "2026-11-02T12:00",
        #""usd":"-0.039","creditsForfeited":34"#),
      line("refund:c", "a", "refund", 45, at: "2026-11-03T10:00", #""usd":"-0.045""#),
    ]
    for lines in [lines, lines.reversed(), [lines[2]]] {
      let credit = try rows(of: lines).last
      #expect(credit?["BilledCost"] == "-0.045" && credit?["x_Credits"] == "-45.0")
    }
  }

  /// Lines of earlier tools have none: a refund gives back a part of its charge's price.
  @Test func refundsWithoutDollarsHaveAPartOfTheCharge() throws {
    let earlier = refunded.map { $0.replacing(#","usd":"-0.001""#, with: "") }.map {
      $0.replacing(#","usd":"-0.003""#, with: "")
    }
    for lines in [earlier, earlier.reversed()] {
      let credits = try rows(of: lines).filter { $0["ChargeCategory"] == "Credit" }
      #expect(credits.map { $0["BilledCost"] } == ["-0.001", "-0.003"])
    }
    let form = FocusRows(by: [.day], in: period(), provider: "shop", showsCost: false)
    #expect(try printed(form, Array(earlier.suffix(2))).contains("\r\n0.0,"))
    #expect(
      form.remarks == [
        "2 refund lines (4 credits) have no price in dollars: BilledCost is 0"
      ])
  }

  /// A month that is over stays as it was, and the refund is in its own.
  @Test func aCreditBelongsToTheMonthOfItsRefund() throws {
    let november = period(since: "2026-11-01", until: "2026-12-01")
    let december = period(since: "2026-12-01", until: "2027-01-01")
    let lines = refunded
    let before = [lines[0].replacing("refunded", with: "completed"), lines[1]]
    #expect(try rows(of: lines, in: november).count == 3)
    #expect(try rows(of: before, in: november)[0]["BilledCost"] == "0.004")
    let later = try rows(of: lines, in: december)
    #expect(later.map { $0["BilledCost"] } == ["-0.003"])
  }

  /// Corrections and refunds of an earlier month's charges are apart. A charge's time is that of
  /// its work, of its line, or in its id.
  @Test func correctionsOfAnEarlierMonthHaveTheirClass() throws {
    let (october, november) = (
      "01a1095c-3400-7000-8000-000000000000", "01a1998e-4400-7000-8000-000000000000"
    )
    func amount(_ more: String = "") -> String { #""model":"m","usd":"0.001""# + more }
    let lines = [
      line("amend:\(october):1", "a", "usage", -1, at: "2026-11-04T10:00", amount()),
      line("amend:\(november):1", "a", "usage", -2, at: "2026-11-04T10:00", amount()),
      line("refund:\(october)", "a", "refund", 4, at: "2026-11-04T10:00", amount()),
      line("refund:\(november)", "a", "refund", 8, at: "2026-11-04T10:00", amount()),
      line(
        "amend:c:1", "a", "usage", -16, at: "2026-11-04T10:00",
        amount(#","usedAt":"2026-10-31T10:00:00.000Z""#)),
    ]
    for lines in [lines, lines.reversed()] {
      let rows = try rows(by: [.month], of: lines)
      #expect(
        rows.map { [$0["ChargeClass"], $0["ChargeCategory"], $0["x_Credits"]] } == [
          ["Correction", "Usage", "16.0"], ["", "Usage", "2.0"], ["Correction", "Usage", "1.0"],
          ["", "Credit", "-8.0"], ["Correction", "Credit", "-4.0"],
        ])
    }
  }

  /// A follower's lines: the charge is repeated as it is refunded.
  @Test func aRepeatedChargeHasItsCost() throws {
    let form = FocusRows(
      by: [.account, .model], in: period(), provider: "shop", showsCost: false)
    let charge = refunded[0].replacing("refunded", with: "completed")
    try withLine(charge) { try form.add($0) }
    let again = refunded[0].replacing("\"usd\"", with: "\"changed\":true,\"usd\"")
    try withLine(again) {
      #expect($0.isRepetition)
      try form.add(repeated: $0)
    }
    let text = try printed(
      form, [line("refund:c", "a", "refund", 3, at: "2026-11-03T10:00", #""usd":"-0.003""#)])
    #expect(text.split(separator: "\r\n").last?.hasPrefix("-0.003,") == true)
    #expect(text.contains(",m: credits given back,"))
  }

  /// By account the payer is billed, and gets the credits and the dollars back.
  @Test func aTeamGetsItsCreditsBack() throws {
    let lines = [
      line("refund:c", "acme", "refund", 3, at: "2026-11-03T10:00", #""member":"a","model":"m""#),
      line(
        "refund:c", "a", "refund", 0, at: "2026-11-03T10:00",
        #""model":"m","usd":"-0.003","shares":[{"account":"acme","credits":3}]"#),
      line("c", "acme", "usage", -3, at: "2026-11-02T11:00", #""member":"a","model":"m""#),
      line(
        "c", "a", "usage", 0, at: "2026-11-02T11:00", status: "refunded",
        #""model":"m","usd":"0.003","paidBy":[{"account":"acme","credits":3,"newBalance":0}]"#),
    ]
    let names = ["ChargeCategory", "BillingAccountId", "SubAccountId", "BilledCost", "x_Credits"]
    for lines in [lines, lines.reversed()] {
      for columns: [ReportColumn] in [[.day, .account], [.day, .member], [.account, .member]] {
        let rows = try rows(by: columns, of: lines)
        #expect(
          rows.map { row in names.map { row[$0] ?? "-" } } == [
            ["Usage", "acme", "a", "0.003", "3.0"], ["Credit", "acme", "a", "-0.003", "-3.0"],
          ])
      }
    }
  }

  /// The charge is of a month before, which the input lacks.
  @Test func aRefundOfAnEarlierMonthCountsOnce() throws {
    let lines = [
      line(
        "refund:c", "acme", "refund", 3, at: "2026-11-03T10:00",
        #""member":"a","model":"m","chargedAt":"2026-10-30T11:00:00Z""#),
      line(
        "refund:c", "a", "refund", 0, at: "2026-11-03T10:00",
        #""model":"m","shares":[{"account":"acme","credits":3}],"chargedAt":"2026-10-30T11:00:00Z""#
      ),
    ]
    for lines in [lines, lines.reversed()] {
      let rows = try rows(by: [.month], of: lines)
      #expect(rows.map { $0["x_Credits"] } == ["-3.0"])
      #expect(rows.map { $0["ChargeClass"] } == ["Correction"])
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
