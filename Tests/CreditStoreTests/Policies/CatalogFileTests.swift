import CreditModel
import CreditSystem
import Foundation
import Testing

@testable import CreditStore
@testable import TestSupport

/// A catalog beside a policy, looked up through its index.
@Suite struct CatalogFileTests {
  private static let text = """

    {"models": [
      {"id": "small", "aliases": ["s", "klein", "s-DATE"],
       "tokens": {"inputUSDPer1M": 1000000, "outputUSDPer1M": "2000000.5"}},
      {"id": "unit", "creditsPerUnit": 2}],
     "products": [{"id": "pack", "credits": 100, "price": "1.00"}]}
    """

  private let store: TemporaryStore
  private var directory: StoreDirectory { store.directory }

  init() throws {
    store = try TemporaryStore()
    try store.write(Self.text.utf8, to: "prices.json")
    letTimePass()
  }

  /// A file that was changed just now may change again unseen, and isn't remembered.
  private func letTimePass() { Thread.sleep(forTimeInterval: 0.05) }

  private func open(_ system: (any SystemCalls)? = nil) throws -> CatalogFile {
    try CatalogFile.open("prices.json", in: system.map(store.directory(_:)) ?? directory)
  }

  private var indexStatus: FileStatus? {
    get throws { try directory.status(of: PriceIndex.Kind.catalog.name) }
  }

  private func price(_ catalog: CatalogFile, _ id: String) throws -> ServicePricing? {
    try catalog.prices.model(Name(trusted: id), at: .earliest)?.pricing
  }

