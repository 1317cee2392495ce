import CreditModel
import Foundation
import Testing

@testable import CreditJSON
@testable import TestSupport

/// Streams that end too early, each by the rule of its form.
@Suite(.slow) struct CutResponseTests {
  /// The outcome of a text, or its error's code.
  private func outcome(_ text: String) -> String {
    do throws(CreditError) {
      return try response(text).outcomeText
    } catch {
      return error.code.rawValue
    }
  }

  @Test(arguments: Stream.all)
  func isCutAfterEachEvent(_ stream: Stream) throws {
    for count in 1...stream.events.count {
      for text in [stream.lines(count), stream.elements(count)] {
        let reading = try response(text)
        // The closing word is no event of these.
        let isComplete = count >= stream.completeFrom
        #expect(reading.outcomeText == (isComplete ? "complete" : "cut"), "\(text)")
        if isComplete { #expect(usageText(reading.usage) == stream.usage) }
      }
    }
    for count in 1...(stream.events.count + 1) {
      let reading = try response(stream.sent(count))
      #expect(reading.outcomeText == (count >= stream.completeFrom ? "complete" : "cut"))
    }
  }

  @Test(arguments: Stream.all)
  func isNeverTakenForMoreThanItIs(_ stream: Stream) {
    stream.expectNoOtherUsage { try? response($0) }
  }

  @Test func reportsTheKnownUsage() throws {
    let start = Stream.all[6].events[0]
    let reading = try response(start)
    #expect(reading.outcomeText == "cut")
    #expect(
      usageText(reading.usage)
        == #"{"inputTokens":5,"outputTokens":1,"cacheWriteTokens":2,"cacheWrite1hTokens":7,"#
        + #""serviceTier":"batch"}"#)
    // On a line it is no more than that either.
    #expect(try usageReading(of: start).outcomeText == "cut")
  }

  @Test func tellsTextThatIsCutFromTextThatIsWrong() {
    #expect(outcome("data: {\"type\":\"message_st") == "cut")
    #expect(outcome("data: {\"type\":\"message_st\n\n") == "invalid_json")
    #expect(outcome(Stream.all[6].lines(2) + "{\"type\":\"cont") == "cut")
    #expect(outcome(Stream.all[6].lines(2) + "{\"type\" 7}\n{}\n") == "invalid_json")
    #expect(outcome("{\"type\":\"message_st") == "invalid_json")
    // Everything billed came before the cut.
    #expect(outcome(Stream.all[0].sent(3) + "data: [DO") == "complete")
  }

  /// A transcript has the message as it stood when it began, and then as it ended.
  @Test func aPlaceholderIsNotAFinalUsage() throws {
    func line(_ output: Int, _ reason: String) -> String {
      #"{"type":"assistant","requestId":"q","message":{"id":"m1","type":"message","model":"m","#
        + #""stop_reason":\#(reason),"usage":{"input_tokens":5,"output_tokens":\#(output)}}}"#
    }
    #expect(try usageReading(of: line(1, "null")).outcomeText == "cut")
    #expect(try usageReading(of: line(9, #""tool_use""#)).outcomeText == "complete")
    let both = try response(line(1, "null") + "\n" + line(9, #""tool_use""#))
    #expect(both.outcomeText == "complete")
    #expect(usageCounts(both.usage) == [5, 9, 0, 0])
  }

  @Test(arguments: [
    (#"{"object":"response","status":"queued","usage":null}"#, "cut"),
    (#"{"object":"thread.run","status":"requires_action","usage":null}"#, "cut"),
    (
      #"""
      {"id":"m","type":"message","stop_reason":null,"usage":{"input_tokens":1,"output_tokens":1}}
      """#,
      "cut"
    ),
    (#"{"candidates":[{"content":{}}],"usageMetadata":{"promptTokenCount":1}}"#, "cut"),
    (#"{"done":false,"prompt_eval_count":1,"eval_count":1}"#, "cut"),
    (#"{"choices":[{"delta":{}}],"usage":{"prompt_tokens":1,"completion_tokens":1}}"#, "cut"),
    // Not all that providers leave out is a sign.
    (
      #"""
      {"choices":[{"message":{},"finish_reason":null}],"usage":{"prompt_tokens":1,\#
      "completion_tokens":1}}
      """#,
      "complete"
    ),
    (#"{"candidates":[],"usageMetadata":{"promptTokenCount":1}}"#, "complete"),
    (#"{"usageMetadata":{"promptTokenCount":1}}"#, "complete"),
    (#"{"type":"message","usage":{"input_tokens":1,"output_tokens":1}}"#, "complete"),
    (
      #"{"object":"response","status":"incomplete","usage":{"input_tokens":1,"output_tokens":1}}"#,
      "complete"
    ),
    // Requests of our own have their own words.
    (
      #"""
      {"model":"m","usage":{"inputTokens":1,"outputTokens":1,"cacheReadTokens":1},"done":false,\#
      "status":"queued"}
      """#,
      "complete"
    ),
    (#"{"model":"m","key":"k","done":false}"#, "complete"),
  ])
  func oneObjectShowsWhetherItIsComplete(_ text: String, outcome: String) throws {
    #expect(try usageReading(of: text).outcomeText == outcome)
  }

  /// The streams that providers sent, cut after lines from the first to the last.
  @Test(.enabled(if: FileManager.default.fileExists(atPath: UsageManifestTests.manifest.path)))
  func realStreamsAreCut() throws {
    let folder = UsageManifestTests.folder.appending(path: "payloads")
    let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
    var cuts = 0
    while let file = files?.nextObject() as? URL {
      guard ["sse", "ndjson"].contains(file.pathExtension) else { continue }
      let text = try String(contentsOf: file, encoding: .utf8)
      let whole = try response(text)
      let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
      for count in stride(from: lines.count - 1, to: 0, by: -max(1, lines.count / 20)) {
        let start = lines[..<count].joined(separator: "\n") + "\n"
        guard let reading = try? response(start) else { continue }
        if reading.outcomeText == "complete", case .counts = reading.usage {
          #expect(reading.usage == whole.usage, "\(file.lastPathComponent), line \(count)")
        }
        cuts += 1
      }
    }
    #expect(cuts > 0)
  }
}
