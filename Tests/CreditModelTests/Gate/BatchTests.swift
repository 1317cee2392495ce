import CreditModel
import Testing

@testable import TestSupport

/// Charges that are priced while the batch before them is served.
@Suite struct BatchTests {
  private static let models: [Name] = ["unit", "one", "half", "flat", "free", "dated", "unknown"]

  /// Charges of all models in turn: by units, by tokens, and without a usage.
  private func requests(key: String) -> [GateRequest] {
    (0..<150).map { number in
      let usages: [ReportedUsage] = [
        .counts(.units(Int64(number))),
        .counts(.tokens(TokenUsage(inputTokens: 9, outputTokens: 9))),
        .unreadable(raw: "", reason: "the request has no usage"),
      ]
      return .charge(
        ChargeRequest(
          reference: .key(Name(trusted: "\(key)\(number)"), account: "alice"),
          model: Self.models[number % Self.models.count], usage: usages[number % usages.count]))
    }
  }

  /// The credits and the model that the rules answer, or an error's code.
  private func answers(_ requests: [GateRequest], of ledger: LedgerFixture) -> [String] {
    requests.map { request in
      do throws(CreditError) {
        guard case .receipt(let charge, _) = try ledger.perform(request) else { return "other" }
        return "\(charge.receipt.creditsCharged) \(charge.receipt.model.text)"
      } catch {
        return error.code.rawValue
      }
    }
  }

  private func prepared(_ requests: [GateRequest], under policy: Policy) -> [GateRequest] {
    let batch = Batch(under: policy)
    for request in requests { batch.add(request) }
    while batch.quoteMore() {}
    return requests
  }

  @Test func theRulesAnswerAsWithoutIt() {
    let (plain, ledger) = (LedgerFixture(), LedgerFixture())
    let expected = answers(requests(key: "k"), of: plain)
    #expect(Set(expected).count > 10)
    #expect(answers(prepared(requests(key: "k"), under: ledger.policy), of: ledger) == expected)
    ledger.expectSound()
  }

  @Test func aPriceThatDependsOnTheTimeWaitsForIt() {
    let ledger = LedgerFixture()
    let requests = prepared(requests(key: "k"), under: ledger.policy)
    ledger.now = LedgerFixture.newPrice
    #expect(answers(requests, of: ledger).contains("5 dated"))
    #expect(!answers(requests, of: ledger).contains("2 dated"))
  }

  @Test func anotherPolicyPricesAgain() throws {
    let ledger = LedgerFixture()
    let models = [PricedModel(id: "flat", aliases: [], pricing: .perRequest(8))]
    let other = Policy(prices: try PriceCatalog(models: models, products: []))
    let answers = answers(prepared(requests(key: "k"), under: other), of: ledger)
    #expect(answers.contains("3 flat"))
    #expect(!answers.contains("8 flat"))
  }

  @Test func theGateLooksPricesUpByItself() throws {
    let policy = LedgerFixture().policy
    let (known, ofGate) = (policy.prices, policy.ofGate.prices)
    #expect(known !== ofGate)
    #expect(policy.ofGate.ofGate.prices === ofGate)
    ofGate.seal(for: Batch(under: policy), 0..<0)
    #expect(throws: CreditError.self) { try ofGate.model("unit") }
    #expect(try known.model("unit") != nil)
  }
}
