import Testing

@testable import TestSupport

/// Tests of the harness: it reads transcripts, and detects deviations.
@Suite(.slow) struct HarnessTests {
  @Test(arguments: [
    ("<uuid>", "0199c0de-0000-7000-8000-00000000000a", true),
    ("<uuid>", "0199C0DE-0000-7000-8000-00000000000A", false),
    ("<uuid>", "0199c0de-0000-4000-8000-00000000000a", false),
    ("at <time>", "at 2026-02-19T10:00:00.000Z", true),
    ("at <time>", "at 2026-02-19T10:00:00Z", false),
    ("[<int>]", "[-12]", true),
    ("[<int>]", "[012]", false),
    ("a<...>b", "a.*b", true),
    ("a.b", "axb", false),
    ("\u{E9}", "e\u{301}", false),
    ("<blank>", "", true),
  ])
  func pattern(_ pattern: String, _ line: String, _ isMatch: Bool) throws {
    #expect(try Pattern(text: pattern).matches(line) == isMatch)
  }

  @Test func differenceMarksMissingAndNewLines() throws {
    let expected = ["a", "<int>", "c"].map(Pattern.init)
    #expect(try difference(expected: expected, actual: ["a", "2", "c"]) == nil)
    let changed = try difference(expected: expected, actual: ["a", "b", "c"])
    #expect(changed == "  a\n- <int>\n+ b\n  c")
    #expect(try difference(expected: expected, actual: []) == "- a\n- <int>\n- c")
    #expect(try difference(expected: [], actual: ["x"]) == "+ x")
  }

  @Test func transcriptIsReadAsWritten() throws {
    let text =
      "# prose\n\n$ cat <<END\n> one\n>\n> END\none\n<blank>\n\n$ false\n? 1\n!\n! b\n"
    let steps = try Transcript(path: "t.txt", text: text).steps
    #expect(steps.map(\.line) == [3, 10])
    #expect(steps.map(\.command) == ["cat <<END\none\n\nEND", "false"])
    #expect(steps.map(\.output) == [["one", "<blank>"], []])
    #expect(steps.map(\.status) == [0, 1])
    #expect(steps.map(\.errors) == [nil, ["b"]])
  }

  @Test func stepsNameTheirNeeds() throws {
    let text = "$ a\n# needs: script perl\n$ b\n\n$ c\n# needs:\n$ d\n"
    let steps = try Transcript(path: "t.txt", text: text).steps
    #expect(steps.map(\.needs) == [[], ["script", "perl"], ["script", "perl"], []])
  }

  @Test(arguments: ["", "out of place\n", "$ true\n? zero\n"])
  func malformedTranscriptIsRefused(_ text: String) {
    #expect(throws: Transcript.SyntaxError.self) { try Transcript(path: "t.txt", text: text) }
  }

  @Test func everyTranscriptOfTheSuiteCanBeRead() throws {
    for path in ContractTests.paths { _ = try Transcript(path: path) }
  }
}
