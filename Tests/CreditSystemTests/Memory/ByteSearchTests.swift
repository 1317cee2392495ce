import CreditBytes
import CreditSystem
import Testing

@Suite struct ByteSearchTests {
  private func finds(_ needle: StaticString, in text: String) -> Bool {
    Array(text.utf8).withBytes { $0.contains(needle) }
  }

  /// At every place within and at the ends of the bytes that are searched at once.
  @Test func findsATextAtAnyPlace() {
    for before in 0...20 {
      for after in 0...20 {
        let (left, right) = (
          String(repeating: "u", count: before), String(repeating: "\"", count: after)
        )
        #expect(finds("\"usage\"", in: left + "\"usage\"" + right))
        #expect(!finds("\"usage\"", in: left + "\"usagE\"" + right))
        #expect(!finds("\"usage\"", in: left + "\"usage" + String(repeating: "x", count: after)))
      }
    }
    #expect(!finds("usage", in: ""))
    #expect(!finds("usage", in: "usag"))
  }
}
