import CreditBytes
import CreditServer
import Testing

struct ServerRowsTests {
  @Test func readsBytesOfHexadecimalDigits() {
    let rows = TextRows(["00ff7f", "", "0", "0g", nil])
    #expect(rows.bytes(0, 0) == [0, 255, 127])
    #expect(rows.bytes(1, 0) == [])
    for row in 2...4 { #expect(rows.bytes(row, 0) == nil) }
  }

  @Test func readsWholeNumbers() {
    let rows = TextRows(["-9223372036854775808", "9223372036854775808", "1.0", nil, "", "-", "--1"])
    #expect(rows.int(0, 0) == .min)
    for row in 1...6 { #expect(rows.int(row, 0) == nil) }
  }
}

/// Rows of one column.
private final class TextRows: ServerRows {
  private let texts: [String?]

  init(_ texts: [String?]) { self.texts = texts }

  var count: Int { texts.count }

  func withText<Result>(
    _ row: Int, _ column: Int, _ body: (Bytes?) -> Result
  ) -> Result {
    guard let text = texts[row] else { return body(nil) }
    return Array(text.utf8).withBytes { body($0) }
  }
}
