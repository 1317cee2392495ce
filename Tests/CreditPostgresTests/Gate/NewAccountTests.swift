#if Postgres
  import CreditModel
  import CreditPostgres
  import CreditServer
  import CreditStore
  import Foundation
  import Testing

  @testable import TestSupport

  /// Accounts that many make at once.
  @Suite(.enabled(if: Cluster.isExpected, "needs PostgreSQL"))
  struct NewAccountTests {
    private let url: String

    init() throws {
      let cluster = try Cluster.shared.get()
      let database = "new_\(UUID().uuidString.lowercased().prefix(8))"
      try cluster.connect().rows("CREATE DATABASE \(database)")
      url = cluster.url.replacing("/postgres?", with: "/\(database)?")
      let store = try ServerClient(url).store
      let policy = #"{"starterCredits":100,"models":[{"id":"unit","creditsPerUnit":1}]}"#
      _ = try store.create(
        store.policyDraft(text: Array(policy.utf8)), at: Timestamp(milliseconds: 0))
    }

    /// Else each may hold what the other wants, until the server gives one of them up.
    @Test func batchesThatMakeTheSameOnesInAnotherOrderWaitForOneAnother() throws {
      let clientCount = 4
      let faults = (0..<clientCount).map { LinkFaults(seed: UInt64($0)) }
      nonisolated(unsafe) let clients = try faults.map { try ServerClient(url, faults: $0) }
      for round in 1...20 {
        let counts = Counts(clientCount)
        DispatchQueue.concurrentPerform(iterations: clientCount) { number in
          var random = SeededGenerator(seed: UInt64(round * clientCount + number))
          let requests = (1...200).shuffled(using: &random).map {
            ServerClient.charging("a\(round)-\($0)", "key")
          }
          counts.note((try? clients[number].perform(requests))?.count ?? 0, of: number)
        }
        #expect(counts.values == Array(repeating: 200, count: clientCount))
      }
      let refused = faults.flatMap(\.refused)
      #expect(refused.contains(.uniqueViolation))
      #expect(!refused.contains(.deadlockDetected))
      #expect(try clients[0].store.verify { _, _ in }.findings.map(\.message) == [])
    }

    /// What threads have counted, each for itself.
    private final class Counts: @unchecked Sendable {
      private let lock = NSLock()
      private(set) var values: [Int]

      init(_ count: Int) { values = Array(repeating: 0, count: count) }

      func note(_ value: Int, of number: Int) { lock.withLock { values[number] = value } }
    }
  }
#endif
