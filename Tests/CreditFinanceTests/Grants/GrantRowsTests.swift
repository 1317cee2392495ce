import Testing

@testable import CreditFinance

@Suite struct GrantRowsTests {
  private let sale = line(
    "t1", "a", "purchase", 300, at: "2026-01-01T10:00", balance: 300,
    #""price":"10.00","currency":"USD""#)

  @Test func aPurchaseHasItsValue() throws {
    let lines = [sale, line("c", "a", "usage", -100, at: "2026-01-02T10:00", balance: 200)]
    #expect(
      try grantRows(lines) == [
        #"{"grant":"t1","account":"a","type":"purchase","timestamp":"2026-01-01T10:00:00.000Z","#
          + #""granted":300,"used":100,"expired":0,"refunded":0,"left":200,"price":"10.00","#
          + #""currency":"USD","pricePerCredit":"0.033333333333","revenue":"3.333333333333","#
          + #""deferred":"6.666666666667","breakage":"0.00"}"#
      ])
    #expect(try grantRows(lines.reversed()) == grantRows(lines))
    #expect(try grantRows(lines, until: "2026-01-02")[0].contains(#""left":300"#))
  }

  /// A price rounded to 12 places first would be 0.012335, and so 0.01234.
  @Test func aTableRoundsAPricePerCreditOnce() throws {
    let large = line(
      "t1", "a", "purchase", 1_000_000_000_000, at: "2026-01-01T10:00", balance: 1_000_000_000_000,
      #""price":"12334999999.99","currency":"USD""#)
    let table = try printed(GrantRows(.table, in: period()), [large])
    #expect(table.contains(#""pricePerCredit":"0.01233""#))
  }

  @Test func aDebtIsSettledByTheNextPurchase() throws {
    let lines = [
      line("c", "a", "usage", -40, at: "2026-01-01T09:00", balance: -40),
      line(
        "t1", "a", "purchase", 300, at: "2026-01-01T10:00", balance: 260,
        #""price":"3","currency":"JPY""#),
      line("refund:c", "a", "refund", 40, at: "2026-01-01T11:00", balance: 300),
    ]
    #expect(try grantRows(Array(lines[..<2]))[0].contains(#""used":40,"expired":0,"refunded":0"#))
    #expect(try grantRows(lines)[0].contains(#""used":0,"expired":0,"refunded":0,"left":300"#))
  }

  /// Credits returned later are plain, as in the account.
  @Test func creditsThatSettledADebtAreUsed() throws {
    let lines = [
      line("c", "a", "usage", -30, at: "2026-01-01T09:00", balance: -30),
      line(
        "g", "a", "purchase", 100, at: "2026-01-01T10:00", balance: 70,
        #""price":"3","currency":"JPY","priority":50"#),
      line("refund:c", "a", "refund", 30, at: "2026-01-01T11:00", balance: 100),
      line("d", "a", "usage", -20, at: "2026-01-01T12:00", balance: 80),
    ]
    let use = #""used":30,"expired":0,"refunded":0,"left":70"#
    for count in 2...4 { #expect(try grantRows(Array(lines[..<count]))[0].contains(use)) }
    #expect(try !grantRows(lines)[0].contains("incomplete"))
  }

  /// Lines of earlier tools lack the destination: it is purchased credits.
  @Test func creditsThatSettledADebtReturnToTheLinesBucket() throws {
    let time = #""2026-02-01T00:00:00.000Z""#
    let lines = [
      line("c", "a", "usage", -30, at: "2026-01-01T09:00", balance: -30),
      line(
        "g", "a", "bonus", 100, at: "2026-01-01T10:00", balance: 70,
        "\"priority\":50,\"expiresAt\":\(time)"),
    ]
    let expiry = line(
      "expiry:g", "a", "expiry", -70, at: "2026-02-01T00:00", balance: 30, #""grant":"g""#)
    let said = [
      line(
        "refund:c", "a", "refund", 30, at: "2026-01-01T11:00", balance: 100,
        "\"taken\":[{\"kind\":\"bonus\",\"expiresAt\":\(time),\"credits\":-30}]"),
      expiry,
      line(
        "expiry:2026-02-01T00:00:00.000Z:bonus", "a", "expiry", -30, at: "2026-02-01T00:00",
        balance: 0),
    ]
    let unsaid = [
      line("refund:c", "a", "refund", 30, at: "2026-01-01T11:00", balance: 100), expiry,
      line("x", "a", "transfer", -30, at: "2026-02-01T01:00", balance: 0),
    ]
    for end in [said, unsaid] {
      let rows = try grantRows(lines + end)
      #expect(rows.count == 1 && !rows[0].contains("incomplete"))
      #expect(rows[0].contains(#""used":30,"expired":70,"refunded":0,"left":0"#))
    }
  }

  /// Expiries and a quota's reset come before the start, at any place of its line.
  @Test func aGrantStartsAfterOtherEventsOfItsInstant() throws {
    let start = "2026-02-01T00:00"
    let lines = [
      sale,
      line("quota:1", "a", "quota", 40, at: "2026-01-01T10:01", balance: 340),
      line(
        "e", "a", "bonus", 7, at: "2026-01-01T10:02", balance: 347,
        #""priority":50,"expiresAt":"2026-02-01T00:00:00.000Z""#),
      line(
        "g", "a", "bonus", 100, at: "2026-01-02T10:00", balance: 440,
        #""startsAt":"2026-02-01T00:00:00.000Z","priority":50,"#
          + #""completedAt":"2026-02-01T00:00:00.000Z""#),
      line("expiry:e", "a", "expiry", -7, at: start, balance: 340, #""grant":"e""#),
      line("expiry:2026-02-01T00:00:00.000Z:quota", "a", "expiry", -40, at: start, balance: 300),
      line("quota:2", "a", "quota", 40, at: start, balance: 340),
      line("c", "a", "usage", -40, at: start, balance: 400),
    ]
    for lines in [lines, lines.reversed()] {
      let rows = try grantRows(lines)
      #expect(!rows.joined().contains("incomplete"))
      #expect(rows[0].contains(#""used":0,"expired":0,"refunded":0,"left":300"#))
      #expect(rows[2].contains(#""used":0,"expired":0,"refunded":0,"left":100"#))
    }
  }

  @Test func transferredCreditsAreThoseOfThePurchase() throws {
    let lines = [
      sale,
      line("x", "a", "transfer", -50, at: "2026-01-02T10:00", balance: 250),
      line("x", "b", "transfer", 50, at: "2026-01-02T10:00", balance: 50),
      line("c", "b", "usage", -20, at: "2026-01-02T10:00", balance: 30),
    ]
    for lines in [lines, lines.reversed(), [lines[2], lines[3], lines[0], lines[1]]] {
      let rows = try grantRows(lines)
      #expect(rows.count == 1)
      #expect(rows[0].contains(#""used":20,"expired":0,"refunded":0,"left":280"#))
      #expect(!rows[0].contains("incomplete"))
    }
    let receiver = try grantRows(Array(lines[2...]))
    #expect(receiver.count == 1 && receiver[0].contains(#""type":"transfer""#))
    #expect(receiver[0].hasSuffix(#""left":30,"incomplete":true}"#))
    #expect(try grantRows(Array(lines[...1]))[0].contains(#""incomplete":true"#))
  }

  @Test func aMissingLineShows() throws {
    let lines = [
      sale, line("c2", "a", "usage", -100, at: "2026-01-03T10:00", balance: 150),
      line("t9", "b", "bonus", 5, at: "2026-01-03T10:00", balance: 5),
    ]
    let rows = try grantRows(lines)
    #expect(rows[0].contains(#""used":150,"#) && rows[0].hasSuffix(#""incomplete":true}"#))
    #expect(
      rows[1].hasSuffix(#""pricePerCredit":"0","revenue":"0","deferred":"0","breakage":"0"}"#))
  }

  @Test func aRefundTakesTheRestFirst() throws {
    let lines = [
      sale, line("c", "a", "usage", -250, at: "2026-01-02T10:00", balance: 50),
      line("refund:t1", "a", "refund", -300, at: "2026-01-03T10:00", balance: -250),
      line(
        "t2", "a", "purchase", 1000, at: "2026-01-04T10:00", balance: 750,
        #""price":"5","currency":"EUR""#),
    ]
    let rows = try grantRows(lines)
    #expect(rows[0].contains(#""used":0,"expired":0,"refunded":300,"left":0"#))
    #expect(rows[1].contains(#""used":250,"expired":0,"refunded":0,"left":750"#))
    #expect(rows[1].contains(#""revenue":"1.25","deferred":"3.75""#))
  }

  @Test func aGrantThatHasNotStartedIsLeft() throws {
    let terms = #""price":"5","currency":"EUR","startsAt":"2026-02-01T00:00:00.000Z","priority":50"#
    let scheduled = line(
      "g", "a", "purchase", 100, at: "2026-01-01T10:00", status: "scheduled", terms)
    #expect(
      try grantRows([scheduled])[0].contains(
        #""startsAt":"2026-02-01T00:00:00.000Z","granted":100"#))
    #expect(try grantRows([scheduled])[0].contains(#""deferred":"5.00""#))
    let refunded = [
      line("g", "a", "purchase", 100, at: "2026-01-01T10:00", status: "refunded", terms),
      line("refund:g", "a", "refund", -100, at: "2026-01-05T10:00"),
    ]
    #expect(try grantRows(refunded)[0].contains(#""refunded":100,"left":0"#))
    #expect(!(try grantRows(refunded)[0].contains("incomplete")))
    let started = line(
      "g", "a", "purchase", 100, at: "2026-01-01T10:00", balance: 100,
      terms + #","completedAt":"2026-02-01T00:00:00.000Z""#)
    #expect(try grantRows([started], until: "2026-01-20")[0].contains("startsAt"))
    #expect(!(try grantRows([started])[0].contains("startsAt")))
  }

  // MARK: Subscriptions

  private func payment(
    _ id: String, _ account: String = "a", at time: String, until: String, price: String = "31.00",
    ended: String? = nil, product: String = "pro"
  ) -> String {
    let end = ended.map { #","endedAt":"\#($0):00.000Z""# } ?? ""
    return line(
      id, account, "subscription", 0, at: time,
      #""productID":"\#(product)","price":"\#(price)","currency":"EUR","plan":"pro","#
        + #""until":"\#(until)T00:00:00.000Z""# + end)
  }

  private func money(_ lines: [String], until: String) throws -> [String] {
    try grantRows(
      lines + [line("now", "z", "bonus", 1, at: "2027-01-01T00:00", balance: 1)], until: until
    )
    .map { row in
      ["revenue", "deferred"].map { name in
        String(row.split(separator: "\"\(name)\":\"").last?.prefix { $0 != "\"" } ?? "")
      }.joined(separator: " ")
    }
  }

  @Test func aSubscriptionIsEarnedByItsDays() throws {
    let january = payment("s", at: "2026-01-01T00:00", until: "2026-02-01")
    #expect(try money([january], until: "2026-01-11") == ["10.00 21.00"])
    #expect(try money([january], until: "2026-02-01") == ["31.00 0.00"])
    #expect(try money([january], until: "2026-05-01") == ["31.00 0.00"])
    let row = try grantRows([january])[0]
    #expect(row.contains(#""granted":0,"used":0,"expired":0,"refunded":0,"left":0"#))
    #expect(!row.contains("pricePerCredit") && row.hasSuffix(#","product":"pro"}"#))
    #expect(
      row.contains(
        #""paidFrom":"2026-01-01T00:00:00.000Z","paidUntil":"2026-02-01T00:00:00.000Z""#))
    // A part of a day counts to the millisecond.
    let third = payment("s", at: "2026-01-01T00:00", until: "2026-01-04", price: "1")
    #expect(try money([third], until: "2026-01-02") == ["0.333333333333 0.666666666667"])
  }

  /// An early renewal begins when the last one ends, a late one when it is paid.
  @Test func aRenewalHasItsOwnTime() throws {
    let first = payment("s1", at: "2026-01-01T00:00", until: "2026-02-01")
    let early = payment("s2", at: "2026-01-25T00:00", until: "2026-03-01", price: "28.00")
    #expect(try money([early, first], until: "2026-01-31") == ["30.00 1.00", "0.00 28.00"])
    #expect(try money([first, early], until: "2026-02-15") == ["31.00 0.00", "14.00 14.00"])
    let late = payment("s3", at: "2026-03-11T00:00", until: "2026-03-31", price: "20.00")
    #expect(try money([first, early, late], until: "2026-03-12").last == "1.00 19.00")
    let other = payment("s4", "b", at: "2026-01-25T00:00", until: "2026-03-01", price: "35.00")
    #expect(try money([first, other], until: "2026-01-26") == ["25.00 6.00", "1.00 34.00"])
  }

  private func refund(_ id: String, _ price: String, at time: String) -> String {
    line(id, "a", "refund", 0, at: time, #""price":"\#(price)","currency":"EUR""#)
  }

  @Test func aRefundedSubscriptionEarnsWhatWasKept() throws {
    let january = payment("s", at: "2026-01-01T00:00", until: "2026-02-01")
    let whole = refund("refund:s", "31.00", at: "2026-01-11T00:00")
    #expect(try money([january, whole], until: "2026-01-11") == ["10.00 21.00"])
    #expect(try money([january, whole], until: "2026-01-12") == ["0.00 0.00"])
    #expect(
      try grantRows([january, whole])[0].hasSuffix(#""refundedPrice":"31.00","product":"pro"}"#))
    let part = refund("refund:s", "21.00", at: "2026-01-11T00:00")
    #expect(try money([january, part], until: "2026-01-12") == ["10.00 0.00"])
    let reversed = refund("reversal:s", "-31.00", at: "2026-01-12T00:00")
    #expect(try money([january, whole, reversed], until: "2026-01-13") == ["12.00 19.00"])
  }

  /// The kept part of a payment is earned to its own end if its plan is given back at price 0.
  @Test func aRefundOfAPartIsDeferredIfThePlanGoesOn() throws {
    let january = payment("s", at: "2026-01-01T00:00", until: "2026-02-01")
    let part = refund("refund:s", "15.50", at: "2026-01-11T00:00")
    func gift(at time: String, product: String = "pro", ended: String? = nil) -> String {
      payment("g", at: time, until: "2026-02-01", price: "0", ended: ended, product: product)
    }
    let soon = [january, part, gift(at: "2026-01-11T01:00")]
    #expect(try money(soon, until: "2026-01-12") == ["5.50 10.00", "0.00 0.00"])
    #expect(try money(soon, until: "2026-02-01")[0] == "15.50 0.00")
    // A gift before the refund keeps the plan, too.
    let before = [january, gift(at: "2026-01-10T00:00"), part]
    #expect(try money(before, until: "2026-01-12")[0] == "5.50 10.00")
    // Until a later one the plan is over, so that days before stay as they were.
    let late = [january, part, gift(at: "2026-01-13T00:00")]
    #expect(try money(late, until: "2026-01-12") == ["15.50 0.00"])
    #expect(try money(late, until: "2026-01-14")[0] == "6.50 9.00")
    let other = [january, part, gift(at: "2026-01-13T00:00", product: "max")]
    #expect(try money(other, until: "2026-01-14")[0] == "15.50 0.00")
    let paid = [january, part, payment("p", at: "2026-01-13T00:00", until: "2026-02-13")]
    #expect(try money(paid, until: "2026-01-14")[0] == "15.50 0.00")
    let over = [january, part, gift(at: "2026-01-11T01:00", ended: "2026-01-21T00:00")]
    #expect(try money(over, until: "2026-01-21")[0] == "10.00 5.50")
    #expect(try money(over, until: "2026-01-22")[0] == "15.50 0.00")
    #expect(try grantRows(over)[0].contains(#""breakage":"0.00""#))
    let reversed = refund("reversal:s", "-15.50", at: "2026-01-12T00:00")
    #expect(try money([january, part, reversed], until: "2026-01-13")[0] == "12.00 19.00")
  }

  /// The price of the time after an early end is breakage from then on, also if a follower
  /// repeats the line.
  @Test func anEndedSubscriptionLapses() throws {
    let paid = payment("s", at: "2026-01-01T00:00", until: "2026-02-01")
    let end = #","endedAt":"2026-01-11T00:00:00.000Z"}"#
    let ended = String(paid.dropLast()) + end
    let repeated =
      String(paid.dropLast()) + #","changed":true,"updatedAt":"2026-01-11T00:00:00.000Z""# + end
    #expect(try money([ended], until: "2026-01-11") == ["10.00 21.00"])
    for lines in [[ended], [paid, repeated]] {
      #expect(try money(lines, until: "2026-01-12") == ["10.00 0.00"])
    }
    #expect(try grantRows([ended])[0].contains(#""breakage":"21.00""#))
    // A later payment begins when it is paid.
    let next = payment("t", at: "2026-01-21T00:00", until: "2026-02-21")
    #expect(try money([ended, next], until: "2026-01-31") == ["10.00 0.00", "10.00 21.00"])
    let refund = refund("refund:s", "31.00", at: "2026-01-13T00:00")
    #expect(try money([ended, refund], until: "2026-01-14") == ["0.00 0.00"])
  }

  /// The rest of a replaced payment is earned to its own end, while another one is in force.
  @Test func aReplacedSubscriptionIsEarnedToItsEnd() throws {
    let old = payment("s", at: "2026-01-01T00:00", until: "2026-02-01", ended: "2026-01-11T00:00")
    let new = payment("t", at: "2026-01-11T00:00", until: "2026-02-01", product: "max")
    func month(_ lines: [String], until: String) throws -> [String] {
      let text = try money(lines, until: until)
      #expect(try money(lines.reversed(), until: until) == text)
      return text
    }
    // As before the change, so that a closed month stays as it was.
    #expect(try money([old, new], until: "2026-01-11") == ["10.00 21.00"])
    #expect(
      try month([old, new], until: "2026-01-21")
        == ["20.00 11.00", "14.761904761905 16.238095238095"])
    #expect(try month([old, new], until: "2026-03-01") == ["31.00 0.00", "31.00 0.00"])
    #expect(try grantRows([old, new])[0].contains(#""breakage":"0.00""#))
    // The old plan again: its new payment does not wait for the old one's end.
    let back = payment("u", at: "2026-01-16T00:00", until: "2026-02-15", price: "30.00")
    let over = payment(
      "t", at: "2026-01-11T00:00", until: "2026-02-01", ended: "2026-01-16T00:00", product: "max")
    #expect(
      try month([old, over, back], until: "2026-01-21")
        == ["20.00 11.00", "14.761904761905 16.238095238095", "5.00 25.00"])
  }

  /// No payment is in force any more, so the rest of those that it has replaced is not owed.
  @Test func aReplacedSubscriptionLapsesWithTheNewOne() throws {
    let old = payment("s", at: "2026-01-01T00:00", until: "2026-02-01", ended: "2026-01-11T00:00")
    let over = payment(
      "t", at: "2026-01-11T00:00", until: "2026-02-01", price: "21.00", ended: "2026-01-21T00:00",
      product: "max")
    #expect(try money([old, over], until: "2026-01-21") == ["20.00 11.00", "10.00 11.00"])
    #expect(try money([old, over], until: "2026-01-22") == ["20.00 0.00", "10.00 0.00"])
    #expect(try grantRows([over, old]).allSatisfy { $0.contains(#""breakage":"11.00""#) })
    let new = payment("t", at: "2026-01-11T00:00", until: "2026-02-01", product: "max")
    let refunded = refund("refund:t", "31.00", at: "2026-01-21T00:00")
    #expect(try money([old, new, refunded], until: "2026-01-22") == ["20.00 0.00", "0.00 0.00"])
    // A refund of the old one ends no plan: the kept part is earned to its end, too.
    let other = refund("refund:s", "15.50", at: "2026-01-21T00:00")
    #expect(try money([old, new, other], until: "2026-01-22")[0] == "10.50 5.00")
    #expect(try money([old, new, other, refunded], until: "2026-01-22")[0] == "15.50 0.00")
  }

  /// So it does if the time of the new one runs out, unless that is renewed, also late.
  @Test func aReplacedSubscriptionLapsesAtTheEndOfTheNewOne() throws {
    let old = payment("s", at: "2026-01-01T00:00", until: "2026-02-01", ended: "2026-01-06T00:00")
    let new = payment("t", at: "2026-01-06T00:00", until: "2026-01-11", price: "5", product: "max")
    func first(_ more: [String] = [], until: String) throws -> String {
      let text = try money([old, new] + more, until: until)[0]
      #expect(try money((more + [new, old]).reversed(), until: until)[0] == text)
      return text
    }
    #expect(try first(until: "2026-01-11") == "10.00 21.00")
    for until in ["2026-01-12", "2026-03-01"] { #expect(try first(until: until) == "10.00 0.00") }
    let later = line("now", "z", "bonus", 1, at: "2027-01-01T00:00", balance: 1)
    #expect(try grantRows([new, old, later])[0].contains(#""breakage":"21.00""#))
    func next(_ product: String, at time: String) -> [String] {
      [payment("u", at: time, until: "2026-01-21", price: "5", product: product)]
    }
    for time in ["2026-01-11T00:00", "2026-01-12T00:00"] {
      let renewed = next("max", at: time)
      #expect(try first(renewed, until: "2026-01-16") == "15.00 16.00")
      #expect(try first(renewed, until: "2026-01-22") == "20.00 0.00")
    }
    #expect(try first(next("max", at: "2026-01-12T00:00"), until: "2026-01-12") == "10.00 0.00")
    #expect(try first(next("other", at: "2026-01-12T00:00"), until: "2026-01-16") == "10.00 0.00")
    #expect(try first(next("other", at: "2026-01-11T00:00"), until: "2026-01-16") == "15.00 16.00")
    // The part that a refund has left is earned then.
    let kept = refund("refund:s", "15.50", at: "2026-01-06T00:00")
    #expect(try first([kept], until: "2026-01-11") == "5.00 10.50")
    #expect(try first([kept], until: "2026-01-12") == "15.50 0.00")
  }

  @Test func whatTheInputLacksIsSaid() throws {
    let form = GrantRows(.json, in: period(until: "2027-02-01"))
    let lines = [
      line("u", "a", "usage", -5, at: "2026-01-02T10:00", balance: 95),
      line("1", "b", "bonus", 5, at: "2026-01-02T10:00", balance: 5),
    ]
    #expect(try printed(form, lines).split(separator: "\n").count == 1)
    #expect(form.remarks.count == 2)
    #expect(form.remarks[0].hasPrefix("the report ends at 2026-01-02T10:00:00.000Z"))
    #expect(form.remarks[1].hasPrefix(#"the input has no top-up of "a", whose"#))
    let whole = GrantRows(.json, in: period(until: "2026-01-02"))
    _ = try printed(whole, lines)
    #expect(whole.remarks.isEmpty)
  }
}
