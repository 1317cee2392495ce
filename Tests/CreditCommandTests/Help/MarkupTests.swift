import Testing

@testable import CreditCommand

@Suite struct MarkupTests {
  @Test func readsChunks() {
    let chunks = Markup.chunks("Use (`--hold N`),\n  <FILE>. See credit-charge(1)!")
    #expect(
      chunks == [
        .init(opening: "", core: .word("Use"), closing: ""),
        .init(opening: "(", core: .literal("--hold N"), closing: "),"),
        .init(opening: "", core: .placeholder("FILE"), closing: "."),
        .init(opening: "", core: .word("See"), closing: ""),
        .init(opening: "", core: .page(name: "credit-charge", section: "1"), closing: "!"),
      ])
  }

  @Test func knowsThePagesOfEverySection() {
    #expect(
      Markup.chunks("credit-store(5), credit-tools(7)").map(\.core) == [
        .page(name: "credit-store", section: "5"), .page(name: "credit-tools", section: "7"),
      ])
  }

  @Test func fillsLines() {
    #expect(PlainText.fill("one `two` three", width: 7) == ["one two", "three"])
    #expect(PlainText.fill("") == [])
  }
}
