import CreditJSON
import CreditModel
import Testing

@testable import CreditFinance
@testable import TestSupport

/// Random chains of accounts that pay, refund, transfer and move: a statement leads from one
/// balance of the books to another.
@Suite struct StatementPropertyTests {
  @Test(arguments: UInt64(1)...40)
  func leadsFromBalanceToBalance(seed: UInt64) throws {
    let policy = try RandomBatches.decodedPolicy(clockIsReal: true)
    let books = MemoryBooks()
    var batches = RandomBatches(seed: seed)
    var now = Timestamp(milliseconds: 1_767_225_600_000)
    var times: [Timestamp] = []
    for _ in 0..<150 {
      now = Timestamp(
        milliseconds: now.milliseconds + 1 + Int64(batches.random.number(below: 9_000_000)))
      times.append(now)
      for request in batches.next(at: now) {
        let prefix = "id-\(books.records.count)-"
        var idCount = 0
        let ledger = Ledger(books: books, policy: policy, systemTime: now) { _ in
          idCount += 1
          return Name(trusted: prefix + "\(idCount)")
        }
        // Some are refused: that is a history, too.
        _ = try? ledger.perform(request)
      }
    }
    let lines = books.lines()
    for account in RandomBatches.accounts where books.account(account) != nil {
      func balance(before time: Timestamp) -> Int128 {
        let newest = books.records.last {
          $0.account.name == account && $0.account.updatedAt < time
        }
        return Int128(newest?.account.balance ?? 0)
      }
      for (since, until) in [(times[20], times[80]), (times[80], times[149])] {
        let period = ReportPeriod(since: since, until: until, clock: .utc, isByRecord: true)
        let comment = Comment(rawValue: "seed \(seed), \(account.text), from \(since.text)")
        func statement(_ lines: [String]) throws -> String {
          try printed(
            Statement(
              of: account.text, month: "2026-01", in: period, as: .csv, listsEach: false,
              now: now), lines)
        }
        #expect(try statement(lines) == statement(lines.reversed()), comment)
        var book = StatementBook(of: account.text, in: period, listsEach: false)
        for text in lines {
          try withLine(text) { line in
            if line.account == account.text { try book.add(line) } else { book.add(ofOther: line) }
          }
        }
        try book.finish()
        let rows = StatementRows(book)
        #expect(rows.opening == balance(before: since), comment)
        #expect(rows.closing == balance(before: until), comment)
        #expect(rows.sums.reduce(rows.opening) { $0 + $1.credits } == rows.closing, comment)
      }
    }
  }
}

/// Random clients with divisions, teams and members that move, and charges that are corrected and
/// given back: members spent the sum of the history's lines by the chains of the charges.
@Suite struct StatementOfMovedMembersTests {
  @Test(arguments: UInt64(1)...30)
  func sumsByTheChainOfTheCharge(seed: UInt64) throws {
    var history = try MovingTeams(seed: seed)
    for day in 0..<60 { try history.step(day) }
    let lines = history.books.lines()
    let works = try history.works(in: lines)
    for (first, end) in [(0, 60), (0, 30), (30, 60)] {
      let (since, until) = (MovingTeams.start(of: first), MovingTeams.start(of: end))
      let period = ReportPeriod(since: since, until: until, clock: .utc, isByRecord: true)
      for account in MovingTeams.clients + MovingTeams.teams {
        var book = StatementBook(of: account, in: period, listsEach: false)
        for text in first == 0 ? lines : lines.reversed() {
          try withLine(text) { line in
            if line.account == account { try book.add(line) } else { book.add(ofOther: line) }
          }
        }
        let isKnown = works.contains { $0.chain.contains(account) }
        if !isKnown, (try? book.finish()) == nil { continue }
        if isKnown { try book.finish() }
        let spent = MemberUse.sum(of: book.memberUses).spent
        let expected = MovingTeams.spent(
          below: account, in: works, since, until, hasNoLines: book.isParentAlone)
        #expect(spent == expected, "seed \(seed), \(account), days \(first) to \(end)")
      }
    }
  }
}

private struct MovingTeams {
  static let clients = ["c0", "c1"]
  static let divisions = ["d0", "d1"]
  static let teams = ["t0", "t1", "t2"]
  static let members = ["m0", "m1", "m2", "m3"]

  let books = MemoryBooks()
  private let policy: Policy
  private var random: SeededGenerator
  private var now = Timestamp.earliest
  private var keys: [(member: String, key: Name)] = []
  private var parents: [String: String] = [:]
  /// The parents of each day; an account moves at its beginning.
  private var parentsByDay: [[String: String]] = []

  init(seed: UInt64) throws {
    random = SeededGenerator(seed: seed)
    let text = """
      {"version":1,"starterCredits":0,"clock":"real","overdraft":"allow",
      "models":[{"id":"unit","creditsPerUnit":1},{"id":"chat","creditsPerUnit":2}]}
      """
    policy = try JSONDocument(Array(text.utf8)).withRoot { value throws(CreditError) in
      try PolicyDecoder.decode(value, zones: { TestZones() })
    }
  }

  static func start(of day: Int) -> Timestamp {
    Timestamp(milliseconds: 1_767_225_600_000 + Int64(day) * 86_400_000)
  }

  private func perform(_ request: GateRequest) throws {
    let prefix = "id-\(books.records.count)-"
    var count = 0
    let ledger = Ledger(books: books, policy: policy, systemTime: now) { _ in
      count += 1
      return Name(trusted: prefix + "\(count)")
    }
    _ = try ledger.perform(request)
  }

