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
      let makers = try (1...4).map { try Maker($0, url) }
      let rounds = 1...15
      for round in rounds {
        for maker in makers { maker.begin(round) }
        for maker in makers { #expect(try maker.end() == 201) }
      }
      let refused = makers.flatMap(\.faults.refused)
      #expect(refused.contains(.uniqueViolation))
      #expect(!refused.contains(.deadlockDetected))
      let store = try ServerClient(url).store
      let link = try PostgresConnector(url: url).connect(until: .after(seconds: 30))
      #expect(try store.verify { _, _ in }.findings.map(\.message) == [])
      #expect(
        try link.text("SELECT count(*) FROM credit.account WHERE balance = 99")
          == "\(200 * rounds.count)")
      #expect(
        try link.text("SELECT count(*) FROM credit.account WHERE balance = 85")
          == "\(makers.count)")
    }

    /// A process in a thread, with an account of its own besides those that all of them make.
    private final class Maker: @unchecked Sendable {
      let faults: LinkFaults
      private let client: ServerClient
      private let number: Int
      private var result = Result<Int, any Error>.success(0)
      private let isDone = DispatchSemaphore(value: 0)

      init(_ number: Int, _ url: String) throws {
        self.number = number
        faults = LinkFaults(seed: UInt64(number))
        client = try ServerClient(url, faults: faults)
      }

      func begin(_ round: Int) {
        Thread.detachNewThread { [self] in
          var random = SeededGenerator(seed: UInt64(100 * number + round))
          var requests = (1...200).map { ServerClient.charging("a\(round)-\($0)", "key") }
          requests.append(ServerClient.charging("own\(number)", "k\(round)"))
          requests.shuffle(using: &random)
          result = Result { try client.perform(requests).map { try $0.get() }.count }
          isDone.signal()
        }
      }

      /// How many requests were answered.
      func end() throws -> Int {
        isDone.wait()
        return try result.get()
      }
    }
  }
#endif
