import CreditJSON
import CreditModel
import Testing

@testable import CreditFinance
@testable import TestSupport

/// Random histories of the ledger: the report computes each account's buckets at any time from
/// their lines; and a grant's credits are used, expired, refunded or left.
@Suite struct GrantBookPropertyTests {
  @Test(arguments: UInt64(1)...60)
  func agreesWithTheAccounts(seed: UInt64) throws {
    var history = RandomGrantHistory(seed: seed)
    for _ in 0..<60 { history.step() }
    let lines = history.lines()
    let book = try Self.book(lines, until: nil)
    try Self.check(book, history.accounts(at: .latest), "seed \(seed), at the end")
    #expect(!book.grants.contains { $0.isIncomplete }, "seed \(seed)")
    let backwards = try Self.book(lines.reversed(), until: nil)
    #expect(Self.summary(backwards) == Self.summary(book), "seed \(seed)")
    // As sorted by time: lines of one time stay newest first.
    let sorted = try lines.reversed().map { (try Self.time(of: $0), $0) }.enumerated()
      .sorted { ($0.element.0, $0.offset) < ($1.element.0, $1.offset) }.map(\.element.1)
    #expect(try Self.summary(Self.book(sorted, until: nil)) == Self.summary(book), "seed \(seed)")
    var random = SeededGenerator(seed: seed)
    let shuffled = try Self.book(lines.shuffled(using: &random), until: nil)
    let doubtful = Set(shuffled.grants.filter(\.isIncomplete).map(\.id))
    #expect(doubtful.isEmpty || shuffled.remarkOnOrder != nil, "seed \(seed)")
    for grant in Self.summary(shuffled) where !Self.summary(book).contains(grant) {
      let id = grant.prefix { $0 != " " }
      #expect(doubtful.contains(String(id)), "seed \(seed), \(grant)")
    }
    var isExact = true
    for time in history.times {
      let until = Timestamp(milliseconds: time.milliseconds + 1)
      let book = try Self.book(lines, until: until)
      try Self.check(book, history.accounts(at: time), "seed \(seed), \(time.text)")
      // Later lines leave earlier times as they were.
      let known = try Self.book(history.lines(at: time), until: until)
      #expect(Self.summary(known) == Self.summary(book), "seed \(seed), \(time.text)")
      if isExact, !history.hasPlans {
        isExact = try Self.checkSums(book, lines, until, "seed \(seed), \(time.text)")
      }
    }
    for (id, use) in try history.uses() {
      let grant = try #require(book.grants.first { $0.id == id })
      // Some stand in for credits of other buckets or accounts.
      let number = book.grant(id, of: grant.account) ?? -1
      let own = book.purses[grant.account].credits(in: .grant(number))
      let left = grant.isScheduled ? grant.left : own
      let gone = grant.used + grant.adjusted + grant.left - left
      let reported = "left \(left) gone \(gone) expired \(grant.expired)"
      #expect(reported == use, "seed \(seed), \(id)")
    }
  }

  /// Each line's credits are used, adjusted, or expired or refunded: of a top-up, or as debt.
  ///
  /// No other line changes a sum, so that no revenue comes without use.
  /// - Returns: false if some are of no top-up: a grant has settled a debt, for good.
  private static func checkSums(
    _ book: GrantBook, _ lines: [String], _ until: Timestamp, _ comment: String
  ) throws -> Bool {
    var (used, adjusted, gone): (Int128, Int128, Int128) = (0, 0, 0)
    for text in lines {
      try withLine(text) { line in
        guard line.counts, line.recordedAt < until else { return }
        let credits = -Int128(line.credits)
        switch line.kind {
        case .usage: used += credits
        case .adjustment where credits > 0: adjusted += credits
        case .expiry: gone += credits
        case .refund where line.id.hasPrefix("refund:k") || line.id.hasPrefix("refund:id"):
          used += credits
        case .refund: gone += credits
        default: break
        }
      }
    }
    let debts = book.purses.flatMap(\.debts)
    func owed(_ isOwed: (GrantedCredits.Count?) -> Bool) -> Int128 {
      debts.filter { isOwed($0.count) }.reduce(0) { $0 + $1.credits }
    }
    func sum(_ count: (GrantedCredits) -> Int128) -> Int128 {
      book.grants.reduce(0) { $0 + count($1) }
    }
    let lots = book.purses.flatMap(\.buckets).flatMap(\.lots)
    let lent = lots.filter { $0.grant == nil }.reduce(0) { $0 + $1.credits }
    if lent > owed({ $0 == nil }) { return false }
    #expect(sum(\.used) + owed { $0 == nil || $0 == \.used } - lent == used, "\(comment)")
    #expect(sum(\.adjusted) + owed { $0 == \.adjusted } == adjusted, "\(comment)")
    let rest = sum { $0.expired + $0.refunded - $0.adjusted } + owed { $0 == \.expired }
    #expect(rest == gone, "\(comment)")
    return true
  }

