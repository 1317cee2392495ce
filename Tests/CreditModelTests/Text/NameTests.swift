import CreditModel
import Testing

@testable import TestSupport

@Suite struct NameTests {
  @Test func idsMadeOfOthersAreIDs() {
    #expect(Name("c1").again == "c1:again")
    #expect(Name("t").derived("back:").derived("", ":2") == "back:t:2")
    for text in ["k" + String(repeating: " é", count: 85), String(repeating: "x", count: 256)] {
      let id = Name(trusted: text).again.again
      #expect(Name(valid: id.text) == id && id.text.hasSuffix(text.suffix(10) + ":again:again"))
    }
  }

  @Test(arguments: [
    "a", "default", "user 1", "com.damsac.murmur.credits.1000", "Đặng", "名前", "a\u{301}",
    "👩‍👩‍👧", "a\u{200B}b", "\"quoted\"", "a/b\\c", "~", "!",
  ])
  func takesText(text: String) {
    #expect(Name.problem(with: text, limit: Name.accountLimit) == nil)
  }

  @Test(arguments: [
    ("", "is empty"), (" a", "begins or ends with white space"),
    ("a ", "begins or ends with white space"), ("\u{A0}a", "begins or ends with white space"),
    ("a\u{3000}", "begins or ends with white space"), (" ", "begins or ends with white space"),
    ("a\u{2028}", "begins or ends with white space"), ("a\tb", "has a control character in it"),
    ("a\nb", "has a control character in it"), ("a\u{0}", "has a control character in it"),
    ("\u{7F}", "has a control character in it"), ("a\u{85}b", "has a control character in it"),
    ("a\r\n", "has a control character in it"),
  ])
  func refusesControlCharactersAndSpaceAround(text: String, problem: String) {
    #expect(Name.problem(with: text, limit: Name.idLimit) == problem)
  }

  @Test func refusesThemAtEveryPlaceOfALongName() {
    for count in 1...40 {
      for place in 0..<count {
        for (byte, isAllowed) in [(10, false), (27, false), (127, false), (32, true), (126, true)] {
          var bytes = [UInt8](repeating: UInt8(ascii: "a"), count: count)
          bytes[place] = UInt8(byte)
          let isInside = byte != 32 || place != 0 && place != count - 1
          let problem = Name.problem(
            with: String(decoding: bytes, as: UTF8.self), limit: Name.idLimit)
          #expect((problem == nil) == (isAllowed && isInside))
        }
      }
    }
  }

  @Test func countsBytes() {
    #expect(Name.problem(with: String(repeating: "a", count: 128), limit: 128) == nil)
    #expect(
      Name.problem(with: String(repeating: "a", count: 129), limit: 128)
        == "is longer than 128 bytes")
    #expect(Name.problem(with: String(repeating: "é", count: 64), limit: 128) == nil)
    #expect(Name.problem(with: String(repeating: "é", count: 65), limit: 128) != nil)
  }

  /// "é" in one scalar and in two are one `String`, but two names.
  @Test func canonicalEquivalentsDiffer() {
    let composed: Name = "caf\u{E9}"
    let decomposed: Name = "cafe\u{301}"
    #expect(composed.text == decomposed.text)
    #expect(composed != decomposed)
    #expect(Set([composed, decomposed, composed]).count == 2)
    #expect(decomposed < composed)
    #expect(!(composed < decomposed))
  }

  @Test func sortsByBytes() {
    let names: [Name] = ["ö", "b", "", "a", "B", "aa", "zz", "\u{10000}", "\u{FFFD}"]
    #expect(names.sorted() == ["", "B", "a", "aa", "b", "zz", "ö", "\u{FFFD}", "\u{10000}"])
  }
}

