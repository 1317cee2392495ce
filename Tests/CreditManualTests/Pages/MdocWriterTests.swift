import Testing

@testable import CreditManual

@Suite struct MdocWriterTests {
  @Test func writesOneSentenceALine() {
    var writer = MdocWriter()
    writer.text("First. Second (`--hold`), and $5. `a b`")
    #expect(
      writer.lines == [
        "First.", "Second", ".Fl ( \\-hold ) ,", "and $5.", ".Ql \"a b\"",
      ])
  }

  @Test func escapesTypedText() {
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
