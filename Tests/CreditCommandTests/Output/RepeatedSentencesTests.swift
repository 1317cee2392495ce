import CreditModel
import Testing

@testable import CreditCommand

@Suite struct RepeatedSentencesTests {
  /// The value in an object: `#expect` takes no call that changes a value.
  private final class Sentences {
    private var value = RepeatedSentences()

    var newCount: Int { value.newCount }

    func add(_ text: String, about origin: RequestOrigin) -> Bool {
      value.add(text, about: origin, of: origin.account, label: origin.label)
    }

    func takeNew() -> [String] { value.takeNew() }

    func takeCounts() -> [String] { value.takeCounts() }
  }

  private let repeated = Sentences()

  /// The request on a line, whose key is named after it.
  private func origin(_ line: Int, account: String? = nil) -> RequestOrigin {
    var origin = RequestOrigin(line: line)
    origin.subject = .key(Name(trusted: "k\(line)"))
    if let account { origin.set(account: Name(trusted: account)) }
    return origin
  }

  @Test func aSentenceIsPrintedOnceAndCounted() {
    let sentences = ["a", "b"] + Array(repeating: "a", count: 1198)
    for (place, text) in sentences.enumerated() {
      #expect(repeated.add(text, about: origin(place + 1)))
    }
    #expect(
      repeated.takeNew() == [
        #"line 1 (key "k1"): a (1,199 requests, the last on line 1200)"#, #"line 2 (key "k2"): b"#,
      ])
    #expect(repeated.takeNew() == [])
    #expect(repeated.takeCounts() == [])
  }

  /// Those that come after it was printed are counted at the end.
  @Test func laterOnesAreCountedAtTheEnd() {
    #expect(repeated.add("a", about: origin(1)))
    #expect(repeated.takeNew() == [#"line 1 (key "k1"): a"#])
    for line in [2, 3] { #expect(repeated.add("a", about: origin(line))) }
    #expect(repeated.add("b", about: origin(4)))
    #expect(repeated.newCount == 1)
    #expect(
      repeated.takeCounts() == [
        #"line 4 (key "k4"): b"#, "a (2 more requests, the last on line 3)",
      ])
    #expect(repeated.add("a", about: origin(5)))
    #expect(repeated.takeCounts() == [#"line 5 (key "k5"): a"#])
  }

  /// Numbers and the request's own reference are no other reason. Quoted names are.
  @Test func reasonsDoNotDependOnNumbers() {
    let account = #"account "a1" has -3 credits"#
    let used = #"key "k4" is used (2 requests, also of other keys, the last on line 5)"#
    #expect(repeated.add(account, about: origin(1, account: "a1")))
    #expect(repeated.add(#"account "a1" has -17 credits"#, about: origin(2, account: "a1")))
    #expect(repeated.add(#"account "a2" has -17 credits"#, about: origin(3, account: "a2")))
    #expect(repeated.add(#"key "k4" is used"#, about: origin(4)))
    #expect(repeated.add(#"key "k5" is used"#, about: origin(5)))
    #expect(repeated.add(#"key "k5" is used"#, about: origin(6)))
    #expect(repeated.add(#"name "a\"1""#, about: origin(7)))
    #expect(repeated.add(#"name "a\"2""#, about: origin(8)))
    #expect(
      repeated.takeNew() == [
        #"line 1 (key "k1", account "a1"): \#(account) (2 requests, the last on line 2)"#,
        #"line 3 (key "k3", account "a2"): account "a2" has -17 credits"#,
        #"line 4 (key "k4"): \#(used)"#,
        #"line 6 (key "k6"): key "k5" is used"#,
        #"line 7 (key "k7"): name "a\"1""#, #"line 8 (key "k8"): name "a\"2""#,
      ])
  }

  /// A sentence that names no account is one of each account, and says whose.
  @Test func accountsAreCountedApart() {
    for (place, account) in ["x", "y", "x", "y", nil].enumerated() {
      #expect(repeated.add("a", about: origin(place + 1, account: account)))
    }
    #expect(
      repeated.takeNew() == [
        #"line 1 (key "k1", account "x"): a (2 requests, the last on line 3)"#,
        #"line 2 (key "k2", account "y"): a (2 requests, the last on line 4)"#,
        #"line 5 (key "k5"): a"#,
      ])
    for line in [6, 7] { #expect(repeated.add("a", about: origin(line, account: "y"))) }
    #expect(repeated.add(#"account "x" is closed"#, about: origin(8, account: "x")))
    #expect(repeated.takeNew() == [#"line 8 (key "k8", account "x"): account "x" is closed"#])
    #expect(repeated.add(#"account "x" is closed"#, about: origin(9, account: "x")))
    #expect(
      repeated.takeCounts() == [
        #"a (2 more requests of account "y", the last on line 7)"#,
        #"account "x" is closed (1 more request, the last on line 9)"#,
      ])
  }

  /// Those of accounts beyond the kept ones count with the first, which says so.
  @Test func furtherAccountsAreCountedTogether() {
    for line in 1...1003 { #expect(repeated.add("a", about: origin(line, account: "a\(line)"))) }
    let new = repeated.takeNew()
    let first = "a (4 requests, also of other accounts, the last on line 1003)"
    #expect(new.count == 1000)
    #expect(new.first == #"line 1 (key "k1", account "a1"): \#(first)"#)
    #expect(new.last == #"line 1000 (key "k1000", account "a1000"): a"#)
  }

  /// Only a number of different ones is kept: further ones are printed each time.
  @Test func itKeepsAThousand() {
    func name(_ number: Int) -> String { "name \"\(number)\"" }
    for number in 1...1000 { #expect(repeated.add(name(number), about: origin(1))) }
    #expect(!repeated.add("x", about: origin(2)))
    #expect(repeated.add(name(1000), about: origin(103)))
    #expect(repeated.takeNew().count == 1000)
    #expect(repeated.takeCounts() == [])
  }
}
