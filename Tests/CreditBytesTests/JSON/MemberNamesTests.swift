import Testing

@testable import CreditBytes

/// Names of members, and the ones that are not among them.
@Suite struct MemberNamesTests {
  private func unknown(_ object: String, to names: inout MemberNames) throws -> [String] {
    try JSONDocument(object).withRoot { value in
      var unknown: [String] = []
      while let name = names.addFirst(of: value) { unknown.append(name) }
      return unknown
    }
  }

  @Test func findsEachUnknownNameOnce() throws {
    var names = MemberNames(["account", "key", "model"])
    let object = #"{"account":1,"acount":{"key":2,"inner":3},"\u006bey":4,"":5,"k\u00e9y":6}"#
    #expect(try unknown(object, to: &names) == ["acount", "kéy"])
    #expect(try unknown(object, to: &names) == [])
    #expect(try unknown(#"{"inner":1,"model":2}"#, to: &names) == ["inner"])
    #expect(try unknown(#"["other"]"#, to: &names) == [])
  }

  @Test func grows() throws {
    var names = MemberNames(["abca", "acba"])
    #expect(try unknown(#"{"abca":1,"acba":2}"#, to: &names) == [])
    let many = (1...300).map { "n\($0)" }
    let object = "{" + many.map { "\"\($0)\":0" }.joined(separator: ",") + "}"
    #expect(try unknown(object, to: &names) == many)
    #expect(try unknown(object, to: &names) == [])
  }
}
