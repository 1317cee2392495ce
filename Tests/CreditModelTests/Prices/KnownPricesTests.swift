import CreditModel
import Testing

@testable import TestSupport

/// Prices are looked up before a store is locked, and no others while it is.
@Suite struct KnownPricesTests {
  private let source = CountingPrices()
  private let prices: KnownPrices

  init() { prices = KnownPrices(source) }

  @Test func theNamesOfABatchAreLookedUpOnceEach() throws {
    seal(for: [charge("m"), charge("m"), charge("unknown"), topUp("p"), charge("m")])
    #expect(source.lookUps == ["m", "unknown", "p"])
    #expect(try prices.model("m", at: .latest)?.id == "m")
    #expect(try prices.model("unknown", at: .latest) == nil)
    #expect(try prices.product("p")?.id == "p")
    prices.open()
    seal(for: [charge("m")])
    #expect(source.lookUps == ["m", "unknown", "p"])
  }

  @Test func whatNoRequestNamesIsLookedUpWithTheStoreUnlocked() throws {
    seal(for: [charge("m")])
    #expect(!prices.findMissing())
    #expect(throws: CreditError.self) { try prices.product("p") }
    #expect(source.lookUps == ["m"])
    #expect(prices.findMissing())
    #expect(!prices.findMissing())
    #expect(try prices.product("p")?.id == "p")
    prices.open()
    #expect(try prices.model("n", at: .latest) == nil)
    #expect(source.lookUps == ["m", "p", "n"])
  }

  @Test func whatFailsFailsForTheBatchAndIsTriedAgainByTheNext() throws {
    source.fails = true
    seal(for: [charge("m")])
    source.fails = false
    for _ in 0..<2 {
      #expect(throws: CreditError.self) { try prices.model("m", at: .latest) }
    }
    prices.open()
    seal(for: [charge("m")])
    #expect(try prices.model("m", at: .latest)?.id == "m")
  }

  private func charge(_ model: Name) -> GateRequest {
    .charge(
      ChargeRequest(
        reference: .key("k", account: "a"), model: model, usage: .counts(.units(1))))
  }

  private func topUp(_ product: Name) -> GateRequest {
    .topUp(
      TopUpRequest(account: "a", reference: .key("k"), grant: .product(product, quantity: 1)))
  }

  private func seal(for requests: [GateRequest]) {
    let batch = Batch(under: Policy(prices: prices))
    for request in requests { batch.add(request) }
    prices.seal(for: batch, batch.unanswered)
  }
}

/// Prices that remember their look-ups.
private final class CountingPrices: PriceSource, @unchecked Sendable {
  private(set) var lookUps: [Name] = []
  var fails = false

  func model(_ id: Name) throws(CreditError) -> DatedPrices? {
    lookUps.append(id)
    if fails { throw CreditError(.ioError, id.text) }
    return id == "m" ? DatedPrices([PricedModel(id: "m", aliases: [], pricing: .free)]) : nil
  }

  func product(_ id: Name) throws(CreditError) -> Product? {
    lookUps.append(id)
    return id == "p" ? Product(id: "p", name: "", credits: 1) : nil
  }

  func names(_ kind: PricedKind) throws(CreditError) -> [Name] { [] }
}
