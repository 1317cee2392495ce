import CreditModel
import Testing

@testable import TestSupport

@Suite struct PriceCatalogTests {
  private let catalog: PriceCatalog
  private let now = time("2026-02-19T10:00:00Z")

  init() throws {
    catalog = try PriceCatalog(
      models: [
        PricedModel(id: "sonnet", aliases: ["sonnet-latest"], pricing: .perRequest(1)),
        PricedModel(id: "opus", aliases: ["big"], pricing: .perRequest(2)),
      ],
      products: [Product(id: "pack", name: "Pack", credits: 10)],
      next: PriceCatalog(
        models: [
          PricedModel(id: "sonnet", aliases: [], pricing: .perRequest(3)),
          PricedModel(id: "haiku", aliases: [], pricing: .perRequest(4)),
        ],
        products: [
          Product(id: "pack", name: "Pack", credits: 20),
          Product(id: "crate", name: "Crate", credits: 100),
        ]))
  }

  @Test func everyNameHasOneMeaning() throws {
    let big = PricedModel(id: "big", aliases: ["large"], pricing: .perRequest(1))
    let other = PricedModel(id: "other", aliases: ["new", "large"], pricing: .perRequest(2))
    #expect(throws: CatalogProblem.takenModelName(place: 1, "large")) {
      try PriceCatalog(models: [big, other], products: [])
    }
    let pack = Product(id: "pack", name: "Pack", credits: 10)
    #expect(throws: CatalogProblem.takenProductID(place: 1)) {
      try PriceCatalog(models: [], products: [pack, pack])
    }
  }

  @Test(arguments: [
    ("sonnet", 1), ("sonnet-latest", 1), ("opus", 2), ("big", 2), ("haiku", 4),
  ])
  func findsByIDThenByAliasThenInTheNextCatalog(name: String, price: Credits) throws {
    #expect(try catalog.model(Name(trusted: name), at: now)?.pricing == .perRequest(price))
  }

  @Test func findsProducts() throws {
    #expect(try catalog.product("pack")?.credits == 10)
    #expect(try catalog.product("crate")?.credits == 100)
    #expect(try catalog.product("Pack") == nil)
  }

  @Test func neverGuesses() {
    let policy = Policy(prices: catalog)
    for name in ["Sonnet", "sonne", "sonnet-", ""] as [Name] {
      let error = failure { () throws(CreditError) in try policy.model(name, at: now) }
      #expect(error?.code == .unknownModel)
    }
    let near = failure { () throws(CreditError) in try policy.model("haikus", at: now) }
    #expect(near?.message == #"no model "haikus" in the catalog"#)
    #expect(
      near.map(policy.explained)?.message
        == #"no model "haikus" in the catalog; the nearest is "haiku""#)
    let far = failure { () throws(CreditError) in try policy.model("a\nb\u{202E}cdefgh", at: now)
    }
    #expect(
      far.map(policy.explained)?.message
        == #"no model "a\nb\u202ecdefgh" in the catalog; add one to the policy's models, as "#
        + "credit-policy(5) shows")
    let product = failure { () throws(CreditError) in try policy.product("none") }
    #expect(product?.code == .unknownProduct)
  }
}

@Suite struct CreditErrorTests {
  /// Codes and HTTP statuses by exit status.
  private static let table: [(exit: Int32, statuses: Set<Int>, codes: String)] = [
    (10, [403], "insufficient_credits account_closed"),
    (
      11, [409],
      "idempotency_conflict duplicate_transaction authorization_closed authorization_not_charged "
        + "transaction_not_completed"
    ),
    (
      12, [404],
      "unknown_account unknown_authorization unknown_transaction unknown_model unknown_product "
        + "unknown_plan"
    ),
    (13, [400], "unverified_transaction"),
    (14, [429, 403], "rate_limited limit_exceeded spend_limit"),
    (
      65, [400],
      "invalid_json invalid_request invalid_usage unpriced_usage failed_response cut_response "
        + "amount_out_of_range incomplete_bill"
    ),
    (15, [0], "differs"), (16, [0], "warnings"),
    (66, [404], "no_store"), (69, [503], "unavailable"), (70, [500], "corrupt_store"),
    (73, [500], "cannot_create"), (74, [500], "io_error"), (75, [503], "store_locked"),
    (77, [500], "permission_denied"), (78, [500], "invalid_policy"),
  ]

  @Test func codesHaveTheirStatuses() {
    var seen = 0
    for row in Self.table {
      for text in row.codes.split(separator: " ") {
        let code = CreditError.Code(rawValue: String(text))
        #expect(code?.exitStatus == row.exit, "\(text)")
        #expect(code.map { row.statuses.contains($0.status) } == true, "\(text)")
        seen += 1
      }
    }
    #expect(seen == CreditError.Code.allCases.count)
  }
}
