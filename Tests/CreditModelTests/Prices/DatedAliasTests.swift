import Testing

@testable import CreditModel

@Suite struct DatedAliasTests {
  @Test(arguments: [
    ("gpt-5.4-mini-2026-03-17", "gpt-5.4-mini-DATE"), ("m-20240229", "m-DATE"),
    ("m-latest", "m-DATE"), ("m-2026-02-29", nil), ("m-20261301", nil), ("m-2026-3-17", nil),
    ("m2026-03-17", nil), ("-2026-03-17", nil), ("-latest", nil), ("latest", nil), ("", nil),
    ("m-2026-03-17-x", nil), ("m-00000101", nil), ("é-2026-03-17", "é-DATE"),
    ("m-２０２６-03-17", nil),
  ])
  func covers(_ name: String, _ alias: String?) {
    #expect(Name(trusted: name).datedAlias?.text == alias)
  }

  private func model(_ id: String, _ aliases: String..., price: Int64) -> PricedModel {
    PricedModel(
      id: Name(trusted: id), aliases: aliases.map(Name.init(trusted:)), pricing: .perRequest(price))
  }

  private func found(_ name: String, in catalog: PriceCatalog) throws -> String? {
    try catalog.model(Name(trusted: name), at: .earliest)?.id.text
  }

  /// A full name wins, and a catalog behind the list has the models that the list does not cover.
  @Test func findsCoveredModels() throws {
    let next = try PriceCatalog(
      models: [model("m-2026-05-05", price: 1), model("n-2026-05-05", price: 1)], products: [])
    let catalog = try PriceCatalog(
      models: [model("m", "m-DATE", price: 1), model("m-2026-01-01", "m-latest", price: 2)],
      products: [], next: next)
    #expect(try found("m-2026-02-02", in: catalog) == "m")
    #expect(try found("m-2026-05-05", in: catalog) == "m")
    #expect(try found("m-2026-01-01", in: catalog) == "m-2026-01-01")
    #expect(try found("m-latest", in: catalog) == "m-2026-01-01")
    #expect(try found("n-2026-05-05", in: catalog) == "n-2026-05-05")
    #expect(try found("m-2026-02-30", in: catalog) == nil)
    #expect(try found("n-latest", in: catalog) == nil)
  }

  @Test func coversOnce() {
    #expect(throws: CatalogProblem.takenModelName(place: 1, Name(trusted: "m-DATE"))) {
      try PriceCatalog(
        models: [model("m", "m-DATE", price: 1), model("n", "m-DATE", price: 1)], products: [])
    }
  }
}
