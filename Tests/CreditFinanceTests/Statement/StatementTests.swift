import CreditModel
import Testing

@testable import CreditFinance

@Suite struct StatementTests {
  private let november = period(since: "2026-11-01", until: "2026-12-01")

  private let lines = [
    line("1", "ana", "starter", 100, at: "2026-10-05T10:00", balance: 100),
    line("2", "ana", "usage", -30, at: "2026-10-31T23:59", balance: 70, #""model":"m""#),
    line(
      "order-1", "ana", "purchase", 500, at: "2026-11-02T10:00", balance: 570,
      #""productID":"pack","productName":"Big pack","price":"4.99","currency":"EUR""#),
    line("3", "ana", "usage", -20, at: "2026-11-02T11:00", balance: 550, #""model":"m""#),
    line("x", "ben", "usage", -999, at: "2026-11-02T11:00", balance: -999, #""model":"m""#),
    line(
      "4", "ana", "usage", -5, at: "2026-11-02T12:00", balance: 545,
      #""model":"m","usd":"0.005","costUSD":"0.004321""#),
    line("5", "ana", "expiry", -45, at: "2026-11-03T00:00", balance: 500),
    line(
      "refund:order-1", "ana", "refund", -500, at: "2026-11-04T00:00", balance: 0,
      #""productID":"pack","price":"4.99","currency":"EUR""#),
    line("6", "ana", "purchase", 9, at: "2026-11-04T01:00", status: "pending", balance: 0),
    line("7", "ana", "usage", -1, at: "2026-12-01T00:00", balance: -1, #""model":"m""#),
  ]

  private func statement(
    _ lines: [String], as medium: Statement.Medium = .csv, each: Bool = false
  ) throws -> String {
    try printed(
      Statement(
        of: "ana", month: "2026-11", in: november, as: medium, listsEach: each, now: .latest),
      lines)
  }

  @Test func addsUpLineByLine() throws {
    let rows = try statement(lines).split(separator: "\r\n")
    #expect(
      rows == [
        "date,type,description,count,credits,balance,price,currency,id,time,zone,member,team",
        "2026-11-01,opening,,,,70,,,,,UTC,,",
        "2026-11-02,purchase,pack,1,500,570,4.99,EUR,order-1,10:00,UTC,,",
        "2026-11-02,usage,m,2,-25,545,,,,,UTC,,",
        "2026-11-03,expiry,,1,-45,500,,,5,00:00,UTC,,",
        "2026-11-04,refund,pack,1,-500,0,-4.99,EUR,refund:order-1,00:00,UTC,,",
        "2026-11-30,closing,,,,0,,,,,UTC,,",
      ])
  }

  /// A refund follows its day's usage, and both say who paid besides the member.
  @Test func saysWhoElsePaid() throws {
    let rows = try statement([
      line("1", "ana", "bonus", 20, at: "2026-11-02T08:00", balance: 20),
      line(
        "c", "ana", "usage", -20, at: "2026-11-02T09:00", balance: 0,
        #""model":"m","parent":"acme","paidBy":[{"account":"ana","credits":20},"#
          + #"{"account":"acme","credits":30}]"#),
      line(
        "refund:c", "ana", "refund", 20, at: "2026-11-02T10:00", balance: 20,
        #""model":"m","shares":[{"account":"acme","credits":30}],"parent":"acme""#),
    ])
    #expect(
      rows.split(separator: "\r\n").dropFirst(3).dropLast(3) == [
        "2026-11-02,usage,m; acme paid 30,1,-20,0,,,,,UTC,,",
        "2026-11-02,refund,m; acme got 30 back,1,20,20,,,refund:c,10:00,UTC,,",
      ])
  }

  @Test func isTheSameInAnyOrderOfTheHistory() throws {
    let html = try statement(lines, as: .html)
    #expect(try statement(lines.reversed(), as: .html) == html)
    #expect(try statement(lines, as: .html, each: true) != html)
    let sum = SHA256.digest(Array(try statement(lines).utf8)).prefix(4).map {
      ($0 < 16 ? "0" : "") + String($0, radix: 16)
    }
    #expect(html.contains("STATEMENT-ana-2026-11-\(sum.joined())"))
  }

  /// Lines of one time have their order, also if exports follow one another, each newest first.
  @Test func isTheSameInAnyOrderOfExports() throws {
    func lines(_ day: String, _ id: String, _ balance: Int) -> [String] {
      [
        line("\(id)2", "ana", "bonus", 3, at: "2026-\(day)T10:00", balance: balance + 5),
        line("\(id)1", "ana", "bonus", 2, at: "2026-\(day)T10:00", balance: balance + 2),
      ]
    }
    let (october, november) = (lines("10-02", "o", 0), lines("11-02", "n", 5))
    let whole = try statement(november + october, each: true)
    #expect(whole.contains(",1,2,7,,,n1,"))
    #expect(try statement(october + november, each: true) == whole)
    #expect(try statement((november + october).reversed(), each: true) == whole)
  }

  /// Earlier work belongs to the month of its record.
  @Test func aClosedMonthStaysAsItWas() throws {
    let late = line(
      "late", "ana", "usage", -7, at: "2026-12-05T10:00", balance: -8,
      #""model":"m","usedAt":"2026-11-20T10:00:00.000Z""#)
    func printed(_ lines: [String], isByRecord: Bool) throws -> String {
      let month = ReportPeriod(
        since: november.since, until: november.until, clock: .utc, isByRecord: isByRecord)
      return try CreditFinanceTests.printed(
        Statement(
          of: "ana", month: "2026-11", in: month, as: .html, listsEach: false, now: .latest),
        lines)
    }
    #expect(try printed(lines + [late], isByRecord: true) == printed(lines, isByRecord: true))
    #expect(try printed(lines + [late], isByRecord: false) != printed(lines, isByRecord: false))
  }

  @Test func refusesAnAccountThatTheHistoryDoesNotHave() throws {
    for lines in [[], [lines[4]]] {
      let error = #expect(throws: CreditError.self) { try statement(lines) }
      #expect(error?.code == .unknownAccount)
      #expect(error?.message == "the history has no line of account \"ana\"")
    }
    #expect(try statement([lines[0]]).contains("2026-11-01,opening,,,,100,"))
  }

  /// A name may have marks that turn the direction of writing.
  @Test func textShowsHiddenCharactersEscaped() throws {
    let name = "a\u{202E}b\u{1B}c"
    let form = Statement(
      of: name, month: "2026-11", in: november, as: .rows, listsEach: false, now: .latest)
    form.letter.title = "T\u{2066}"
    let bonus = line(
      #"1"#, #"a\u202eb\u001bc"#, "bonus", 1, at: "2026-11-02T10:00", balance: 1)
    _ = try printed(form, [bonus])
    #expect(form.head.hasPrefix(#"T\u2066 STATEMENT-a\u202eb\u001bc-2026-11-"#))
    #expect(form.head.unicodeScalars.allSatisfy { $0 == "\n" || !$0.isHidden })
    #expect(form.foot.unicodeScalars.allSatisfy { $0 == "\n" || !$0.isHidden })
  }

  @Test func startsWithTheBalanceByTheNewestLine() throws {
    let rows = try statement(Array(lines[2...5]) + [lines[6]]).split(separator: "\r\n")
    #expect(rows[1] == "2026-11-01,opening,,,,70,,,,,UTC,,")
    #expect(rows.last == "2026-11-30,closing,,,,500,,,,,UTC,,")
  }

  @Test func refusesAHistoryWithGaps() {
    #expect(throws: CreditError.self) { try statement([lines[0], lines[3]] + lines[5...]) }
  }

  @Test func listsEachUse() throws {
    let rows = try statement(lines, each: true).split(separator: "\r\n")
    #expect(rows.contains("2026-11-02,usage,m,1,-20,550,,,3,11:00,UTC,,"))
    #expect(rows.contains("2026-11-02,usage,m,1,-5,545,,,4,12:00,UTC,,"))
  }

  @Test func showsTheSumAndNoCost() throws {
    let html = try statement(lines, as: .html)
    #expect(
      html.contains(
        "opening 70 + purchase 500 + usage −25 + refunds of purchases −500 + expiry −45 = closing 0"
      ))
    #expect(html.contains("It is not a tax invoice."))
    #expect(
      html.contains(
        "Paid: 4.99 EUR<br>Paid back: 4.99 EUR<br>as recorded, which may be without tax</p>"))
    #expect(!html.contains("0.004321") && !html.contains("0.005"))
    #expect(!html.contains("<script"))
  }

  @Test func escapesNamesAndAddresses() throws {
    let attack = #"<img src=x onerror=alert(1)>\u202e"#
    let form = Statement(
      of: "ana", month: "2026-11", in: november, as: .html, listsEach: false, now: .latest)
    form.letter.sender = "<b>\nline 2"
    form.letter.logo = ("image/png", [1, 2, 3])
    let html = try printed(
      form,
      [line("1", "ana", "bonus", 1, at: "2026-11-02T10:00", #""reason":"\#(attack)""#)])
    #expect(!html.contains("<img src=x") && !html.contains("<b>"))
    #expect(html.contains("&lt;b&gt;<br>line 2"))
    #expect(html.contains("src=\"data:image/png;base64,AQID\""))
    #expect(!html.unicodeScalars.contains("\u{202E}"))
  }

  /// A name that ends the style or its text is escaped there as any other.
  @Test func eachSheetHasTheNumber() throws {
    let name = #"a"}</style>"#
    let html = try printed(
      Statement(
        of: name, month: "2026-11", in: november, as: .html, listsEach: false, now: .latest),
      [line("1", #"a\"}</style>"#, "bonus", 1, at: "2026-11-02T10:00")])
    let text = "STATEMENT-\(name)-2026-11-".unicodeScalars
      .map { #"\\#(String($0.value, radix: 16)) "# }.joined()
    #expect(html.contains("@page { @bottom-left { content: \"" + text))
    #expect(html.split(separator: "</style>").count == 2)
  }

  /// The number of a statement does not depend on the note.
  @Test func whoOwesIsTold() throws {
    let debt = [
      line("2", "ana", "usage", -30, at: "2026-10-31T23:59", balance: -30, #""model":"m""#),
      line("3", "ana", "usage", -1_200, at: "2026-11-02T11:00", balance: -1_230, #""model":"m""#),
    ]
    let due = "<p class=\"due\">Amount due: 1,230 credits</p>"
    #expect(try statement(debt, as: .html).contains(due))
    let form = Statement(
      of: "ana", month: "2026-11", in: november, as: .rows, listsEach: false, now: .latest)
    _ = try printed(form, debt)
    #expect(form.foot.contains("\nAmount due: 1,230 credits\n"))
    #expect(try !statement(debt).contains("due"))
    #expect(try !statement(lines, as: .html).contains("Amount due"))
  }

  @Test func aRunningMonthSaysSo() throws {
    for (now, end) in [(november.until, "UTC"), (november.since, "UTC; it still runs")] {
      for medium in [Statement.Medium.html, .rows] {
        let form = Statement(
          of: "ana", month: "2026-11", in: november, as: medium, listsEach: false,
          now: now ?? .latest)
        let text = try printed(form, lines)
        let period = "2026-11-01 to 2026-11-30, \(end)"
        #expect(text.contains("<dd>\(period)</dd>") || form.head.contains("\(period)\n"))
      }
    }
  }

  /// A charge of ana's of a credit of her own, and one of each account above that pays.
  private func use(_ day: String, paidBy payers: String...) -> String {
    let paid = payers.map { #"{"account":"\#($0)","credits":1}"# }.joined(separator: ",")
    return line(
      "c\(day)", "ana", "usage", -1, at: "2026-\(day)T10:00",
      #""model":"m","parent":"web","paidBy":[\#(paid)]"#)
  }

  private func spentBelow(_ account: String, _ uses: [String]) throws -> [String] {
    var book = StatementBook(of: account, in: november, listsEach: false)
    let own = line("b", account, "bonus", 9, at: "2026-10-01T10:00", balance: 9)
    for text in [own] + uses {
      try withLine(text) { line in
        if line.account == account { try book.add(line) } else { book.add(ofOther: line) }
      }
    }
    try book.finish()
    return book.memberUses.map { "\($0.sum.spent) by \($0.member.name) of \($0.member.team ?? "")" }
  }

  /// Here ost, which is below acme. Charges that acme paid alone are of ost's members, too.
  @Test func hasWhatTeamsInBetweenPaid() throws {
    let uses = [
      use("11-02", paidBy: "ost"), use("11-03", paidBy: "ost", "acme"),
      use("11-04", paidBy: "web", "ost"), use("11-05"), use("11-06", paidBy: "acme"),
    ]
    for account in ["web", "ost", "acme"] {
      let team = account == "web" ? "" : "web"
      for uses in [uses, uses.reversed()] {
        #expect(try spentBelow(account, uses) == ["11 by ana of \(team)"])
      }
    }
    #expect(try spentBelow("bolt", uses) == [])
  }

  /// A charge that a team paid alone goes with its next one, but not with that of a later month.
  @Test func aTeamThatMovedIsLeftOut() throws {
    let uses = [
      use("11-08"), use("11-09", paidBy: "acme"), use("11-12"), use("11-13", paidBy: "bolt"),
      use("11-14"), use("12-02", paidBy: "acme"),
    ]
    for uses in [uses, uses.reversed()] {
      #expect(try spentBelow("acme", uses) == ["3 by ana of web"])
      #expect(try spentBelow("bolt", uses) == ["4 by ana of web"])
    }
  }
}