  private mutating func move(_ account: String, below parent: String) throws {
    var request = AccountRequest(account: Name(trusted: account))
    request.parent = .set(Name(trusted: parent))
    try perform(.account(request))
    parents[account] = parent
  }

  private mutating func pick(_ names: [String]) -> String {
    names[random.number(below: names.count)]
  }

  mutating func step(_ day: Int) throws {
    now = Self.start(of: day)
    if day == 0 {
      for client in Self.clients { try topUp(client, 100_000) }
      for division in Self.divisions { try move(division, below: pick(Self.clients)) }
      for team in Self.teams { try move(team, below: pick(Self.divisions)) }
      for member in Self.members { try move(member, below: pick(Self.teams)) }
    } else {
      switch random.number(below: 10) {
      case 0...3: try move(pick(Self.members), below: pick(Self.teams + Self.clients))
      case 4: try move(pick(Self.teams), below: pick(Self.divisions + Self.clients))
      case 5: try move(pick(Self.divisions), below: pick(Self.clients))
      default: break
      }
    }
    parentsByDay.append(parents)
    for _ in 0..<(1 + random.number(below: 4)) {
      now = Timestamp(milliseconds: now.milliseconds + 3_600_000)
      try act()
    }
  }

  private mutating func topUp(_ account: String, _ credits: Credits) throws {
    let id = Name(trusted: "top-\(books.records.count)")
    try perform(
      .topUp(
        TopUpRequest(
          account: Name(trusted: account), reference: .transaction(id), grant: .credits(credits))))
  }

  /// A charge is more than all accounts below a client have: the client pays a part.
  private mutating func act() throws {
    let choice = random.number(below: 10)
    if choice < 2 {
      return try topUp(pick(Self.divisions + Self.teams + Self.members), 2)
    }
    if choice < 3 {
      return try perform(
        .transfer(
          TransferRequest(
            from: Name(trusted: pick(Self.clients)), to: Name(trusted: pick(Self.teams)),
            credits: 1, key: Name(trusted: "move-\(books.records.count)"))))
    }
    let isNew = choice < 6 || keys.isEmpty
    if isNew { keys.append((pick(Self.members), Name(trusted: "k\(books.records.count)"))) }
    let (member, key) = isNew ? keys[keys.count - 1] : keys[random.number(below: keys.count)]
    let account = Name(trusted: member)
    if choice == 6, !isNew {
      var request = RefundRequest(reference: .key(key, account: account))
      if random.once(in: 2) { request.credits = Credits(1 + random.number(below: 300)) }
      // One of more than is left is refused.
      _ = try? perform(.refund(request))
      return
    }
    // A correction of a refunded charge is refused.
    let units = Int64(isNew ? 600 + random.number(below: 200) : random.number(below: 1_600))
    let request = ChargeRequest(
      reference: .key(key, account: account), model: random.once(in: 4) ? "chat" : "unit",
      usage: .counts(.units(units)), amends: !isNew)
    if isNew { try perform(.charge(request)) } else { _ = try? perform(.charge(request)) }
  }

  private func chain(of account: String, at time: Timestamp) -> [String] {
    let day = Int((time.milliseconds - Self.start(of: 0).milliseconds) / 86_400_000)
    var chain: [String] = []
    var next = parentsByDay[day][account]
    while let parent = next {
      chain.append(parent)
      next = parentsByDay[day][parent]
    }
    return chain
  }

  /// A charge, a correction or a refund, with the accounts above at its time and at its charge.
  struct Work {
    let time: Timestamp
    let account: String
    let (isCharge, takes): (Bool, Bool)
    let own: Int128
    let payers: [(account: String, credits: Int128)]
    let chain: [String]
    let chargeChain: [String]
  }

  func works(in lines: [String]) throws -> [Work] {
    var chains: [String: [String]] = [:]
    var works: [Work] = []
    for text in lines {
      try withLine(text) { line in
        guard line.isOfWork, !line.isShare else { return }
        let chain = chain(of: line.account, at: line.recordedAt)
        if line.isCharge { chains[line.id] = chain }
        let charge = line.isCharge ? chain : line.chargeIDs.compactMap { chains[$0] }.first
        works.append(
          Work(
            time: line.recordedAt, account: line.account, isCharge: line.isCharge,
            takes: line.creditsOfAll < 0, own: Int128(line.credits), payers: line.otherPayers,
            chain: chain, chargeChain: try #require(charge)))
      }
    }
    return works
  }

  /// The spending of an account's members. A correction goes with its charge: it counts without the
  /// parts of accounts that never paid below or above this one, or else as this one's own part.
  static func spent(
    below account: String, in works: [Work], _ since: Timestamp, _ until: Timestamp,
    hasNoLines: Bool
  ) -> Int128 {
    var relatives: Set = [account]
    for work in works where work.time < until && work.takes && work.chain.contains(account) {
      let names = work.payers.map(\.account)
      if work.chain[0] != account, !names.contains(account) { continue }
      relatives.formUnion(names + [work.account, work.chain[0]])
    }
    var credits: Int128 = 0
    for work in works where work.time >= since && work.time < until {
      let isBelow = work.chargeChain.contains(account)
      let isWhole = work.isCharge || hasNoLines && work.chargeChain.first == account
      if isBelow { credits += work.own }
      for payer in work.payers {
        let isRelative =
          payer.account == work.chargeChain.first || relatives.contains(payer.account)
        if isBelow ? isWhole || isRelative : payer.account == account { credits += payer.credits }
      }
    }
    return 0 - credits
  }
}
