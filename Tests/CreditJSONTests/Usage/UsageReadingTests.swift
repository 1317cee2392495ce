import CreditModel
import Testing

@testable import CreditJSON

/// Usage that cannot be read, and whose response it is.
@Suite struct UsageReadingTests {
  @Test func noStepOfAPathIsEmpty() throws {
    try JSONDocument(#"{"a":[{"b":7}]}"#).withRoot { root in
      #expect(root.descendant("a.0.b")?.int64 == 7)
      for path in ["a..b", "a.", "a", ".a"] {
        #expect(root.descendant(path)?.kind == (path == "a" ? .array : nil))
      }
    }
  }

  @Test(arguments: [
    // Invalid counts.
    (#"{"inputTokens":1.5,"outputTokens":1}"#, "inputTokens must be a whole number"),
    (#"{"inputTokens":1.0,"outputTokens":1}"#, "not 1.0"),
    (#"{"inputTokens":1e3,"outputTokens":1}"#, "not 1e3"),
    (#"{"inputTokens":-1,"outputTokens":1}"#, "not -1"),
    (#"{"inputTokens":"1200","outputTokens":1}"#, "not text"),
    (#"{"inputTokens":null,"outputTokens":1}"#, "not null"),
    (#"{"inputTokens":1,"outputTokens":1,"cacheReadTokens":null}"#, "not null"),
    (#"{"inputTokens":true,"outputTokens":1}"#, "not a truth value"),
    (#"{"inputTokens":9223372036854775808,"outputTokens":1}"#, "9223372036854775807"),
    (#"{"inputTokens":[1],"outputTokens":{}}"#, "not an array"),
    (#"{"units":-1}"#, "units must be"),
    (#"{"prompt_tokens":12,"completion_tokens":2.25,"total_tokens":14.25}"#, "completion_tokens"),
    (
      #"{"prompt_tokens":12,"completion_tokens":2,"prompt_tokens_details":{"cached_tokens":"4"}}"#,
      "prompt_tokens_details.cached_tokens"
    ),
    // Counts that are missing.
    (#"{"inputTokens":1}"#, "outputTokens is missing"),
    (#"{"prompt_tokens":12}"#, "completion_tokens is missing"),
    (#"{"prompt_tokens":12,"total_tokens":20}"#, "completion_tokens is missing"),
    (#"{"completion_tokens":12,"total_tokens":12}"#, "prompt_tokens is missing"),
    (#"{"input_tokens":12}"#, "output_tokens is missing"),
    (#"{"input_tokens":null,"output_tokens":2}"#, "input_tokens is missing"),
    // Counts that contradict one another, or are too large together.
    (
      #"{"prompt_tokens":12,"completion_tokens":2,"prompt_tokens_details":{"cached_tokens":13}}"#,
      "more than prompt_tokens"
    ),
    (
      #"{"prompt_tokens":12,"completion_tokens":2,"#
        + #""prompt_tokens_details":{"cached_tokens":8,"cache_write_tokens":8}}"#,
      "more than prompt_tokens"
    ),
    (
      #"{"input_tokens":1,"output_tokens":1,"input_tokens_details":{"cached_tokens":"#
        + #"9223372036854775807,"cache_write_tokens":9223372036854775807}}"#,
      "more than input_tokens"
    ),
    (
      #"{"promptTokenCount":9223372036854775807,"toolUsePromptTokenCount":1}"#, "add up to more"
    ),
    (
      #"{"candidatesTokenCount":9223372036854775807,"thoughtsTokenCount":1}"#, "add up to more"
    ),
    // No counts.
    (#"{}"#, "none of the counts"),
    (#"{"total_tokens":43}"#, "inputTokens, prompt_tokens"),
    (#"{"totalTokenCount":43}"#, "none of the counts"),
    (
      #"{"inputTokens":1,"outputTokens":1,"units":1}"#,
      "inputTokens and units belong to two forms"
    ),
    // Members beside units would not be billed.
    (#"{"units":5,"webSearches":100}"#, "units and webSearches belong to two forms"),
    (#"{"cacheReadTokens":1,"units":5}"#, "units and cacheReadTokens belong to two forms"),
    (#"{"units":0,"cacheWrite1hTokens":1}"#, "units and cacheWrite1hTokens belong to two forms"),
    (#"{"units":5,"serviceTier":"priority"}"#, "units and serviceTier belong to two forms"),
    (#"{"billed_units":{"classifications":1}}"#, "none of the counts"),
    (#"null"#, "the usage is null"),
    (#"17"#, "must be an object of counts"),
    (#"[]"#, "must be an object of counts"),
  ])
  func refuses(_ usage: String, because phrase: String) throws {
    let reported = try usageReading(of: #"{"model":"m","usage":"# + usage + "}").usage
    #expect(usageReason(reported)?.contains(phrase) == true, "\(reported)")
    guard case .unreadable(let raw, _) = reported else { return }
    #expect(raw == usage)
  }

  @Test func countsOfZeroAndOrdinaryConditionsMayBeBesideUnits() throws {
    for beside in [#""webSearches":0,"cacheWriteTokens":0"#, #""serviceTier":"Standard""#] {
      let reading = try usageReading(of: #"{"usage":{"units":5,\#(beside)}}"#)
      #expect(reading.usage == .counts(.units(5)))
    }
  }

  @Test func refusesSumsOfStepsThatOverflow() throws {
    let step = #"{"type":"compaction","input_tokens":9223372036854775807,"output_tokens":0}"#
    let reading = try usageReading(
      of: #"{"usage":{"input_tokens":1,"output_tokens":1,"iterations":[\#(step),\#(step)]}}"#)
    #expect(usageReason(reading.usage)?.contains("add up to more") == true)
  }

  @Test func geminiCountsThatTheTotalContradicts() throws {
    let reading = try usageReading(
      of: #"{"usageMetadata":{"candidatesTokenCount":5,"totalTokenCount":50}}"#)
    #expect(usageReason(reading.usage)?.contains("promptTokenCount is missing") == true)
  }

  @Test func reportsAMissingUsage() throws {
    let missing = try usageReading(of: #"{"model":"m"}"#)
    #expect(missing.usage == .unreadable(raw: "", reason: "there is no usage"))
    #expect(!missing.isResponse)
  }

  @Test func keepsTheTextCompactAndShort() throws {
    let loose = try usageReading(of: "{\"usage\": {\n \"total_tokens\" : 43,\t\"a\": [1, {}] } }")
    guard case .unreadable(let raw, _) = loose.usage else { return #expect(Bool(false)) }
    #expect(raw == #"{"total_tokens":43,"a":[1,{}]}"#)
    for padding in 0..<4 {
      let text = String(repeating: "x", count: padding) + String(repeating: "€", count: 600)
      let long = try usageReading(of: #"{"usage":{"a":"\#(text)","b":1}}"#)
      guard case .unreadable(let raw, _) = long.usage else { return #expect(Bool(false)) }
      #expect((1022...1024).contains(raw.utf8.count))
      #expect(#"{"a":"\#(text)","b":1}"#.hasPrefix(raw.prefix { $0 != "…" }))
    }
  }

  @Test func tellsLongTextsApart() throws {
    func raw(_ usage: String) throws -> String? {
      guard case .unreadable(let raw, _) = try usageReading(of: #"{"usage":\#(usage)}"#).usage
      else { return nil }
      return raw
    }
    let text = String(repeating: "x", count: 1100)
    let one = try raw(#"{"a":"\#(text)","b":1}"#)
    #expect(try one != raw(#"{"a":"\#(text)","b":2}"#))
    #expect(try one != raw(#"{"a":"\#(text)"}"#))
    #expect(try one == raw(#"{ "a": "\#(text)", "b": 1 }"#))
    // The longest text that is kept as it is, and the shortest that isn't.
    let fitting = #""\#(String(repeating: "x", count: 1022))""#
    #expect(try raw(fitting) == fitting)
    let longer = #""\#(String(repeating: "x", count: 1023))""#
    #expect(try raw(longer)?.utf8.count == 1024 && raw(longer)?.contains("…") == true)
  }

  @Test(
    arguments: [
      (#"{"model":"m","usage":{"inputTokens":1,"outputTokens":1}}"#, nil),
      (#"{"model":"m","usage":{"inputTokens":"x","outputTokens":1}}"#, nil),
      (#"{"model":"m","usage":{"units":1}}"#, nil),
      (#"{"model":"m","usage":{"total_tokens":1}}"#, nil),
      (#"{"model":"m","usage":null}"#, nil),
      (#"{"model":"m","usage":{"prompt_tokens":1,"completion_tokens":1}}"#, "m"),
      (#"{"model":"m","usage":{"prompt_tokens":-1,"completion_tokens":1}}"#, "m"),
      (#"{"object":"list","model":"m","usage":{"total_tokens":1}}"#, "m"),
      (#"{"modelVersion":"m","usageMetadata":{"promptTokenCount":1}}"#, "m"),
      (#"{"message":{"model":"m","usage":{"input_tokens":1,"output_tokens":1}}}"#, "m"),
      (#"{"response":{"model":"m","usage":{"input_tokens":1,"output_tokens":1}}}"#, "m"),
    ] as [(String, String?)])
  func tellsResponsesFromRequests(_ text: String, model: String?) throws {
    let reading = try usageReading(of: text)
    #expect(reading.responseModel == model)
    #expect(reading.isResponse == (model != nil))
  }
}
