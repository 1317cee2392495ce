import CreditModel
import Foundation
import Testing

@testable import CreditStore
@testable import TestSupport

/// The policy's own lists, looked up through `policy.index`.
@Suite struct PolicyIndexTests {
  private static let text = """
    {"unit": "spark", "models": [
      {"id": "small", "aliases": ["s", "klein", "s-DATE"], "creditsPerUnit": 2},
      {"id": "dated", "creditsPerUnit": 3},
      {"id": "dated", "from": "2026-02-01T00:00:00Z", "aliases": ["d"], "creditsPerUnit": 4}],
     "products": [{"id": "pack", "credits": 100}], "overdraft": "deny"}
    """

  private let store: TemporaryStore
  private var directory: StoreDirectory { store.directory }

  init() throws {
    store = try TemporaryStore()
    try write(Self.text)
  }

  /// A file that was changed just now may change again unseen, and isn't remembered.
  private func write(_ text: String) throws {
    try store.write(text.utf8, to: PolicyFile.name)
    Thread.sleep(forTimeInterval: 0.05)
  }

  private func load() throws -> Policy { try PolicyFile(in: directory).inForce().policy }

  private func expectEverything(in policy: Policy) throws {
    func price(_ id: String, _ time: Timestamp = .latest) throws -> ServicePricing {
      try policy.model(Name(trusted: id), at: time).pricing
    }
    #expect(policy.unit == "spark" && !policy.allowsOverdraft)
    for name in ["small", "s", "klein", "s-2026-02-01", "s-20260201", "s-latest"] {
      #expect(try price(name) == .perUnit(ExactDecimal(coefficient: 2)))
    }
    for name in ["dated", "d"] {
      #expect(try price(name, .earliest) == .perUnit(ExactDecimal(coefficient: 3)))
      #expect(try price(name) == .perUnit(ExactDecimal(coefficient: 4)))
    }
    for name in ["pack", "s-2026-02-30", "small-latest"] {
      #expect(throws: CreditError.self) { try price(name) }
    }
    #expect(try policy.product(Name(trusted: "pack")).credits == 100)
    #expect(throws: CreditError.self) { try policy.product(Name(trusted: "small")) }
    #expect(try policy.prices.names(.product).map(\.text) == ["pack"])
  }

  /// One thread reads requests while another serves some.
  @Test func threadsLookUpAtOnceWhenTheWholeFileIsRead() async throws {
    _ = try load()
    let policy = try load()
    #expect(try policy.prices.names(.model).map(\.text).contains("small"))
    async let own = Self.rightCount(in: policy.prices)
    async let ofGate = Self.rightCount(in: policy.ofGate.prices)
    #expect(await [own, ofGate] == [4000, 4000])
  }

  /// Looks up a model in turn with names that are not there.
  private static func rightCount(in prices: KnownPrices) async -> Int {
    (0..<4000).count { number in
      let isThere = number.isMultiple(of: 2)
      let name = isThere ? "small" : "none-\(number)"
      let model = try? prices.model(Name(trusted: name), at: .latest)
      return isThere ? model?.pricing == .perUnit(ExactDecimal(coefficient: 2)) : model == nil
    }
  }

  @Test func isMadeOnceAndThenLookedUpIn() throws {
    try expectEverything(in: try load())
    let status = try #require(try directory.status(of: PriceIndex.Kind.policy.name))
    try expectEverything(in: try load())
    #expect(try directory.status(of: PriceIndex.Kind.policy.name) == status)
  }

  @Test func thePolicyIsCheckedAgainAfterAChange() throws {
    _ = try load()
    try write(#"{"models": [{"id": "small", "creditsPerUnit": 7}]}"#)
    for _ in 0..<2 {
      let policy = try load()
      #expect(policy.unit == "credit")
      #expect(
        try policy.model(Name(trusted: "small"), at: .latest).pricing
          == .perUnit(ExactDecimal(coefficient: 7)))
    }
    try write(#"{"models": [{"id": "small", "creditsPerUnit": -7}]}"#)
    for _ in 0..<2 {
      let error = #expect(throws: CreditError.self) { try load() }
      #expect(error?.message.contains("models[0].creditsPerUnit") == true)
    }
    try write("{\n")
    let error = #expect(throws: CreditError.self) { try load() }
    #expect(error?.message.hasPrefix("policy.json: line 2, column 1: ") == true)
  }

  @Test func aCatalogIsSearchedAfterThePolicy() throws {
    try store.write(
      #"{"models": [{"id": "small", "free": true}, {"id": "large", "creditsPerUnit": 9}]}"#.utf8,
      to: "prices.json")
    try write(
      #"{"models": [{"id": "small", "creditsPerUnit": 7}], "catalog": "prices.json"}"#)
    for _ in 0..<3 {
      let policy = try load()
      #expect(
        try policy.model(Name(trusted: "small"), at: .latest).pricing
          == .perUnit(ExactDecimal(coefficient: 7)))
      #expect(
        try policy.model(Name(trusted: "large"), at: .latest).pricing
          == .perUnit(ExactDecimal(coefficient: 9)))
      #expect(throws: CreditError.self) { try policy.model(Name(trusted: "huge"), at: .latest) }
    }
  }

  @Test func anyDamageCostsTimeOnly() throws {
    _ = try load()
    let index = try store.bytes(PriceIndex.Kind.policy.name)
    for position in stride(from: 0, to: index.count, by: 3) {
      var damaged = index
      damaged[position] ^= 0x11
      try store.write(damaged, to: PriceIndex.Kind.policy.name)
      try expectEverything(in: try load())
      #expect(try store.bytes(PriceIndex.Kind.policy.name) != damaged)
    }
    for length in stride(from: 0, to: index.count, by: 37) {
      try store.write(index[..<length], to: PriceIndex.Kind.policy.name)
      try expectEverything(in: try load())
    }
  }

  @Test func aStoreThatCantBeWrittenWorksAllTheSame() throws {
    var number = 1
    while true {
      try directory.removeFile(PriceIndex.Kind.policy.name)
      let system = FaultySystem()
      system.failing = number
      number += 1
      let file = PolicyFile(in: store.directory(system))
      guard let policy = try? file.inForce().policy else { continue }
      system.failing = nil
      try expectEverything(in: policy)
      if system.failedCall == nil { break }
    }
    #expect(number > 5)
  }
}