  @Test func renewalsInAdvanceAreSoonDone() throws {
    let start = ContinuousClock.now
    let lines = (0..<10_000).map { number in
      let time = Timestamp(milliseconds: 1_767_225_600_000 + Int64(number) * 60_000)
      let until = Timestamp(milliseconds: time.milliseconds + Int64(number + 1) * 86_400_000)
      return line(
        "t\(number)", "a", "subscription", 0, at: String(time.text.prefix(16)),
        #""price":"9.99","currency":"USD","productID":"p","until":"\#(until.text)""#)
    }
    let grants = try Self.book(lines, until: nil).grants
    #expect(grants[9_999].paidTime?.start == grants[9_998].paidTime?.end)
    // Looking at each earlier payment would take minutes.
    #expect(ContinuousClock.now - start < .seconds(20))
  }

  /// A payment whose refund is undone when another ends carries the rest of that one.
  @Test func aMoveOfTheSameInstantCounts() throws {
    let paid = #""price":"9.99","currency":"USD","until":"2026-06-01T00:00:00.000Z""#
    let lines = [
      line("max", "a", "subscription", 0, at: "2026-01-01T10:00", #"\#(paid),"productID":"max""#),
      line("refund:max", "a", "refund", 0, at: "2026-01-02T10:00"),
      line(
        "pro", "a", "subscription", 0, at: "2026-01-03T10:00",
        #"\#(paid),"productID":"pro","endedAt":"2026-01-04T10:00:00.000Z""#),
      line("reversal:max", "a", "refund", 0, at: "2026-01-04T10:00"),
      line("refund:max:2", "a", "refund", 0, at: "2026-01-05T10:00"),
    ]
    for lines in [lines, lines.reversed()] {
      let carried = try Self.book(lines, until: Timestamp(milliseconds: 1_767_571_200_000)).grants
      let pro = try #require(carried.first { $0.id == "pro" })
      #expect(pro.timeInForce != nil && pro.planTime == nil)
      let lapsed = try Self.book(lines, until: nil).grants
      #expect(lapsed.allSatisfy { $0.timeInForce == nil })
    }
  }

  private static func book(_ lines: some Sequence<String>, until: Timestamp?) throws -> GrantBook {
    var timeline = GrantTimeline()
    for line in lines {
      try withLine(line) {
        let hasRoom = try timeline.add($0)
        #expect(hasRoom)
      }
    }
    return GrantBook(timeline, until: until)
  }

  private static func time(of line: String) throws -> Timestamp {
    var time = Timestamp.earliest
    try withLine(line) { time = $0.timestamp }
    return time
  }

  private static func summary(_ book: GrantBook) -> [String] {
    book.grants.map { "\($0.id) \($0.used) \($0.expired) \($0.refunded) \($0.left)" }.sorted()
  }

  private static func check(_ book: GrantBook, _ accounts: [Account], _ comment: String) throws {
    for account in accounts {
      let number = book.timeline.accounts[account.name]
      guard let number else {
        #expect(account.balance == 0, "\(comment)")
        continue
      }
      let purse = book.purses[number]
      let owed = purse.debts.reduce(Int128(0)) { $0 + $1.credits }
      let all = purse.buckets.reduce(Int128(0)) { $0 + $1.credits }
      #expect(all - owed == Int128(account.balance), "\(comment): \(account.name.text)")
      #expect(purse.credits(in: .quota) == Int128(account.quota?.remaining ?? 0), "\(comment)")
      for bucket in account.buckets {
        let key: LotBucket.Key?
        if let grant = bucket.grant {
          key = book.grant(grant.id.text, of: number).map { .grant($0) }
        } else if let expiresAt = bucket.expiresAt {
          key = .dated(bucket.kind, expiresAt)
        } else {
          key = .plain(bucket.kind)
        }
        let credits = purse.credits(in: try #require(key))
        let debt = bucket.kind == .purchased && bucket.grant == nil ? owed : 0
        #expect(credits - debt == Int128(bucket.credits), "\(comment): \(bucket)")
      }
    }
    var lots = [Int128](repeating: 0, count: book.grants.count)
    for lot in book.purses.flatMap(\.buckets).flatMap(\.lots) {
      if let grant = lot.grant { lots[grant] += lot.credits }
    }
    for (number, grant) in book.grants.enumerated() {
      let parts = [grant.used, grant.expired, grant.refunded, grant.left]
      #expect(parts.allSatisfy { $0 >= 0 }, "\(comment): \(grant)")
      #expect(grant.isScheduled || lots[number] == grant.left, "\(comment): \(grant)")
    }
  }
}

/// A history that a seed decides: top-ups with and without terms and promotions, charges,
/// corrections, refunds, transfers, adjustments, a quota, and time.
private struct RandomGrantHistory {
  private let books = MemoryBooks()
  private var random: SeededGenerator
  private var now = Timestamp(milliseconds: 1_767_225_600_000)
  private var count = 0
  private(set) var times: [Timestamp] = []
  private let policy: Policy
  /// Whether accounts have quotas; else refunds are undone.
  let hasPlans: Bool

  init(seed: UInt64) {
    random = SeededGenerator(seed: seed)
    hasPlans = seed % 2 == 0
    do {
      policy = try RandomBatches.decodedPolicy(clockIsReal: true)
    } catch {
      preconditionFailure("\(error)")
    }
  }

  mutating func step() {
    let seconds = random.once(in: 3) ? 0 : 1 + random.number(below: 30_000)
    now = Timestamp(milliseconds: now.milliseconds + 1000 * Int64(seconds))
    count += 1
    var idCount = 0
    let prefix = "id-\(count)-"
    let ledger = Ledger(books: books, policy: policy, systemTime: now) { _ in
      idCount += 1
      return Name(trusted: prefix + "\(idCount)")
    }
    // Some are refused: that is a history, too.
    _ = try? ledger.perform(request())
    times.append(now)
  }

  private mutating func account() -> Name { random.pick("alice", "bob") }

  private mutating func earlier(_ letter: String) -> Name {
    Name(trusted: "\(letter)\(max(1, count - random.number(below: 12)))")
  }

  private mutating func request() -> GateRequest {
    switch random.number(below: 12) {
    case 0...2: return .topUp(topUp())
    case 3...5: return .charge(charge(Name(trusted: "k\(count)")))
    case 6: return .charge(charge(earlier("k"), amends: true))
    case 7:
      let reference = RefundRequest.Reference.key(earlier("k"), account: account())
      var request = RefundRequest(reference: reference, time: now)
      if random.once(in: 3) { request.credits = Credits(1 + random.number(below: 20)) }
      return .refund(request)
    case 8...9:
      var id = earlier("t")
      if random.once(in: 4) { id = Name(trusted: "\(id.text):extra") }
      var request = RefundRequest(reference: .transaction(id), time: now)
      switch random.number(below: 4) {
      case 0: request.credits = Credits(1 + random.number(below: 40))
      case 1: request.isUnused = true
      default: break
      }
      return .refund(request)
    case 10:
      let from = account()
      return .transfer(
        TransferRequest(
          from: from, to: from == "alice" ? "bob" : "alice",
          credits: Credits(1 + random.number(below: 30)), key: Name(trusted: "g\(count)"),
          time: now))
    case _ where !hasPlans:
      let bought = StoreKitTransaction(id: earlier("t"), productID: "pack")
      let news = AppStoreNotification(id: Name(trusted: "n\(count)"), type: "REFUND_REVERSED")
      var request = StoreKitRequest(.restore(news), bought, time: now)
      (request.account, request.notification) = (account(), news)
      return .storeKit(request)
    default:
      var request = AccountRequest(account: account(), time: now)
      request.plan = random.once(in: 2) ? .remove : .set("daily")
      return .account(request)
    }
  }

  private mutating func charge(_ key: Name, amends: Bool = false) -> ChargeRequest {
    ChargeRequest(
      reference: .key(key, account: account()), model: random.pick("unit", "chat"),
      usage: .counts(.units(Int64(1 + random.number(below: 25)))), isArrears: true,
      amends: amends, time: now)
  }

  private mutating func topUp() -> TopUpRequest {
    let id = random.once(in: 4) ? earlier("t") : Name(trusted: "t\(count)")
    let request = TopUpRequest(
      account: account(), reference: .transaction(id),
      grant: .credits(Credits(10 + 10 * random.number(below: 4))), time: now)
    request.status = random.pick(.completed, .completed, .completed, .pending)
    switch random.number(below: 6) {
    case 0: request.kind = .bonus
    case 1:
      request.kind = .adjustment
      request.grant = .credits(random.pick(-15, -5, 10))
      request.reason = "counted twice"
    case 2...3:
      request.kind = random.pick(.bonus, .purchase)
      request.terms = terms()
    case 4: request.grant = .product("pack", quantity: Int64(1 + random.number(below: 3)))
    default: break
    }
    return request
  }

  private mutating func terms() -> StatedTerms {
    var terms = StatedTerms(priority: random.pick(0, 50, 90))
    if random.once(in: 2) { terms.expiry = .after(.seconds(random.pick(20_000, 90_000))) }
    if random.once(in: 3) { terms.start = .after(.seconds(random.pick(9_000, 40_000))) }
    if random.once(in: 3) { terms.models = ModelPatterns(trusted: ["unit"]) }
    // Quotas reset at midnight, and other grants expire or start then.
    if random.once(in: 4) { terms.start = .at(midnight(in: 1)) }
    if random.once(in: 4) { terms.expiry = .at(midnight(in: Int64(random.pick(1, 2, 3)))) }
    return terms
  }

  private func midnight(in days: Int64) -> Timestamp {
    let day: Int64 = 86_400_000
    return Timestamp(milliseconds: (now.milliseconds / day + days) * day)
  }

  // MARK: Results

  /// The accounts as their records of that time say.
  func accounts(at time: Timestamp) -> [Account] {
    var newest: [Name: Account] = [:]
    for record in books.records where record.account.updatedAt <= time {
      newest[record.account.name] = record.account
    }
    return Array(newest.values)
  }

  /// The use of each grant, as its transaction alone shows it.
  func uses() throws -> [(id: String, use: String)] {
    let accounts = accounts(at: .latest)
    let ids = Set(books.records.compactMap(\.grantID))
    return try ids.compactMap { id in
      guard let entry = try books.transaction(id) else { return nil }
      let transaction = entry.topUp.transaction
      if transaction.status == .pending || transaction.status == .failed { return nil }
      let account = accounts.first { $0.name == transaction.account }
      let all = (account?.buckets.map { $0 } ?? []) + (account?.scheduled.map(\.bucket) ?? [])
      let left = all.first { $0.grant?.id == id }?.credits ?? 0
      let expired = books.records.reduce(0 as Credits) { sum, record in
        switch record.event {
        case .expiry(_, let credits, id): sum - credits
        case .topUpRefund(let topUp, let refund)
        where topUp.transaction.id == id && topUp.transaction.status == .completed:
          sum + refund.forfeited
        default: sum
        }
      }
      let refunded = transaction.status == .refunded ? entry.refund?.total ?? 0 : 0
      let gone = entry.topUp.refundable - refunded - left
      let used = max(0, gone - expired)
      return (id.text, "left \(left) gone \(used) expired \(gone - used)")
    }
  }

  func lines(at time: Timestamp = .latest) -> [String] { books.lines(at: time) }
}

extension LedgerRecord {
  /// The id of the top-up with terms that the record is of.
  fileprivate var grantID: Name? {
    guard case .topUp(let topUp) = event, topUp.transaction.terms != nil else { return nil }
    return topUp.transaction.id
  }
}