@Suite struct QuotedTextTests {
  @Test(arguments: [
    ("alice", #""alice""#), ("", #""""#), (#"a"b\c"#, #""a\"b\\c""#),
    ("a\nb\r\t", #""a\nb\r\t""#), ("\u{1B}[31m", #""\u001b[31m""#), ("\u{0}", #""\u0000""#),
    ("\u{202E}abc", #""\u202eabc""#), ("\u{2066}\u{2069}", #""\u2066\u2069""#),
    ("\u{200B}", #""\u200b""#), ("\u{2028}", #""\u2028""#), ("\u{FEFF}", #""\ufeff""#),
    ("\u{7F}\u{85}", #""\u007f\u0085""#), ("\u{E0001}", #""\udb40\udc01""#),
    ("café 名", #""café 名""#),
  ])
  func escapesTerminalCommands(text: String, expected: String) {
    #expect(quoted(text) == expected)
  }

  @Test func quotesPathsOnlyWhereTheyNeedIt() {
    #expect(plainOrQuoted("/tmp/my store") == "/tmp/my store")
    #expect(plainOrQuoted("/tmp/a\u{1B}[31m") == #""/tmp/a\u001b[31m""#)
    #expect(plainOrQuoted(String(repeating: "a", count: 300)).utf8.count <= 200)
  }

  @Test func isAtMost200Bytes() {
    for piece in ["a", "é", "名", "🙂", "\u{0}", "\u{E0001}", "\""] {
      for count in 0...250 {
        let text = quoted(String(repeating: piece, count: count))
        #expect(text.utf8.count <= 200)
        #expect(text.hasPrefix("\"") && text.hasSuffix("\""))
      }
    }
    #expect(quoted(String(repeating: "a", count: 300)).hasSuffix("a…\""))
    #expect(!quoted(String(repeating: "a", count: 190)).contains("…"))
  }
}

@Suite struct NearestNamesTests {
  private let models: [Name] = [
    "claude-sonnet-4.5", "claude-sonnet-4", "claude-opus-4.1", "gpt-4o", "gpt-4o-mini", "whisper-1",
  ]

  @Test func findsTheNearestFirst() {
    #expect(
      NearestNames.find("claude-sonet-4.5", among: models).prefix(2)
        == ["claude-sonnet-4.5", "claude-sonnet-4"])
    #expect(NearestNames.find("gpt4o", among: models).first == "gpt-4o")
  }

  @Test(arguments: [
    ("GPT-4O", "gpt-4o"), ("openai/gpt-4o", "gpt-4o"), ("OpenAI/GPT-4o-Mini", "gpt-4o-mini"),
    ("us.anthropic.claude-sonnet-4.5-v1:0", "claude-sonnet-4.5"), ("opus", "claude-opus-4.1"),
    ("gpt-4o-2024-08-06", "gpt-4o"),
  ])
  func caseProviderAndPartsAreNear(wanted: String, nearest: String) {
    #expect(NearestNames.find(Name(trusted: wanted), among: models).first?.text == nearest)
  }

  @Test func findsNothingFarAway() {
    #expect(NearestNames.find("llama-3.1-70b-instruct", among: models) == [])
    #expect(NearestNames.find("x", among: []) == [])
    #expect(NearestNames.find("", among: ["", "abcdef"]) == [""])
  }

  @Test func listsThreeAtMostAndNoneTwice() {
    let names: [Name] = ["aab", "aaa", "aac", "aad", "aaa", "aae"]
    #expect(NearestNames.find("aax", among: names) == ["aaa", "aab", "aac"])
    #expect(NearestNames.find("aaa", among: names) == ["aaa", "aab", "aac"])
  }

  @Test func copesWithLongNames() {
    let long = Name(trusted: String(repeating: "a", count: 10_000))
    #expect(NearestNames.find(long, among: models + [long]).isEmpty)
  }

  /// Of few letters two names are alike by chance, but not if one has a letter doubled.
  @Test(arguments: [
    ("mee", ["me"]), ("mme", ["me"]), ("em", []), ("mel", []), ("anaa", ["ana", "anna"]),
    ("aana", ["ana", "anna"]), ("user2", []), ("user11", []), ("m", []), ("meee", []),
  ])
  func aDoubledLetterIsASlip(name: String, similar: [Name]) {
    let known: [Name] = ["me", "ana", "anna", "user1"]
    #expect(NearestNames.similar(to: Name(trusted: name), among: known) == similar)
  }

  @Test(arguments: [
    ("alcie", ["alice"]), ("ALICE", ["alice"]), ("alica", ["alice"]), ("aliceee", []),
    ("alice", []), ("bon", []), ("obb", ["bob"]), ("bobb", ["bob"]), ("bo", []), ("BOB", ["bob"]),
    ("user-2", []), ("usr-1", ["user-1"]),
    ("rob@example.com", []), ("roberto@example.con", ["roberto@example.com"]),
    ("robrto@example.com", ["roberto@example.com"]), ("acmecorp-test", []),
    ("acmecrop-tset", ["acmecorp-test"]),
  ])
  func aSlipIsAnEditOrTwo(name: String, similar: [Name]) {
    let known: [Name] = [
      "alice", "bob", "user-1", "bob@example.com", "roberto@example.com", "acmecorp-test",
    ]
    #expect(NearestNames.similar(to: Name(trusted: name), among: known) == similar)
  }

  @Test(arguments: [
    ("userl", ["user1"]), ("Iee", ["lee"]), ("b0b", ["bob"]), ("user2", []), ("lce", []),
    ("a_b-c", ["a-b_c"]), ("cod3x", []),
  ])
  func charactersThatLookAlikeAreASlip(name: String, similar: [Name]) {
    let known: [Name] = ["user1", "lee", "bob", "ice", "a-b_c", "codex"]
    #expect(NearestNames.similar(to: Name(trusted: name), among: known) == similar)
  }

  @Test(arguments: [
    ("acount", "account"), ("acocunt", "account"), ("Account", "account"), ("KEY", "key"),
    ("tag", "tags"), ("tagss", "tags"), ("used_at", "usedAt"), ("UsedAt", "usedAt"),
    ("modle", "model"), ("mdel", "model"), ("accounting", nil), ("to", nil), ("kyes", nil),
    ("", nil), ("keyed", nil),
  ])
  func misspellingsAreOfALetterOrTwo(name: String, meant: String?) {
    let known = ["account", "key", "tags", "usedAt", "model"]
    #expect(NearestNames.misspelt(name, among: known) == meant)
  }
}
