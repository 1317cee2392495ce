import CreditModel
import Testing

@testable import CreditJSON
@testable import TestSupport

/// Responses that are whole, and in chunks.
@Suite struct ResponseReaderTests {
  private func error(_ text: String) -> CreditError? {
    failure { () throws(CreditError) in try response(text) }
  }

  @Test func readsAWholeObject() throws {
    let whole = try response(
      "\u{feff}\r\n{\"model\":\"m\",\n \"usage\":{\"prompt_tokens\":5,\"completion_tokens\":3}}\n")
    #expect(usageCounts(whole.usage) == [5, 3, 0, 0])
    #expect(whole.isResponse)
    #expect(whole.responseModel == "m")
    let own = try response(#"{"model":"m","usage":{"inputTokens":5,"outputTokens":3}}"#)
    #expect(usageCounts(own.usage) == [5, 3, 0, 0])
    #expect(!own.isResponse)
    #expect(own.responseModel == "m")
  }

  @Test func theLastChunkWithUsageWins() throws {
    let chunks = [
      #"{"id":"c","model":"","choices":[],"usage":null}"#,
      #"{"id":"c","model":"m","choices":[],"usage":{"prompt_tokens":5,"completion_tokens":1}}"#,
      #"{"id":"c","model":"n","choices":[],"usage":{"prompt_tokens":5,"completion_tokens":3}}"#,
      #"{"choices":[],"usage":null}"#,
    ]
    let streams = [
      chunks.joined(separator: "\n"), chunks.joined(separator: "\r\n"), chunks.joined(),
      "[" + chunks.joined(separator: ",") + "]",
      chunks.map { "data: \($0)\n\n" }.joined(),
    ]
    for text in streams {
      let reading = try response(text)
      #expect(usageCounts(reading.usage) == [5, 3, 0, 0])
      #expect(reading.responseModel == "m")
    }
  }

  @Test(arguments: ["\n", "\r\n", "\r"])
  func readsServerSentEvents(lineEnd: String) throws {
    let lines = [
      ": OPENROUTER PROCESSING", "", "event: message_start", "id: 1", "retry: 10",
      #"data: {"type":"message_start","message":{"model":"m","usage":{"input_tokens":25,"#
        + #""cache_read_input_tokens":7,"output_tokens":1}}}"#, "",
      "event: ping", #"data:{"type":"ping"}"#, "", "data", "data:", "",
      // One object on several lines, whose strings look like fields.
      "data: {", #"data: "type":"data: x","#, "data: \"delta\": {}}", "",
      #"data: {"type":"message_delta","usage":{"output_tokens":9}}"#, "",
      #"data: {"type":"message_delta","usage":{"output_tokens":12}}"#, "", "data: [DONE]",
    ]
    let reading = try response("\u{feff}" + lines.joined(separator: lineEnd))
    #expect(usageCounts(reading.usage) == [25, 12, 7, 0])
    #expect(reading.responseModel == "m")
  }

  @Test func anthropicDeltasReplaceTheCountsTheyName() throws {
    let start = #"{"message":{"usage":{"input_tokens":25,"output_tokens":1}}}"#
    #expect(
      usageCounts(
        try response(start + #"{"usage":{"input_tokens":40,"output_tokens":12}}"#).usage)
        == [40, 12, 0, 0])
    // Before any delta the known counts are valid.
    #expect(usageCounts(try response(start).usage) == [25, 1, 0, 0])
    // A delta's null is no count.
    #expect(
      usageCounts(
        try response(start + #"{"usage":{"input_tokens":null,"output_tokens":12}}"#).usage)
        == [25, 12, 0, 0])
    let compacted =
      #"{"usage":{"output_tokens":12,"iterations":["#
      + #"{"type":"compaction","input_tokens":100,"output_tokens":8},"#
      + #"{"type":"message","input_tokens":25,"output_tokens":12}]}}"#
    #expect(usageCounts(try response(start + compacted).usage) == [125, 20, 0, 0])
  }

  @Test func chunksWithoutCountsReplaceNothing() throws {
    let reading = try response(
      #"[{"usageMetadata":{"promptTokenCount":5,"candidatesTokenCount":3,"totalTokenCount":8}},"#
        + #"{"usageMetadata":{"totalTokenCount":8}},{"usageMetadata":{"trafficType":"ON_DEMAND"}}]"#
    )
    #expect(usageCounts(reading.usage) == [5, 3, 0, 0])
    // Gemini's later chunks are complete: a missing count is 0.
    let later = try response(
      #"[{"usageMetadata":{"promptTokenCount":5,"cachedContentTokenCount":2}},"#
        + #"{"usageMetadata":{"promptTokenCount":5,"candidatesTokenCount":3}}]"#)
    #expect(usageCounts(later.usage) == [5, 3, 0, 0])
  }

  @Test func reportsAMissingUsage() throws {
    for text in [#"{"id":"c","choices":[]}"#, "[]", ": nothing\n\n", "data: [DONE]\n\n"] {
      #expect(try response(text).usage == .unreadable(raw: "", reason: "there is no usage"))
    }
    let background = try response(#"{"object":"response","status":"queued","usage":null}"#)
    #expect(background.usage == .unreadable(raw: "null", reason: "the usage is null"))
  }

  @Test func refusesOtherText() {
    for text in ["", " \n", "\r\n\t"] { #expect(error(text)?.code == .invalidRequest) }
    for text in ["17", "\"data: x\"", "[1]", "[[{}]]", "data: 1\n\n", #"{"a":1,"a":2}"#] {
      #expect(error(text)?.code == .invalidRequest, "\(text)")
    }
    for text in ["hello", "{\"usage\":", "[{}", "data: {\n\n", "data: ping\n\n", "{} x", "[DONE]"] {
      #expect(error(text)?.code == .invalidJSON, "\(text)")
    }
  }

  @Test(arguments: [
    ("{\"a\":1}\n{\"b\" 2}", 2, 13),
    ("data: {}\n\ndata: {\"b\" 2}\n", 3, 21),
    ("data: {}\r\rdata: {\"b\" 2}\r", 3, 21),
    ("\u{feff}: c\r\n\r\ndata: nope\r\n\r\n", 3, 16),
  ])
  func saysWhereTextIsMalformed(_ text: String, line: Int, offset: Int) {
    var found: [Int] = []
    for detail in error(text)?.details ?? [] {
      switch detail {
      case .line(let line): found.append(line)
      case .offset(let offset): found.append(offset)
      default: break
      }
    }
    #expect(found == [line, offset])
  }

  @Test func refusesTooMuch() {
    let bytes = MutableBytes.allocate(
      byteCount: ResponseReader.byteLimit + 1, alignment: 1)
    defer { bytes.deallocate() }
    #expect(throws: CreditError.self) {
      try ResponseReader.read(Bytes(bytes))
    }
  }
}
