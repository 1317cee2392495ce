#if Postgres
  import CreditModel
  import CreditServer
  import CreditStore
  import CreditSystem
  import Testing

  @testable import TestSupport

  /// The server's gate with the local one as its oracle: the same random requests to both, the
  /// server's from three machines in turn, whose connections break.
  @Suite(.enabled(if: Cluster.isExpected, "needs PostgreSQL"))
  struct TwoGatesTests {
    @Test(arguments: [0, 15], [1, 2, 3] as [UInt64])
    func bothGatesAnswerAlike(rarity: Int, seed: UInt64) throws {
      let now = try serve(150, seed: seed, rarity: rarity, clockIsReal: false) { now, random in
        now.adding(.seconds(Int64(random.number(below: 20_000)))) ?? now
      }
      #expect(now.local == now.server)
    }

    /// Each has its own clock, so that a batch of one may use known accounts. Two of the machines
    /// that use the server have wrong clocks: the server's counts.
    @Test(arguments: [0, 10], [4, 5, 6] as [UInt64])
    func theyDoByTheirOwnClocks(rarity: Int, seed: UInt64) throws {
      let lines = try serve(300, seed: seed, rarity: rarity, clockIsReal: true) { now, _ in now }
      let days = lines.server.flatMap { $0.matches(of: /"timestamp":"(20\d\d-\d\d-\d\d)/) }
      let today = Timestamp(milliseconds: PosixSystem().currentMilliseconds())
      let usual = [today, Timestamp(milliseconds: today.milliseconds - 86_400_000)].map {
        $0.text.prefix(10)
      }
      #expect(days.count > 100)
      // The first requests say a time of their own, and a subscription from then ends a day later.
      #expect(
        days.allSatisfy { usual.contains($0.1) || ["2026-02-02", "2026-02-03"].contains($0.1) })
    }

    /// The server writes the first records of such a batch while the rules go on.
    @Test(arguments: [0, 1000], [7, 8] as [UInt64])
    func theyDoInLargeBatches(rarity: Int, seed: UInt64) throws {
      let now = try serve(
        rarity == 0 ? 300 : 200, isLarge: true, seed: seed, rarity: rarity, clockIsReal: false
      ) { now, random in
        now.adding(.seconds(Int64(random.number(below: 20_000)))) ?? now
      }
      #expect(now.local == now.server)
    }

    /// Serves batches on both.
    /// - Returns: both stores' state of all accounts.
    private func serve(
      _ count: Int, isLarge: Bool = false, seed: UInt64, rarity: Int, clockIsReal: Bool,
      turn: (Timestamp, inout SeededGenerator) -> Timestamp
    ) throws -> (local: [String], server: [String]) {
      let faults = LinkFaults(seed: seed)
      let stores = try TwoStores(
        Cluster.shared.get(), seed: seed, clockIsReal: clockIsReal, faults: faults)
      let policy = try RandomBatches.decodedPolicy(
        clockIsReal: clockIsReal, in: TwoStores.zone(of: seed))
      var batches = RandomBatches(seed: seed)
      batches.saysTimes = !clockIsReal
      if clockIsReal { batches.shortest = 1800 }
      if isLarge {
        // Enough that keys are presumed, and records sent ahead.
        (batches.smallest, batches.largest) = (700, 290)
      } else if rarity > 0 {
        batches.largest = 4
      }
      var random = SeededGenerator(seed: seed ^ 0xABCD)
      var now = Timestamp(milliseconds: 1_770_000_000_000)
      faults.rarity = rarity
      if isLarge, rarity > 0 { faults.rarityOfWrites = 4 }
      // A machine has a few turns in a row, so that it uses its known state.
      var gate = 0
      var isSlow = false
      for _ in 0..<count {
        now = turn(now, &random)
        if random.once(in: 3) { gate = random.number(below: 3) }
        // A large batch has hundreds of pipelines, which end all of its tries if each may be cut.
        if isLarge { faults.left = 4 }
        let start = ContinuousClock.now
        let answers = try stores.serve(batches.next(at: now), under: policy, gate: gate)
        if ContinuousClock.now - start > .seconds(4) { isSlow = true }
        try #require(answers.local == answers.server)
      }
      faults.rarity = 0
      let summary = try stores.server.verify { _, _ in }
      #expect(summary.findings.map(\.message) == [])
      // A gate sends nothing ahead after 5 s: the server waits no longer than 10 s for the next.
      #expect(!isLarge || isSlow || faults.sentAhead > 3, "\(faults.sentAhead) sent ahead")
      #expect(rarity == 0 || faults.lostAfter > 5 && faults.lostBefore > 5)
      let names = RandomBatches.accounts
      return (
        try names.flatMap { try TwoStores.account($0, in: stores.local, now: now) },
        try names.flatMap { try TwoStores.account($0, in: stores.server, now: now) }
      )
    }
  }
#endif
