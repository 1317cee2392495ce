#if Postgres
  import CreditModel
  import CreditServer
  import CreditStore
  import Testing

  @testable import TestSupport

  /// The server's gate with the local one as its oracle: the same random requests to both, the
  /// server's from three machines in turn, whose connections break.
  @Suite(.enabled(if: Cluster.isExpected, "needs PostgreSQL"))
  struct TwoGatesTests {
    @Test(arguments: [0, 15], [1, 2, 3] as [UInt64])
    func bothGatesAnswerAlike(rarity: Int, seed: UInt64) throws {
      let faults = LinkFaults(seed: seed)
      let stores = try TwoStores(
        Cluster.shared.get(), seed: seed, policy: RandomBatches.policy(clockIsReal: false),
        faults: faults)
      let policy = try RandomBatches.decodedPolicy(clockIsReal: false)
      var batches = RandomBatches(seed: seed)
      batches.saysTimes = true
      if rarity > 0 { batches.largest = 4 }
      var random = SeededGenerator(seed: seed ^ 0xABCD)
      var now = Timestamp(milliseconds: 1_770_000_000_000)
      faults.rarity = rarity
      for _ in 0..<150 {
        now = now.adding(.seconds(Int64(random.number(below: 20_000)))) ?? now
        let answers = try stores.serve(
          batches.next(at: now), under: policy, gate: random.number(below: 3))
        try #require(answers.local == answers.server)
      }
      faults.rarity = 0
      for name in RandomBatches.accounts {
        #expect(
          try TwoStores.account(name, in: stores.local, now: now)
            == TwoStores.account(name, in: stores.server, now: now))
      }
      let summary = try stores.server.verify { _, _ in }
      #expect(summary.findings.map(\.message) == [])
      #expect(rarity == 0 || faults.lostAfter > 5 && faults.lostBefore > 5)
    }
  }
#endif
