import Foundation
import Testing

@testable import TestSupport

/// Words that an English-speaking programmer would not expect, with replacements.
@Suite(.slow) struct WordTests {
  /// Each is one word, or two in a row; the first is looked up.
  private static let replacements: [String: [(next: String?, instead: String)]] = [
    "stand": [(nil, "be, appear, hold")], "stands": [(nil, "is, appears, holds")],
    "stood": [(nil, "was")], "standing": [(nil, "being")], "anew": [(nil, "again, from scratch")],
    "gone": [(nil, "removed")], "of": [("before", "previous"), ("now", "current, dated now")],
    "in": [("hand", "current")], "there": [("be", "is")], "any": [("other", "nil unless …")],
    "deed": [(nil, "action")], "deeds": [(nil, "actions")], "shun": [(nil, "bypass")],
    "shuns": [(nil, "bypasses")], "shunned": [(nil, "bypassed")],
  ]

  private static func fault(_ line: Substring, _ number: Int) -> (String, line: Int)? {
    let isLetter = { (byte: UInt8) in (0x61...0x7a).contains(byte | 0x20) }
    let words = line.utf8.split { !isLetter($0) }.map { String(Substring($0)).lowercased() }
    for (place, word) in words.enumerated() {
      guard let meanings = replacements[word] else { continue }
      for (next, instead) in meanings {
        guard next == nil || place + 1 < words.count && words[place + 1] == next else { continue }
        // “nil for any other”, and not any other use of the words.
        if word == "any", place < 2 || words[place - 2] != "nil" { continue }
        // “Stand for”, “stand out” and “stand alone” are English.
        if word.hasPrefix("stand"), place + 1 < words.count,
          ["for", "out", "alone"].contains(words[place + 1])
        {
          continue
        }
        // No argument of a call.
        if word == "of", !line.contains("of \(next ?? "")") { continue }
        if word == "there", place == 0 || words[place - 1] != "though" { continue }
        let said = [word, next ?? ""].joined(separator: " ")
        return ("says “\(said)”; write \(instead): \(line)", number)
      }
    }
    return nil
  }

  private static func check(_ sources: [Source]) {
    for source in sources {
      for (line, number) in zip(source.lines, 1...) {
        if let (fault, _) = fault(line, number) { source.report(fault, line: number) }
      }
    }
  }

  @Test func wordsAreFound() {
    #expect(Self.fault("/// It stands beside the policy.", 1) != nil)
    #expect(Self.fault("/// The row of before; nil for any other.", 1) != nil)
    #expect(Self.fault("/// Returns nil for any other.", 1) != nil)
    #expect(Self.fault("/// The standard policy, as any other; of a bit before now.", 1) == nil)
  }

  /// Texts for users: manual pages, documents, and output.
  @Test func documentsArePlain() throws {
    var sources = try Source.all(in: "man", "examples", ending: "")
    sources += try Source.documents()
    #expect(sources.count > 30)
    Self.check(sources.filter { !$0.path.hasSuffix(".jsonl") })
  }

  /// The sources, comments included.
  @Test func sourcesArePlain() throws {
    Self.check(try Source.all(in: "Sources"))
  }

  /// No file depends on a path of one machine.
  @Test func noFileNamesAMachine() throws {
    let folders = ["work", "root", "Users", "tmp/brief"].map { "/\($0)/" }
    let places = folders + (Checkout.root.path.count > 4 ? [Checkout.root.path] : [])
    var sources = try Source.all(
      in: "Sources", "Tests", "examples", "man", "completions", ".ci", ending: "")
    sources += try Source.documents()
    #expect(sources.count > 500)
    for source in sources {
      for (line, number) in zip(source.lines, 1...)
      where line.utf8.count < 10_000 && places.contains(where: line.contains) {
        source.report("names a path of one machine", line: number)
      }
    }
  }
}
