import Testing

@testable import CreditFinance

@Suite struct SumRowsTests {
  private let pack = #""productID":"pack","price":"9.99","currency":"USD""#
  private let euros = #""productID":"pack","price":"8.50","currency":"EUR""#

  private func sums(
    _ columns: String, _ lines: [String], _ form: RowForm = .json,
    in period: ReportPeriod = period()
  ) throws -> [String] {
    let columns = try columns.split(separator: ",").map {
      try #require(ReportColumn(text: String($0)))
    }
    let text = try printed(SumRows(form, by: columns, in: period), lines)
    return text.split(whereSeparator: \.isNewline).map(String.init)
  }

  @Test func sumsMoneyExactly() throws {
    let lines = (0..<50).map {
      line("\($0)", "ana", "purchase", 1000, at: "2026-01-0\($0 % 9 + 1)T10:00", pack)
    }
    #expect(
      try sums("month,product", lines) == [
        #"{"month":"2026-01","product":"pack","count":50,"credits":50000,"price":"499.50","#
          + #""currency":"USD"}"#
      ])
  }

  @Test func refundedPurchasesAndPendingOnes() throws {
    let lines = [
      line("1", "ana", "purchase", 1000, at: "2026-01-01T10:00", status: "refunded", pack),
      line(
        "refund:1", "ana", "refund", -1000, at: "2026-02-01T10:00",
        #""productID":"pack","price":"9.99","currency":"USD""#),
      line("2", "ana", "purchase", 1000, at: "2026-01-01T10:00", status: "pending", pack),
      line("3", "ana", "purchase", 1000, at: "2026-01-01T10:00", status: "failed", pack),
    ]
    #expect(
      try sums("month", lines) == [
        #"{"month":"2026-01","count":1,"credits":1000,"price":"9.99","currency":"USD"}"#,
        #"{"month":"2026-02","count":1,"credits":-1000,"refundedPrice":"9.99","currency":"USD"}"#,
      ])
  }

  @Test func currenciesAreNeverAdded() throws {
    let usage = line(
      "u", "ana", "usage", -5, at: "2026-01-02T10:00", #""model":"m","usd":"0.0040""#)
    let dollars = line("1", "ana", "purchase", 1000, at: "2026-01-01T10:00", pack)
    #expect(
      try sums("month", [usage, dollars]) == [
        #"{"month":"2026-01","count":2,"credits":995,"price":"9.99","currency":"USD","#
          + #""usd":"0.004"}"#
      ])
    let other = line("2", "ana", "purchase", 1000, at: "2026-01-01T10:00", euros)
    #expect(
      try sums("month", [usage, dollars, other]) == [
        #"{"month":"2026-01","count":1,"credits":-5,"usd":"0.004"}"#,
        #"{"month":"2026-01","count":1,"credits":1000,"price":"8.50","currency":"EUR"}"#,
        #"{"month":"2026-01","count":1,"credits":1000,"price":"9.99","currency":"USD"}"#,
      ])
    #expect(
      try sums("currency", [usage, dollars, other]) == [
        #"{"currency":null,"count":1,"credits":-5,"usd":"0.004"}"#,
        #"{"currency":"EUR","count":1,"credits":1000,"price":"8.50"}"#,
        #"{"currency":"USD","count":1,"credits":1000,"price":"9.99"}"#,
      ])
  }

  @Test func usageGoesByTheTimeOfTheWork() throws {
    let late = line(
      "u", "ana", "usage", -5, at: "2026-02-02T10:00",
      #""model":"m","usedAt":"2026-01-31T23:30:00.000Z","tags":{"project":"x"}"#)
    #expect(
      try sums("day,tag.project,tag.none", [late]) == [
        #"{"day":"2026-01-31","tag.project":"x","tag.none":null,"count":1,"credits":-5}"#
      ])
    #expect(try sums("week", [late], in: period(offset: "+01:00"))[0].contains("2026-W05"))
    #expect(try sums("day", [late], in: period(offset: "+01:00"))[0].contains("2026-02-01"))
    #expect(try sums("day", [late], in: period(since: "2026-02-01")).isEmpty)
  }

  @Test func spreadsheetsRunNoFormula() throws {
    let lines = [
      line("1", "=cmd()", "usage", -5, at: "2026-01-01T10:00", #""model":"a,\"b\"","usd":"-0.5""#)
    ]
    #expect(
      try sums("account,model", lines, .csv) == [
        "account,model,count,credits,price,refundedPrice,currency,usd,costUSD"
          + ",usdWaived,creditsWaived",
        #"'=cmd(),"a,""b""",1,-5,,,,-0.5,,,"#,
      ])
  }

  @Test func groupsAreSortedByTheirBytes() throws {
    let lines = ["b", "ä", "a", "B"].map { line($0, $0, "bonus", 1, at: "2026-01-01T10:00") }
    let accounts = try sums("account", lines, .csv).dropFirst().map { $0.prefix { $0 != "," } }
    #expect(accounts == ["B", "a", "b", "ä"])
  }

  // MARK: Chains

  /// A charge that its member and two payers above paid, corrected, and refunded in part.
  private let shared = [
    line(
      "c", "ana", "usage", -40, at: "2026-01-01T10:00", status: "refunded",
      #""model":"m","usd":"0.001","costUSD":"0.0004","parent":"team","paidBy":"#
        + #"[{"account":"ana","credits":40},{"account":"team","credits":50},"#
        + #"{"account":"acme","credits":10}]"#),
    line("c", "team", "usage", -50, at: "2026-01-01T10:00", #""model":"m","member":"ana""#),
    line("c", "acme", "usage", -10, at: "2026-01-01T10:00", #""model":"m","member":"ana""#),
    line(
      "amend:c:1", "ana", "usage", 0, at: "2026-01-02T10:00",
      #""model":"m","usd":"-0.0001","shares":[{"account":"acme","credits":10}],"#
        + #""parent":"team","paidBy":[{"account":"ana","credits":40},"#
        + #"{"account":"team","credits":50}]"#),
    line("amend:c:1", "acme", "usage", 10, at: "2026-01-02T10:00", #""model":"m","member":"ana""#),
    line(
      "refund:c", "ana", "refund", 0, at: "2026-01-03T10:00",
      #""shares":[{"account":"team","credits":20}],"parent":"team2""#),
    line("refund:c", "team", "refund", 20, at: "2026-01-03T10:00", #""member":"ana""#),
  ]

  /// A payer's own line is no work of its team.
  @Test func aTeamHasWhatItsMembersSpent() throws {
    #expect(
      try sums("parent", shared) == [
        #"{"parent":"team","count":3,"credits":-70,"usd":"0.0009","costUSD":"0.0004"}"#
      ])
    #expect(try sums("parent", shared.reversed()) == sums("parent", shared))
  }

  /// Exports of months, each the newest first, may follow one another in any order.
  @Test func aLaterExportCountsUnderTheParentOfTheCharge() throws {
    func usage(_ id: String, _ time: String, _ parent: String, _ type: String = "usage") -> String {
      line(
        id, "ana", type, type == "usage" ? -1 : 1, at: "2026-\(time)T10:00",
        #""model":"m","parent":"\#(parent)""#)
    }
    let months = [
      [usage("c2", "01-21", "team"), usage("c1", "01-20", "team")],
      [
        usage("amend:c2:1", "02-05", "team2"), usage("c3", "02-04", "team2"),
        usage("refund:c1", "02-03", "team2", "refund"),
      ],
    ]
    let all = [
      #"{"parent":"team","count":4,"credits":-2}"#, #"{"parent":"team2","count":1,"credits":-1}"#,
    ]
    #expect(try sums("parent", months[0] + months[1]) == all)
    #expect(try sums("parent", months[1] + months[0]) == all)
  }

  /// A refund whose charge is not here is under the parent of its own time.
  @Test func aRefundAloneIsOfItsOwnParent() throws {
    #expect(
      try sums("parent", Array(shared.suffix(2))) == [#"{"parent":"team2","count":1,"credits":20}"#]
    )
  }

  /// If the charged accounts have no lines, their payers' count.
  @Test func aPayerCountsItsCharges() throws {
    let acme = shared.filter { $0.contains(#""account":"acme","type""#) }
    #expect(try sums("model", acme) == [#"{"model":"m","count":2,"credits":0}"#])
    #expect(try sums("account", shared).first == #"{"account":"acme","count":0,"credits":0}"#)
  }

  /// A selection by tag or account leaves out the payers' lines: sums are as with them.
  @Test func selectedWorkHasAllItsCredits() throws {
    let selected = shared.filter { $0.contains(#""account":"ana","type""#) }
    #expect(selected.count == 3)
    let sums = [
      #"{"model":null,"count":1,"credits":20}"#,
      #"{"model":"m","count":2,"credits":-90,"usd":"0.0009","costUSD":"0.0004"}"#,
    ]
    for lines in [selected, shared, shared.reversed()] {
      #expect(try self.sums("model", lines) == sums)
    }
    for columns in ["day", "month,model", "account", "member", "type", "status", "account,member"] {
      #expect(try self.sums(columns, selected) == self.sums(columns, shared), "\(columns)")
    }
    // One payer's lines are here, and the other's not.
    let ofTeam = shared.filter { !$0.contains(#""account":"acme","type""#) }
    #expect(try self.sums("model", ofTeam) == sums)
  }

  /// Payers' lines of other members do not stand for this one's.
  @Test func eachMembersWorkIsCompleted() throws {
    let lines = [
      line("d", "acme", "usage", -7, at: "2026-01-01T10:00", #""model":"m","member":"ben""#),
      line(
        "c", "ana", "usage", 0, at: "2026-01-01T10:00",
        #""model":"m","tags":{"project":"x"},"paidBy":[{"account":"acme","credits":5}]"#),
    ]
    #expect(try sums("model", lines) == [#"{"model":"m","count":2,"credits":-12}"#])
    #expect(
      try sums("account,tag.project", lines) == [
        #"{"account":"ana","tag.project":"x","count":1,"credits":-5}"#
      ])
  }

  @Test func payersHaveTheirPartOfTheMoney() throws {
    #expect(
      try sums("payer", shared) == [
        #"{"payer":"acme","count":2,"credits":0,"usd":"0","costUSD":"0.00004"}"#,
        #"{"payer":"ana","count":1,"credits":-40,"usd":"0.0004","costUSD":"0.00016"}"#,
        #"{"payer":"team","count":2,"credits":-30,"usd":"0.0005","costUSD":"0.0002"}"#,
      ])
    #expect(
      try sums("parent,payer", shared).last
        == #"{"parent":"team","payer":"team","count":2,"credits":-30,"usd":"0.0005","#
        + #""costUSD":"0.0002"}"#
    )
  }

  /// A part is rounded to the nearest, and all parts sum to the whole.
  @Test func payersHaveRoundedParts() throws {
    let charge = line(
      "c", "ana", "usage", -2, at: "2026-01-01T10:00",
      #""model":"m","usd":"0.01","paidBy":[{"account":"ana","credits":2},"#
        + #"{"account":"acme","credits":1}]"#)
    #expect(
      try sums("payer", [charge]) == [
        #"{"payer":"acme","count":1,"credits":-1,"usd":"0.003333333333"}"#,
        #"{"payer":"ana","count":1,"credits":-2,"usd":"0.006666666667"}"#,
      ])
  }

  /// A refund is of its charge's model, and takes its dollars off; the provider's cost stays.
  @Test func aRefundIsOfItsModel() throws {
    let lines = [
      line(
        "c", "ana", "usage", -30, at: "2026-01-01T10:00",
        #""model":"m","usd":"0.03","costUSD":"0.02","parent":"team""#),
      line(
        "refund:c", "ana", "refund", 20, at: "2026-01-03T10:00",
        #""model":"m","usd":"-0.02","costUSD":"0","parent":"team""#),
    ]
    let sums = #""model":"m","count":2,"credits":-10,"usd":"0.01","costUSD":"0.02"}"#
    #expect(try self.sums("parent,model", lines) == [#"{"parent":"team",\#(sums)"#])
    #expect(try self.sums("payer,model", lines) == [#"{"payer":"ana",\#(sums)"#])
  }

  /// A third has no last digit: the farthest payer has the rest.
  @Test func partsSumToTheWhole() throws {
    let thirds = line(
      "c", "ana", "usage", -1, at: "2026-01-01T10:00",
      #""usd":"0.01","paidBy":[{"account":"ana","credits":1},{"account":"acme","credits":2}]"#)
    #expect(
      try sums("payer", [thirds]) == [
        #"{"payer":"acme","count":1,"credits":-2,"usd":"0.006666666667"}"#,
        #"{"payer":"ana","count":1,"credits":-1,"usd":"0.003333333333"}"#,
      ])
    let moved = line(
      "amend:c:1", "ana", "usage", -2, at: "2026-01-01T10:00",
      #""usd":"0.01","shares":[{"account":"acme","credits":2}]"#)
    #expect(
      try sums("payer", [moved]) == [
        #"{"payer":"acme","count":1,"credits":2,"usd":"0.01"}"#,
        #"{"payer":"ana","count":1,"credits":-2,"usd":"0"}"#,
      ])
  }

  /// Amounts of a column have the same places in a table; prices have those of their currency.
  @Test func aTablesPointsAreInALine() throws {
    let lines = [
      line("1", "a", "usage", -1, at: "2026-01-01T10:00", #""usd":"12.3""#),
      line("2", "b", "usage", -1, at: "2026-01-01T10:00", #""usd":"0.020571234""#),
      line("3", "c", "purchase", 1, at: "2026-01-01T10:00", #""price":"5","currency":"JPY""#),
      line("4", "d", "purchase", 1, at: "2026-01-01T10:00", #""price":"9.90","currency":"EUR""#),
    ]
    let rows = try sums("account", lines, .table)
    #expect(rows[0].contains(#""usd":"12.30000""#) && rows[1].contains(#""usd":"0.02057""#))
    #expect(rows[2].contains(#""price":"5""#) && rows[3].contains(#""price":"9.90""#))
  }
}
