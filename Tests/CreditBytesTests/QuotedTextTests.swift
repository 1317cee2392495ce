import CreditBytes
import Testing

struct QuotedTextTests {
  @Test(arguments: [
    ("job-17", "job-17"), ("com.a:b/c@d+e_f", "com.a:b/c@d+e_f"), ("", "''"),
    ("ali ce", "'ali ce'"), ("in$5_x", "'in$5_x'"), ("a`b`", "'a`b`'"), ("a\\b", "'a\\b'"),
    ("it's", "'it'\\''s'"), ("'\u{301}; a", "''\\''\u{301}; a'"), ("*", "'*'"), ("~", "'~'"),
    ("a\u{202e}b", "$'a\\342\\200\\256b'"), ("it's\n\\b", "$'it\\047s\\012\\134b'"),
  ])
  func isOneWordOfAShell(text: String, word: String) {
    #expect(shellWord(text) == word)
  }
}
