import Testing

@testable import CreditJSON
@testable import CreditModel
@testable import TestSupport

/// A record has one form, and reading returns the written record.
@Suite struct RecordFormTests {
  private let start = time("2026-02-19T10:00:00.000Z")
  private let later = time("2026-02-20T10:00:00.000Z")

  private func account(_ name: Name = "alice", _ change: (inout Account) -> Void = { _ in })
    -> Account
  {
    var account = Account(name: name, registeredAt: start)
    account.updatedAt = later
    account.recordCount = 14
    account.transactionCount = 12
    account.buckets = [Bucket(kind: .starter, credits: 43)]
    change(&account)
    return account
  }

  private func charge(
    _ credits: Credits, taken: [Bucket], key: Name? = "k-1", model: Name = "unit",
    usage: Usage = .units(7), leaving account: Account
  ) -> Charge {
    let receipt = CreditReceipt(
      authorization: CreditAuthorization(id: "a-1", account: account.name, timestamp: later),
      model: model, usage: usage, creditsCharged: credits, newBalance: account.balance,
      timestamp: later)
    return Charge(receipt: receipt, key: key, taken: BucketShares(taken))
  }

  private func record(_ credits: Credits, taken: [Bucket], leaving buckets: [Bucket])
    -> LedgerRecord
  {
    let account = account { $0.buckets = Buckets(buckets) }
    return LedgerRecord(
      event: .charge(charge(credits, taken: taken, leaving: account)), account: account)
  }

