import CreditBytes
import Testing

struct JSONPrettyTests {
  private func laidOut(_ source: String) throws -> String {
    try read(source) { value in
      var writer = JSONWriter()
      JSONPretty.write(value, into: &writer)
      return writer.string
    }
  }

  @Test func laysOutLikeJq() throws {
    let source = #"{"a":1,"b":{"c":[1,"x\ny",{}],"d":[]},"e":[[null]],"f":-1.50e2}"#
    let expected = #"""
      {
        "a": 1,
        "b": {
          "c": [
            1,
            "x\ny",
            {}
          ],
          "d": []
        },
        "e": [
          [
            null
          ]
        ],
        "f": -1.50e2
      }
      """#
    #expect(try laidOut(source) == expected)
    #expect(try laidOut(expected) == expected)
  }

  @Test(arguments: ["{}", "[]", "null", "\"a\"", "12"])
  func leavesSmallValuesAlone(_ source: String) throws {
    #expect(try laidOut(source) == source)
  }

  @Test func standsAmongOtherValues() throws {
    try read("[1]") { value in
      var writer = JSONWriter()
      writer.beginArray()
      JSONPretty.write(value, into: &writer)
      writer.integer(2)
      JSONPretty.write(value, into: &writer)
      writer.endArray()
      #expect(writer.string == "[[\n  1\n],2,[\n  1\n]]")
    }
  }
}
