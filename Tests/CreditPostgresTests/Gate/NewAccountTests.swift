#if Postgres
  import CreditModel
  import CreditServer
  import CreditStore
  import Foundation
  import Testing

  @testable import TestSupport

  /// Accounts that many make at once.
  @Suite(.enabled(if: Cluster.isExpected, "needs PostgreSQL"))
  struct NewAccountTests {
    private let url: String
    private let link: any ServerLink

    init() throws {
      let cluster = try Cluster.shared.get()
      url = try cluster.makeDatabase()
      link = try cluster.connect(to: url)
      try ServerClient(url).create(
        policy: #"{"starterCredits":100,"models":[{"id":"unit","creditsPerUnit":1}]}"#)
    }

    /// Otherwise each may hold the other's lock, until the server ends one of them.
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
