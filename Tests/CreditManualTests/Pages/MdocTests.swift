import Testing

@testable import CreditManual

@Suite struct MdocTests {
  @Test func writesOneSentenceALine() {
    #expect(
      Mdoc.text("First. Second (`--hold`), and $5. `a b`").split(separator: "\n") == [
        "First.", "Second", ".Fl ( \\-hold ) ,", "and $5.", ".Ql \"a b\"",
      ])
  }

  /// A path that is longer than a line may be broken behind its slashes.
  @Test func longWordsCanBeBroken() {
    let folders = String(repeating: "/folder", count: 9)
    #expect(
      Mdoc.text("`a b\(folders)`")
        == ".Ql \"a b\(folders.replacing("/", with: "/\\:"))\"")
    #expect(!Mdoc.text("`/short/path.txt`").contains("\\:"))
  }

  @Test func escapesTypedText() {
    let lines = Mdoc.display(".x 'a' \\ `b` ~-^").split(separator: "\n")
    #expect(lines[1] == "\\&.x \\(aqa\\(aq \\e \\(gab\\(ga \\(ti\\-\\(ha")
  }

  @Test func writesTheSynopsis() {
    #expect(
      Mdoc.synopsis("policy [--check FILE | --set FILE] < requests").split(separator: "\n") == [
        ".Nm", ".Cm policy", ".Op Fl \\-check Ar FILE | Fl \\-set Ar FILE", ".No < Ar requests",
      ])
  }
}
