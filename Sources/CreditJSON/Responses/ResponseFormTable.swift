internal import CreditModel

/// The known forms. A chunk has the first form that it matches.
extension ResponseForm {
  public static let all = early + late

  private static let early = [chat, anthropic, responses]

  /// The rest, which few processes make.
  private static let late = [
    batch, geminiInPython, gemini, interactions, bedrock, cohere, cohereV1, ollama, llamaCpp, titan,
  ]

  static func of(_ chunk: SearchedObject) -> ResponseForm? {
    early.first { $0.telling.anyOccurs(in: chunk) }
      ?? late.first { $0.telling.anyOccurs(in: chunk) }
  }

  // Each choice ends with a `finish_reason`. A stream closes with `data: [DONE]`; the chunk before
  // that has no choices but the usage, if that was asked for. Others have the usage in the chunk of
  // the reason, or in every chunk, cumulative.
  // https://platform.openai.com/docs/api-reference/completions is the same with `text` in the place
  // of `delta`.
  private static let chat = ResponseForm(
    "OpenAI Chat Completions",
    "https://platform.openai.com/docs/api-reference/chat-streaming/streaming",
    telling: [ResponseMark("choices")],
    parts: Parts(
      list: "choices", index: "index", reason: "finish_reason", pieces: ["delta", "text"]),
    ids: ["id"],
    endsByWord: true)

  // `message_start`, blocks, one or more `message_delta`, `message_stop`. `stop_reason` is `null`
  // in `message_start` alone; the counts of `message_delta` are cumulative. Claude Code's
  // transcripts have a message in several lines, of which all but the last may be as it was at its
  // start.
  private static let anthropic = ResponseForm(
    "Anthropic Messages",
    "https://docs.claude.com/en/docs/build-with-claude/streaming",
    telling: [
      ResponseMark(
        "type",
        .says([
          "message", "message_start", "message_delta", "message_stop", "content_block_start",
          "content_block_delta", "content_block_stop", "ping",
        ])),
      ResponseMark("message.type", .says(["message"])),
      ResponseMark("stop_reason"), ResponseMark("stop_reason", .isNull),
    ],
    starts: [ResponseMark("type", .says(["message_start"]))],
    open: [
      ResponseMark("message.stop_reason", .isNull), ResponseMark("stop_reason", .isNull),
      ResponseMark("type", .begins("content_block_")), ResponseMark("type", .says(["ping"])),
    ],
    ends: [
      ResponseMark("type", .says(["message_stop"])), ResponseMark("delta.stop_reason"),
      ResponseMark("stop_reason"), ResponseMark("message.stop_reason"),
    ],
    finals: [ResponseMark("type", .says(["message_delta"]))],
    ids: ["message.id", "id"])

  // `response.created`, items, and one of `response.completed`, `response.incomplete`,
  // `response.failed`; Realtime ends with `response.done`. Runs of the Assistants API have the same
  // statuses: https://platform.openai.com/docs/api-reference/runs/object
  private static let responses = ResponseForm(
    "OpenAI Responses",
    "https://platform.openai.com/docs/api-reference/responses-streaming",
    telling: [
      ResponseMark("type", .begins("response.")),
      ResponseMark("object", .says(["response", "thread.run"])),
    ],
    starts: [ResponseMark("type", .says(["response.created"]))],
    open: [
      ResponseMark("status", .says(unfinished)), ResponseMark("response.status", .says(unfinished)),
    ],
    ends: [
      ResponseMark(
        "type", .says(["response.completed", "response.incomplete", "response.done"])),
      ResponseMark("status", .says(["completed", "incomplete"])),
    ],
    ids: ["response.id", "id"])

  private static let unfinished: [StaticString] = [
    "queued", "in_progress", "requires_action", "cancelling",
  ]

  // A batch object has the usage of all requests of the batch, which is final at the batch's end.
  private static let batch = ResponseForm(
    "OpenAI batches",
    "https://platform.openai.com/docs/api-reference/batch/object",
    telling: [OpenAIBodies.batchMark],
    open: [
      ResponseMark("status", .says(["validating", "finalizing"])),
      ResponseMark("status", .says(unfinished)),
    ],
    ends: [ResponseMark("status", .says(["completed", "expired"]))],
    ids: ["id"])

  // A candidate without `finishReason` continues. A blocked prompt has no candidates. All chunks
  // have cumulative counts.
  private static let gemini = ResponseForm(
    "Gemini, Vertex AI",
    "https://ai.google.dev/api/generate-content#candidate",
    telling: [
      ResponseMark("candidates"), ResponseMark("usageMetadata"), ResponseMark("promptFeedback"),
    ],
    ends: [ResponseMark("promptFeedback.blockReason")],
    parts: Parts(
      list: "candidates", index: "index", reason: "finishReason", pieces: [""]),
    ids: ["responseId"])

  private static let geminiInPython = ResponseForm(
    "Gemini, as its library for Python prints it",
    "https://googleapis.github.io/python-genai/genai.html",
    telling: [ResponseMark("usage_metadata")],
    ends: [ResponseMark("prompt_feedback.block_reason")],
    parts: Parts(
      list: "candidates", index: "index", reason: "finish_reason", pieces: [""]),
    ids: ["response_id"])