  private func expectEverything(in catalog: CatalogFile) throws {
    for name in ["small", "s", "klein", "s-2026-02-01", "s-latest"] {
      let pricing = try #require(try price(catalog, name))
      let usage = Usage.tokens(TokenUsage(inputTokens: 1, outputTokens: 1))
      #expect(try PriceRules().quote(.counts(usage), at: pricing).usd == "0.0000030000005")
    }
    #expect(try price(catalog, "unit") == .perUnit(ExactDecimal(coefficient: 2)))
    #expect(try price(catalog, "pack") == nil)
    #expect(try price(catalog, "s-2026-02-30") == nil)
    #expect(try catalog.prices.product(Name(trusted: "pack"))?.credits == 100)
    #expect(try catalog.prices.product(Name(trusted: "unit")) == nil)
    #expect(
      try catalog.prices.names(.model).map(\.text) == ["small", "s", "klein", "s-DATE", "unit"])
  }

  @Test func isCheckedOnceAndThenLookedUp() throws {
    try expectEverything(in: try open())
    let index = try #require(try indexStatus)
    #expect(index.kind == .regular)
    let system = FaultySystem()
    let catalog = try open(system)
    // Opening reads the index's header alone, and a look-up a slot or two and the entry.
    #expect(system.callCount < 8)
    #expect(try price(catalog, "s") != nil)
    #expect(system.callCount < 16)
    try expectEverything(in: catalog)
    #expect(try indexStatus == index)
  }

  @Test func isCheckedAgainAfterAChange() throws {
    _ = try open()
    try store.write(#"{"models": [{"id": "unit", "creditsPerUnit": 3}]}"#.utf8, to: "prices.json")
    letTimePass()
    #expect(try price(try open(), "unit") == .perUnit(ExactDecimal(coefficient: 3)))
    try store.write(#"{"models": [{"id": "unit", "creditsPerUnit": -3}]}"#.utf8, to: "prices.json")
    letTimePass()
    for _ in 0..<2 {
      let error = #expect(throws: CreditError.self) { try open() }
      #expect(error?.code == .invalidPolicy)
      #expect(error?.message.contains("models[0].creditsPerUnit") == true)
    }
  }

  @Test func aChangeOfTheSameLengthShows() throws {
    let catalog = try open()
    #expect(catalog.isCurrent)
    try store.write(Self.text.replacing("\"unit\"", with: "\"UNIT\"").utf8, to: "prices.json")
    #expect(!catalog.isCurrent)
    #expect(try price(try open(), "UNIT") != nil)
    #expect(try price(try open(), "unit") == nil)
  }

  @Test func aFreshChangeIsNotRemembered() throws {
    let status = try #require(try directory.status(of: "prices.json"))
    let milliseconds = status.changedNanoseconds / 1_000_000
    #expect(!status.isSettled(at: milliseconds))
    #expect(!status.isSettled(at: milliseconds - 5000))
    #expect(status.isSettled(at: milliseconds + 1000))
  }

  @Test func anyDamageToTheIndexCostsTimeOnly() throws {
    _ = try open()
    let index = try store.bytes(PriceIndex.Kind.catalog.name)
    for position in stride(from: 0, to: index.count, by: 5) {
      var damaged = index
      damaged[position] ^= 0x11
      try store.write(damaged, to: PriceIndex.Kind.catalog.name)
      try expectEverything(in: try open())
    }
    for length in stride(from: 0, to: index.count, by: 37) {
      try store.write(index[..<length], to: PriceIndex.Kind.catalog.name)
      try expectEverything(in: try open())
    }
    // An index that lacks existing entries is made again.
    let empty = index[..<128] + [UInt8](repeating: 0, count: index.count - 128)
    try store.write(empty, to: PriceIndex.Kind.catalog.name)
    try expectEverything(in: try open())
    #expect(try indexStatus == nil)
    _ = try open()
    #expect(try indexStatus != nil)
  }

  @Test func aStoreThatCantBeWrittenWorksAllTheSame() throws {
    var number = 1
    while true {
      try directory.removeFile(PriceIndex.Kind.catalog.name)
      let system = FaultySystem()
      system.failing = number
      guard let catalog = try? open(system) else {
        number += 1
        continue
      }
      system.failing = nil
      try expectEverything(in: catalog)
      if system.failedCall == nil { break }
      number += 1
    }
    #expect(number > 5)
    let names = try directory.names()
    #expect(names.filter { $0.hasPrefix("catalog.index.new") }.isEmpty)
  }

  /// A killed process's file does not block others for long, and a slow one's is left alone.
  @Test func makesTheIndexAfterAProcessThatWasKilled() throws {
    try store.write("".utf8, to: "catalog.index.new")
    _ = try open()
    #expect(try indexStatus == nil)
    let system = FaultySystem()
    system.clockAdvance = 61_000
    _ = try open(system)
    #expect(try indexStatus != nil)
    #expect(try directory.status(of: "catalog.index.new") == nil)
  }

  @Test(arguments: ["nowhere.json", "."])
  func aCatalogThatIsNotThereIsTheFaultOfThePolicy(_ name: String) throws {
    let error = #expect(throws: CreditError.self) {
      try CatalogFile.open(name, in: directory)
    }
    #expect(error?.code == .invalidPolicy)
  }

  @Test func thePolicySearchesItsOwnListsFirst() throws {
    let policy = """
      {"models": [{"id": "unit", "creditsPerUnit": 7}], "catalog": "prices.json"}
      """
    try store.write(policy.utf8, to: PolicyFile.name)
    let file = PolicyFile(in: directory)
    for _ in 0..<2 {
      let rules = try file.inForce().policy
      #expect(
        try rules.model(Name(trusted: "unit"), at: .earliest).pricing
          == .perUnit(ExactDecimal(coefficient: 7)))
      #expect(try rules.model(Name(trusted: "small"), at: .earliest).pricing.needsUsage)
    }
    // The same process sees that the catalog has changed.
    try store.write(#"{"models": [{"id": "small", "free": true}]}"#.utf8, to: "prices.json")
    #expect(try file.inForce().policy.model(Name(trusted: "small"), at: .earliest).pricing == .free)
    try store.write("{".utf8, to: "prices.json")
    #expect(throws: CreditError.self) { try file.inForce().policy }
  }
}
