#if Postgres
  import CreditModel
  import CreditServer
  import CreditStore
  import Testing

  @testable import TestSupport

  /// How often a batch waits for a server that may be far away.
  @Suite(.enabled(if: Cluster.isExpected, "needs PostgreSQL"))
  struct RoundTripTests {
    private let link: any ServerLink
    private let faults = LinkFaults(seed: 1)
    private let client: ServerClient

    init() throws {
      let cluster = try Cluster.shared.get()
      let url = try cluster.makeDatabase()
      link = try cluster.connect(to: url)
      client = try ServerClient(url, faults: faults)
      try client.create(policy: Self.policy)
      for number in 0..<10 { _ = try client.charge("ann-\(number)", "first") }
    }

    private static let policy = """
      {"starterCredits":1000,"models":[{"id":"unit","creditsPerUnit":1}],\
      "products":[{"id":"pack","credits":20,"price":"9.99","currency":"USD","bonuses":[\
      {"id":"extra","percent":25,"expiresIn":"1d"},{"id":"hello","credits":7,"first":true}]}],\
      "events":[{"format":"stripe","secretFile":"secret"}]}
      """

    private func account(_ number: Int) -> Name { Name(trusted: "ann-\(number % 10)") }

    private func settling(_ number: Int) -> GateRequest {
      .charge(
        ChargeRequest(
          reference: .authorization(Name(trusted: "a\(number)"), account: nil), model: "unit",
          usage: .counts(.units(2))))
    }

    private func toppingUp(
      _ reference: TopUpRequest.Reference, _ number: Int, _ kind: Transaction.Kind = .purchase
    ) -> GateRequest {
      let request = TopUpRequest(
        account: account(number), reference: reference,
        grant: kind == .bonus ? .credits(3) : .product("pack", quantity: 1))
      request.kind = kind
      if kind == .bonus { request.terms = StatedTerms(expiry: .after(.seconds(86_400))) }
      return .topUp(request)
    }

    private func event(
      _ number: Int, _ effect: PaymentChange.Effect, others: [Name] = []
    ) -> GateRequest {
      var change = PaymentChange(transaction: Name(trusted: "p\(number)"), effect)
      change.others = others
      if change.isPurchase {
        (change.account, change.product) = (account(number), "pack")
        (change.price, change.currency, change.paid) = ("9.99", "USD", 999)
      }
      let event = PaymentEvent(
        format: .stripe, id: "event", type: "event", at: Timestamp(milliseconds: 1000))
      return .payment(PaymentRequest(event, [change]))
    }

    private func names(_ letter: String, _ numbers: Range<Int>) -> [Name] {
      numbers.map { Name(trusted: "\(letter)\($0)") }
    }

    /// What requests refer to.
    private var earlier: [GateRequest] {
      (0..<400).map {
        .authorize(AuthorizeRequest(account: account($0), id: Name(trusted: "a\($0)")))
      } + (0..<100).map { toppingUp(.transaction(Name(trusted: "t\($0)")), $0) }
        + (0..<100).map { event($0, .purchase(.completed, reason: nil)) }
        + (0..<50).map { event($0, .linked, others: [Name(trusted: "session\($0)")]) }
        + (300..<400).map(settling)
    }

    private var mixed: [GateRequest] {
      let refunds = (0..<50).flatMap { number -> [GateRequest] in
        [
          .refund(RefundRequest(reference: .transaction(Name(trusted: "t\(number)")))),
          .refund(RefundRequest(reference: .authorization(Name(trusted: "a\(300 + number)")))),
        ]
      }
      return (0..<300).map(settling)
        + (0..<300).map { ServerClient.charging(account($0).text, "k\($0)") }
        + (0..<100).map { toppingUp(.transaction(Name(trusted: "new\($0)")), $0) }
        + (0..<100).map { toppingUp(.key(Name(trusted: "gift\($0)")), $0, .bonus) } + refunds
        + (0..<50).map { event($0, .refunded(999)) }
        + (100..<150).map { event($0, .purchase(.completed, reason: nil)) }
    }

    /// Serves requests, of which none may be refused.
    /// - Returns: how often the client has waited for the server.
    private func roundTrips(of requests: [GateRequest]) throws -> Int {
      let before = faults.roundTrips
      for answer in try client.perform(requests) { _ = try answer.get() }
      return faults.roundTrips - before
    }

    private func balance(_ account: String) throws -> String? {
      try link.text("SELECT balance FROM credit.account WHERE name = $1", .text(account))
    }

    private func findings() throws -> [String] {
      try client.store.verify { _, _ in }.findings.map(\.message)
    }

    @Test func aMixedBatchWaitsForTheServerAFewTimes() throws {
      #expect(try roundTrips(of: earlier) < 10)
      // They come in any order.
      var random = SeededGenerator(seed: 1)
      var left = mixed
      var requests: [GateRequest] = []
      while !left.isEmpty { requests.append(left.remove(at: random.number(below: left.count))) }
      #expect(requests.count == 1000)
      #expect(try roundTrips(of: requests) < 10)
      #expect(try findings() == [])
      // None of them moves anything the second time.
      let before = try balance("ann-3")
      #expect(try roundTrips(of: requests) < 10)
      #expect(try balance("ann-3") == before)
    }

    /// The bonus of a purchase is only known by the purchase's record.
    @Test(arguments: [(0, 4, 999), (10, 4, 999), (300, 6, 711)])
    func aRecordIsFoundWhenOthersAreAtTheServer(count: Int, trips: Int, left: Credits) throws {
      _ = try roundTrips(of: [toppingUp(.transaction("pack"), 1)])
      #expect(try balance("ann-1") == "1031")
      let charges = (0..<count).map { ServerClient.charging("ann-1", "k\($0)") }
      let refund = GateRequest.refund(RefundRequest(reference: .transaction("pack")))
      #expect(try roundTrips(of: charges + [refund, refund]) == trips)
      #expect(faults.sentAhead == (count < 250 ? 0 : 2))
      #expect(try balance("ann-1") == "\(left)")
      #expect(try findings() == [])
    }

    /// Under a simulated clock each new id is looked for.
    @Test func newIDsAreLookedForTogether() throws {
      let url = try Cluster.shared.get().makeDatabase()
      let client = try ServerClient(url, faults: faults)
      try client.create(
        policy: #"{"clock":"simulated","models":[{"id":"unit","creditsPerUnit":1}]}"#)
      _ = try client.charge("ann", "first")
      let before = faults.roundTrips
      let answers = try client.perform((0..<200).map { ServerClient.charging("ann", "k\($0)") })
      #expect(answers.count == 200)
      #expect(faults.roundTrips - before < 8)
    }
  }
#endif
