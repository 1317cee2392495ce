import CreditBytes
import Testing

@testable import CreditCommand

/// The forms in which results are printed.
@Suite struct ResultPrinterTests {
  private static let request = Array(#"{"n":1,"a":"old"}"#.utf8)

  private func printed(
    _ form: ResultPrinter.Form, request: [UInt8]? = nil, byteLimit: Int = JSONScanner.offsetLimit
  ) -> String {
    var printer = ResultPrinter(
      form: form, passesRequest: request != nil, byteLimit: byteLimit)
    printer.print(request: request) { output in
      output.beginObject()
      output.key("a")
      output.string("new")
      output.endObject()
    }
    return printer.output.string
  }

  @Test func showsResultsInTheFormAskedFor() {
    #expect(printed(.compact) == "{\"a\":\"new\"}\n")
    #expect(printed(.pretty) == "{\n  \"a\": \"new\"\n}\n")
    #expect(printed(.members(["a"])) == "new\n")
    #expect(printed(.members(["b", "a", ""])) == "\tnew\t\n")
    #expect(printed(.compact, request: Self.request) == "{\"n\":1,\"a\":\"new\"}\n")
  }

  @Test func printsLongResultsUnchanged() {
    #expect(printed(.pretty, byteLimit: 5) == "{\"a\":\"new\"}\n")
    #expect(printed(.compact, request: Self.request, byteLimit: 12) == "{\"a\":\"new\"}\n")
  }
}
