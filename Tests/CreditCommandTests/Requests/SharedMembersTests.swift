import CreditModel
import Testing

@testable import CreditCommand
@testable import CreditJSON

/// Members that several requests share.
@Suite struct SharedMembersTests {
  private let context: RequestContext

  init() throws {
    context = RequestContext(
      flags: try RequestFlags(ParsedArguments(.charge)), now: .earliest,
      under: Policy(prices: PriceCatalog()))
  }

  private func tags(_ text: String) throws -> [String] {
    try JSONDocument(#"{"tags":\#(text)}"#).withRoot { value in
      var list: [String] = []
      try RequestReader(.value(value), context).tags()?.forEachTag { list += ["\($0)=\($1)"] }
      return list
    }
  }

  @Test func theTagsOfARequestBeforeAreNotTakenForOthers() throws {
    for text in [#"{"a":"1"}"#, #"{"a":"1"}"#, #"{ "a":"1"}"#, #"{"\u0061":"1"}"#] {
      #expect(try tags(text) == ["a=1"])
    }
    #expect(context.knownTags.count == 3)
    #expect(try tags(#"{"a":"2"}"#) == ["a=2"])
    #expect(try tags(#"{"a":"1","b":"2"}"#) == ["a=1", "b=2"])
    #expect(try tags(#"{"b":"2","a":"1"}"#) == ["b=2", "a=1"])
    for _ in 1...2 {
      #expect(try tags("{}") == [])
      #expect(throws: CreditError.self) { try tags(#"{"a":1}"#) }
      #expect(throws: CreditError.self) { try tags(#"{"a":"1\n"}"#) }
    }
    #expect(try tags(#"{"a":"1"}"#) == ["a=1"])
  }

  @Test func moreDifferentTagsThanAreKeptAreRead() throws {
    for _ in 1...2 {
      for number in 1...40 { #expect(try tags(#"{"n":"\#(number)"}"#) == ["n=\(number)"]) }
    }
  }
}