  private static let interactions = ResponseForm(
    "Gemini Interactions",
    "https://ai.google.dev/api/interactions-api",
    telling: [
      ResponseMark("event_type", .begins("interaction.")),
      ResponseMark("event_type", .begins("step.")),
      ResponseMark("object", .says(["interaction"])),
    ],
    starts: [ResponseMark("event_type", .says(["interaction.created"]))],
    open: [
      ResponseMark("status", .says(["in_progress"])), ResponseMark("event_type", .begins("step.")),
    ],
    ends: [
      ResponseMark("event_type", .says(["interaction.completed", "interaction.complete"])),
      ResponseMark("status", .says(["completed", "requires_action", "incomplete"])),
    ],
    ids: ["interaction.id", "id"])

  // `messageStart`, blocks, `messageStop`, and `metadata` with the usage.
  private static let bedrock = ResponseForm(
    "Amazon Bedrock Converse",
    "https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ConverseStreamOutput.html",
    telling: [
      ResponseMark("messageStart"), ResponseMark("contentBlockStart"),
      ResponseMark("contentBlockDelta"), ResponseMark("contentBlockStop"),
      ResponseMark("messageStop"), ResponseMark("metadata.usage"),
    ],
    starts: [ResponseMark("messageStart")],
    open: [
      ResponseMark("contentBlockStart"), ResponseMark("contentBlockDelta"),
      ResponseMark("contentBlockStop"),
    ],
    ends: [ResponseMark("metadata.usage")])

  // `message-start`, contents, `message-end` with the usage.
  private static let cohere = ResponseForm(
    "Cohere v2",
    "https://docs.cohere.com/v2/docs/streaming",
    telling: [
      ResponseMark("type", .begins("message-")), ResponseMark("type", .begins("content-")),
      ResponseMark("type", .begins("tool-")), ResponseMark("type", .begins("citation-")),
    ],
    starts: [ResponseMark("type", .says(["message-start"]))],
    open: [
      ResponseMark("type", .begins("content-")), ResponseMark("type", .begins("tool-")),
      ResponseMark("type", .begins("citation-")),
    ],
    ends: [ResponseMark("type", .says(["message-end"]))],
    ids: ["id"])

  // `stream-start`, texts, `stream-end` with the whole response.
  private static let cohereV1 = ResponseForm(
    "Cohere v1",
    "https://docs.cohere.com/v1/docs/streaming",
    telling: [ResponseMark("event_type")],
    starts: [ResponseMark("event_type", .says(["stream-start"]))],
    open: [ResponseMark("is_finished", .isFalse)],
    ends: [ResponseMark("event_type", .says(["stream-end"]))],
    ids: ["generation_id", "response.generation_id"])

  // The last line has `"done":true` and the counts.
  private static let ollama = ResponseForm(
    "Ollama",
    "https://docs.ollama.com/api/streaming",
    telling: [ResponseMark("done", .isTrue), ResponseMark("done", .isFalse)],
    open: [ResponseMark("done", .isFalse)],
    ends: [ResponseMark("done", .isTrue)])

  // The last chunk has the reason of the end, and the sum of the output.
  private static let titan = ResponseForm(
    "Amazon Titan",
    "https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-titan-text.html",
    telling: [ResponseMark("completionReason"), ResponseMark("completionReason", .isNull)],
    open: [ResponseMark("completionReason", .isNull)],
    ends: [ResponseMark("completionReason")])

  // The last event has `"stop":true` and the timings.
  private static let llamaCpp = ResponseForm(
    "llama.cpp",
    "https://github.com/ggml-org/llama.cpp/blob/master/tools/server/README.md",
    telling: [ResponseMark("stop", .isTrue), ResponseMark("stop", .isFalse)],
    open: [ResponseMark("stop", .isFalse)],
    ends: [ResponseMark("stop", .isTrue)])
}

/// A mark in a chunk of a response: a member with a certain value.
public struct ResponseMark: Sendable {
  public enum Test: Sendable {
    /// There, and not `null`.
    case isThere
    case isNull
    case isTrue
    case isFalse
    /// One of these texts.
    case says([StaticString])
    /// A text that begins like this.
    case begins(StaticString)
  }

  public let member: MemberPath
  public let test: Test

  init(_ member: MemberPath, _ test: Test = .isThere) {
    self.member = member
    self.test = test
  }

  func occurs(in chunk: SearchedObject) -> Bool {
    guard let value = member.value(in: chunk) else { return false }
    switch test {
    case .isThere: return !value.isNull
    case .isNull: return value.isNull
    case .isTrue: return value.bool == true
    case .isFalse: return value.bool == false
    case .says(let texts): return texts.contains { value.utf8Equals($0) }
    case .begins(let text): return value.withUTF8 { $0.starts(with: Bytes(text)) } ?? false
    }
  }
}

/// Marks that are looked for together, as most chunks have none of them.
public struct ResponseMarks: ExpressibleByArrayLiteral, Sendable {
  public let all: [ResponseMark]
  private let nameBits: UInt64

  public init(arrayLiteral marks: ResponseMark...) {
    all = marks
    nameBits = marks.reduce(0) { $0 | $1.member.headBit }
  }

  var isEmpty: Bool { nameBits == 0 }

  func anyOccurs(in chunk: SearchedObject) -> Bool {
    chunk.nameBits & nameBits != 0 && all.contains { $0.occurs(in: chunk) }
  }
}