  /// The record's text, after it has been read back.
  private func text(_ record: LedgerRecord, sourceLocation: SourceLocation = #_sourceLocation)
    throws -> String
  {
    var writer = JSONWriter()
    writer.openRecord(record, previous: nil)
    writer.endObject()
    let text = writer.string
    let back = try #require(read(text), "\(text)", sourceLocation: sourceLocation)
    #expect(back == record, sourceLocation: sourceLocation)
    return text
  }

  private func read(_ text: String) -> LedgerRecord? {
    var reader = RecordReader()
    return Array(text.utf8).withBytes { reader.readAlone($0) }
  }

  /// The members that few charges have, each in its place.
  @Test func aChargeHasItsUnusualMembers() throws {
    let taken = [Bucket(kind: .starter, credits: 7)]
    let account = account()
    let plain = charge(7, taken: taken, leaving: account)
    var receipt = plain.receipt
    receipt.usd = "0.0111"
    receipt.details = .of(
      usedAt: start, reportedUSD: ExactDecimal(text: "0.5"), costUSD: "0.01",
      tags: tags(["b": "zoë", "a": ""]))
    receipt.creditsWaived = 0
    receipt.remarks = UsageRemarks.of(isPartial: true, unread: ["a.b"], unpriced: ["c", "d"])
    let event = LedgerEvent.charge(Charge(receipt: receipt, key: "k", taken: BucketShares(taken)))
    let text = try text(LedgerRecord(event: event, account: account))
    #expect(
      text.contains(
        #""usage":{"units":7},"usd":"0.0111","costUSD":"0.01","reportedUSD":"0.5","#
          + #""usedAt":"2026-02-19T10:00:00.000Z","tags":{"b":"zoë","a":""},"#
          + #""creditsCharged":7,"creditsWaived":0,"#
          + #""partial":true,"unread":["a.b"],"unpriced":["c","d"],"state""#))
    for amount in ["0.01110", "01", "1.", ".5", "1e3", "-1", "", "1.2.3"] {
      #expect(read(text.replacing("0.0111", with: amount)) == nil, "\(amount)")
    }
    #expect(read(text.replacing(#""0.5""#, with: #""0.50""#)) == nil)
    for tags in ["{}", #"{"a.b":""}"#, #"{"a":"","a":""}"#, #"{"a":"1","a":"2"}"#, #"{"a":1}"#] {
      #expect(read(text.replacing(#"{"b":"zoë","a":""}"#, with: tags)) == nil, "\(tags)")
    }
  }

  @Test func othersHaveTagsToo() throws {
    let account = account()
    let authorization = CreditAuthorization(
      id: "a-1", account: account.name, timestamp: later,
      hold: .init(credits: 3, expiresAt: .latest), tags: tags(["project": "x"]))
    let event = LedgerEvent.authorization(authorization)
    #expect(
      try text(LedgerRecord(event: event, account: account)).contains(
        #","tags":{"project":"x"}},"state""#))
    var transaction = Transaction(
      id: "t-1", account: account.name, kind: .bonus, status: .completed, credits: 5,
      timestamp: later)
    transaction.tags = tags(["campaign": "spring"])
    let topUp = TopUp(transaction: transaction, creditsAdded: 5, newBalance: account.balance)
    #expect(
      try text(LedgerRecord(event: .topUp(topUp), account: account)).contains(
        #""credits":5,"tags":{"campaign":"spring"}},"state""#))
  }

  /// The most common records are as short as when the form was made, except for the price.
  @Test func aPlainChargeIsShort() throws {
    let account = account("customer-0001") {
      $0.recordCount = 1_000_000
      $0.transactionCount = 1_000_000
      $0.buckets = [Bucket(kind: .purchased, credits: 1_000_000)]
    }
    let usage = Usage.tokens(TokenUsage(inputTokens: 1200, outputTokens: 500))
    let taken = [Bucket(kind: .purchased, credits: 12)]
    let key: Name = "msg-000000000001"
    var receipt = charge(
      12, taken: taken, model: "claude-sonnet-4.5", usage: usage, leaving: account
    ).receipt
    receipt.usd = "0.0111"
    let event = LedgerEvent.charge(Charge(receipt: receipt, key: key, taken: BucketShares(taken)))
    let text = try text(LedgerRecord(event: event, account: account))
    #expect(text.utf8.count < 340 + #","usd":"0.0111""#.utf8.count, "\(text)")
  }

  // MARK: Texts and numbers

  @Test(arguments: [
    "zoë \"z\"", "a\\b", "\u{1F600}", "emoji \u{1F468}\u{200D}\u{1F469}", "e\u{301}",
    String(repeating: "long ", count: 25) + "!", "ünïcödé-and-more-than-fifteen-bytes",
  ])
  func anyNameIsReadBack(_ text: String) throws {
    let account = account(Name(trusted: text))
    let authorization = CreditAuthorization(
      id: Name(trusted: text + text), account: account.name, timestamp: start)
    _ = try self.text(LedgerRecord(event: .void(authorization), account: account))
  }

  @Test(arguments: ["", " a", "a ", "\u{7}", "\u{7F}", "a\u{85}", "\u{A0}a"])
  func noOtherNameIs(_ text: String) {
    var writer = JSONWriter()
    let record = LedgerRecord(
      event: .settings(credits: 0), account: account(Name(trusted: text)))
    writer.openRecord(record, previous: nil)
    writer.endObject()
    #expect(read(writer.string) == nil)
  }

  @Test(arguments: ["", "line\nbreak\t\"quoted\" \\ \u{1}", "\u{202E}gnorw", "日本語"])
  func anyReasonIsReadBack(_ reason: String) throws {
    let account = account()
    var transaction = Transaction(
      id: "t-1", account: account.name, kind: .adjustment, status: .failed, credits: 5,
      timestamp: later)
    transaction.reason = reason
    let topUp = TopUp(transaction: transaction, creditsAdded: 0, newBalance: account.balance)
    _ = try text(LedgerRecord(event: .topUp(topUp), account: account))
  }

  @Test func aTextHasOneForm() throws {
    let text = try text(
      LedgerRecord(event: .settings(credits: 0), account: account("zoë")))
    #expect(text.contains(#""account":"zoë""#))
    for other in [
      #"zo\u00eb"#, #"zoë\/"#, #"zo\u00EB"#, #"\u007aoë"#, "zo\u{FFFD}", #"zo\"#, #"\u1"#,
    ] {
      let changed = text.replacing(#""zoë""#, with: "\"\(other)\"")
      if let record = read(changed) {
        var writer = JSONWriter()
        writer.openRecord(record, previous: nil)
        writer.endObject()
        #expect(writer.string == changed)
      }
    }
    #expect(read(text.replacing("zoë", with: #"zo\u00eb"#)) == nil)
    // Bytes that are no UTF-8.
    var bytes = Array(text.utf8)
    let place = try #require(bytes.firstIndex(of: 0xC3))
    bytes[place] = 0xFF
    var reader = RecordReader()
    #expect(bytes.withBytes { reader.readAlone($0) } == nil)
  }

  @Test(
    arguments: [
      0, 1, -1, 999_999_999_999_999_999, 1_000_000_000_000_000_000, .max, -.max, 1 << 53,
    ] as [Credits])
  func anyNumberIsReadBack(_ credits: Credits) throws {
    _ = try text(LedgerRecord(event: .settings(credits: credits), account: account()))
  }

  @Test(arguments: ["9223372036854775808", "18446744073709551616", "01", "-0", "1.0", "1e3", "+1"])
  func noOtherNumberIs(_ number: String) throws {
    let text = try text(LedgerRecord(event: .settings(credits: 77), account: account()))
    #expect(read(text.replacing(#""credits":77"#, with: "\"credits\":\(number)")) == nil)
  }

  // MARK: Holds

  @Test func holdsSayHowFarTheyAreApart() throws {
    let seconds: [Int64] = [32, 64, 96, 160, 224, 225]
    let account = account {
      $0.holds = seconds.enumerated().map { index, second in
        HoldSum(
          credits: Credits(index + 1),
          expiresAt: Timestamp(milliseconds: later.milliseconds + second * 1000))
      }
    }
    let text = try text(LedgerRecord(event: .settings(credits: 0), account: account))
    #expect(
      text.contains(
        #""holds":["2026-02-20T10:00:32.000Z",1,"+32000",2,3,"+64000",4,5,"+1000",6]"#))
    for wrong in [
      #"1,"+32000",2,"+32000",3"#, #"1,2,3"#, #"1,"+0",2,3"#, #"1,"+-1",2,3"#, #"1,"32000",2,3"#,
      #"1,"+32000",2,3,"#, #""+32000",1,2,3"#, #"1,"+999999999999999999",2,3"#,
    ] {
      #expect(read(text.replacing(#"1,"+32000",2,3"#, with: wrong)) == nil, "\(wrong)")
    }
  }

  /// The model's limit is that of the written text.
  @Test(arguments: UInt64(1)...20) func holdsAreAsLongAsTheModelSays(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var expiry = later.milliseconds
    var account = account()
    for _ in 0..<Int.random(in: 1...300, using: &random) {
      expiry += random.pick(1, 60_000, 60_000, 60_000, .random(in: 1...1 << 40, using: &random))
      account.holds.append(
        HoldSum(
          credits: .random(in: 1...1 << 50, using: &random),
          expiresAt: Timestamp(milliseconds: expiry)))
    }
    let text = try text(LedgerRecord(event: .settings(credits: 0), account: account))
    let start = try #require(text.firstRange(of: #","holds":["#))
    let end = try #require(text[start.upperBound...].firstRange(of: "]"))
    let count = text[start.lowerBound..<end.upperBound].utf8.count
    #expect(count <= account.holds.textCount && account.holds.textCount < count + 20)
  }

  // MARK: Which buckets paid

  @Test func theFirstBucketIsNotNamed() throws {
    let starter = Bucket(kind: .starter, credits: 43)
    let purchased = Bucket(kind: .purchased, credits: 5)
    let taken = [Bucket(kind: .starter, credits: 7)]
    #expect(!(try text(record(7, taken: taken, leaving: [starter, purchased])).contains("taken")))
    #expect(!(try text(record(0, taken: [], leaving: [starter])).contains("taken")))
    let debt = Bucket(kind: .purchased, credits: -3)
    let owed = [Bucket(kind: .purchased, credits: 2)]
    #expect(!(try text(record(2, taken: owed, leaving: [debt])).contains("taken")))
  }

  @Test func othersAre() throws {
    let starter = Bucket(kind: .starter, credits: 7)
    let purchased = Bucket(kind: .purchased, credits: 5)
    // It is empty now.
    #expect(try text(record(7, taken: [starter], leaving: [])).contains("taken"))
    #expect(try text(record(7, taken: [starter], leaving: [purchased])).contains("taken"))
    let both = [starter, Bucket(kind: .purchased, credits: 1)]
    #expect(try text(record(8, taken: both, leaving: [purchased])).contains("taken"))
    let bonus = Bucket(kind: .bonus, credits: 7, expiresAt: later)
    let laterBonus = Bucket(kind: .bonus, credits: 7, expiresAt: .latest)
    #expect(try text(record(7, taken: [bonus], leaving: [laterBonus])).contains("taken"))
  }

  @Test func aRecordWithARedundantMemberIsInvalid() throws {
    let taken = [Bucket(kind: .starter, credits: 7)]
    let text = try text(record(7, taken: taken, leaving: [Bucket(kind: .starter, credits: 43)]))
    let longer = text.replacing(
      #""creditsCharged":7,"#, with: #""creditsCharged":7,"taken":[{"starter":7}],"#)
    #expect(longer != text && read(longer) == nil)
  }

  @Test func aRefundAlwaysNamesThem() throws {
    let taken = [Bucket(kind: .purchased, credits: 5)]
    var refunded = record(5, taken: taken, leaving: [Bucket(kind: .starter, credits: 7)])
    guard case .charge(let charge) = refunded.event else { return }
    refunded.event = .chargeRefund(charge, Refund(credits: 5, newBalance: 7, timestamp: start))
    let text = try text(refunded)
    #expect(text.contains(#""taken":[{"purchased":5}]"#))
    #expect(read(text.replacing(#","taken":[{"purchased":5}]"#, with: "")) == nil)
  }

  @Test func anAmendedChargeHasItsEarlierState() throws {
    let taken = [Bucket(kind: .starter, credits: 3), Bucket(kind: .starter, credits: 4)]
    let plain = record(7, taken: taken, leaving: [Bucket(kind: .starter, credits: 43)])
    guard case .charge(let charge) = plain.event else { return }
    var receipt = charge.receipt
    func amended(_ amendment: Amendment) -> LedgerRecord {
      receipt.details = ChargeDetails.of(isArrears: true, amendment: amendment)
      let charge = Charge(receipt: receipt, key: "k", taken: BucketShares(taken))
      return LedgerRecord(
        event: .amend(charge), account: plain.account, original: nil)
    }
    let first = ChargedWork(
      model: "other", usage: .units(9), unreadUsage: "{}", reportedUSD: ExactDecimal(text: "0.5"))
    let whole = amended(
      Amendment(
        number: 2, isReturn: true, chargedAt: start, first: first, previousCredits: 9,
        previousPrice: PriceParts(usd: "0.01", costUSD: "0.009", waived: 5), credits: -2,
        forfeited: [Bucket(kind: .bonus, credits: 1, expiresAt: later)]))
    let text = try text(whole)
    let parts: [String] = [
      #""arrears":true,"amendment":{"number":2,"return":true,"credits":-2,"previousCredits":9,"#,
      #""previousUSD":"0.01","previousCostUSD":"0.009","previousWaived":5,"#,
      #""forfeited":[{"bonus":1,"expiresAt":"2026-02-20T10:00:00.000Z"}],"#,
      #""chargedAt":"2026-02-19T10:00:00.000Z","first":{"model":"other","usage":{"units":9},"#,
      #""unreadUsage":"{}","reportedUSD":"0.5"}},"creditsCharged":7,"taken":[{"starter":3},"#,
    ]
    #expect(text.contains(parts.joined()))
    // Each is a record of its own kind.
    #expect(read(text.replacing(#""event":"amend""#, with: #""event":"charge""#)) == nil)
    #expect(read(try self.text(plain).replacing("\"charge\"", with: "\"amend\"")) == nil)
  }

  @Test func aChargeWithoutPaymentIsNotARecord() throws {
    let record = record(7, taken: [Bucket(kind: .starter, credits: 7)], leaving: [])
    #expect(read(try text(record).replacing(#""taken":[{"starter":7}],"#, with: "")) == nil)
  }
}
