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

  @Test func writesOneSentenceALine() {
    var writer = MdocWriter()
    writer.text("First. Second (`--hold`), and $5. `a b`")
    #expect(
      writer.lines == [
        "First.", "Second", ".Fl ( \\-hold ) ,", "and $5.", ".Ql \"a b\"",
      ])
  }

  @Test func escapesWhatIsTyped() {
    var writer = MdocWriter()
    writer.display(".x 'a' \\ `b` ~-^")
    #expect(writer.lines[1] == "\\&.x \\(aqa\\(aq \\e \\(gab\\(ga \\(ti\\-\\(ha")
  }

  @Test func writesTheSynopsis() {
    var writer = MdocWriter()
    writer.synopsis("policy [--check FILE | --set FILE] < requests")
    #expect(
      writer.lines == [
        ".Nm", ".Cm policy", ".Op Fl \\-check Ar FILE | Fl \\-set Ar FILE", ".No < Ar requests",
      ])
  }
}
