import CreditBytes
import Testing

struct JSONDuplicatesTests {
  @Test(arguments: [
    (#"{"a":1,"b":2}"#, nil),
    (#"{"a":1,"a":2}"#, "a"),
    (#"{"a":{"a":{"a":1}}}"#, nil),
    (#"[{"a":1},{"a":1}]"#, nil),
    (#"{"a":1,"b":{"c":1,"d":[{"e":1,"f":2,"e":3}]}}"#, "e"),
    (#"{"abc":1,"\u0061bc":2}"#, "abc"),
    (#"{"\u0061bc":1,"abc":2}"#, "abc"),
    (#"{"\u0061":1,"\u0062":2}"#, nil),
    (#"{"é":1,"\u00e9":2}"#, "é"),
    (#"{"":1,"":2}"#, ""),
    (#"{"a":1,"A":2}"#, nil),
    (#"{"x":1,"x":{"y":1,"y":2}}"#, "y"),
  ])
  func findsTheFirst(_ source: String, expected: String?) throws {
    #expect(try JSONDocument(source).duplicateName == expected)
  }

  @Test func findsOneAmongAnyNumberOfMembers() throws {
    for count in 1...40 {
      let names = (0..<count).map { "name\($0)" }
      #expect(try JSONDocument(object(names)).duplicateName == nil)
      for repeated in [0, count / 2, count - 1] {
        let document = try JSONDocument(object(names + ["name\(repeated)"]))
        #expect(document.duplicateName == "name\(repeated)")
        let escaped = try JSONDocument(object(names + [#"\u006eame\#(repeated)"#]))
        #expect(escaped.duplicateName == "name\(repeated)")
      }
    }
  }

  @Test func isSoonDoneWithManyMembers() throws {
    let names = (0..<100_000).map { String($0, radix: 36) }
    let start = ContinuousClock.now
    #expect(try JSONDocument(object(names)).duplicateName == nil)
    #expect(try JSONDocument(object(names + ["2s"])).duplicateName == "2s")
    // In pairs it would be minutes.
    #expect(ContinuousClock.now - start < .seconds(20))
  }

  @Test func belongsToTheValueTakenLast() {
    var stream = JSONStream()
    Array(#"{"a":1,"a":2} {"a":1} {"b":{"c":1,"c":2}"#.utf8).withBytes { stream.append($0) }
    _ = stream.next()
    #expect(stream.duplicateName == "a")
    _ = stream.next()
    #expect(stream.duplicateName == nil)
    _ = stream.next()
    #expect(stream.duplicateName == nil)
    Array("}".utf8).withBytes { stream.append($0) }
    _ = stream.next()
    #expect(stream.duplicateName == "c")
  }

  private func object(_ names: [String]) -> String {
    "{" + names.map { "\"\($0)\":0" }.joined(separator: ",") + "}"
  }
}
