import CreditModel

public struct ResponseFailure {
  /// Its own type or code.
  let kind: String?
  let message: String?

  init(kind: String?, message: String?) {
    self.kind = kind
    self.message = message
  }

  /// Statuses of responses that are not billed. One that is `incomplete` is:
  /// https://platform.openai.com/docs/api-reference/responses/object
  public static let failedStatuses: [StaticString] = ["failed", "cancelled", "canceled"]
  private static let statuses: [MemberPath] = [
    "status", "response.status", "interaction.status",
  ]

  /// The paths of an error. In order: OpenAI and most others; OpenAI Responses, OpenRouter, Groq
  /// and Cohere, streamed.
  public static let errors: [MemberPath] = [
    "error", "response.error", "choices.0.error", "x_groq.error", "delta.error",
  ]

  /// Other places of a failed status' error: Realtime; runs of the Assistants API.
  private static let statusErrors: [MemberPath] = ["response.status_details.error", "last_error"]

  /// Cohere's reason for a response's end: https://docs.cohere.com/v2/reference/chat-stream
  private static let endings: [MemberPath] = ["finish_reason", "delta.finish_reason"]

  // Errors of Bedrock's streams instead of a further chunk:
  // https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ConverseStreamOutput.html
  public static let exceptions: [MemberPath] = [
    "internalServerException", "modelStreamErrorException", "modelTimeoutException",
    "serviceUnavailableException", "throttlingException", "validationException",
  ]

  /// Searches a provider's response, or a chunk of one, for a failure.
  /// - Parameters:
  ///   - hasUsage: true if it has a usage of a known shape: then it is billed in spite of an error,
  ///     unless its status is a failure.
  ///   - isResponse: true if it is known to be a provider's, so that a status is the response's.
  init?(in chunk: SearchedObject, hasUsage: Bool, isResponse: Bool) {
    if isResponse, let failure = Self.status(of: chunk) {
      self = failure
    } else if !hasUsage, let failure = Self.error(of: chunk) {
      self = failure
    } else {
      return nil
    }
  }

  private static func status(of chunk: SearchedObject) -> ResponseFailure? {
    for path in statuses {
      guard let status = path.value(in: chunk),
        failedStatuses.contains(where: { status.utf8Equals($0) })
      else { continue }
      for path in errors + statusErrors {
        if let failure = error(at: path, of: chunk) { return failure }
      }
      return ResponseFailure(kind: status.string, message: nil)
    }
    return nil
  }

  /// Searches a text without usage for an error.
  static func error(of chunk: SearchedObject) -> ResponseFailure? {
    for path in errors {
      if let failure = error(at: path, of: chunk) { return failure }
    }
    for path in exceptions {
      guard let exception = path.value(in: chunk), exception.isObject else { continue }
      return ResponseFailure(kind: path.text.description, message: exception.string("message"))
    }
    if endings.contains(where: { $0.value(in: chunk)?.utf8Equals("ERROR") == true }) {
      return ResponseFailure(kind: "ERROR", message: nil)
    }
    // Anthropic and OpenAI Responses, streamed; Mistral and vLLM; AWS.
    let isError =
      chunk.member("type")?.utf8Equals("error") == true
      || chunk.member("object")?.utf8Equals("error") == true
      || chunk.member("__type") != nil
    return isError ? ResponseFailure(of: chunk.value) : nil
  }

  private static func error(at path: MemberPath, of chunk: SearchedObject) -> ResponseFailure? {
    guard let error = path.value(in: chunk) else { return nil }
    switch error.kind {
    case .null, .false: return nil
    case .string:
      // xAI has its code beside the text.
      let text = error.string ?? ""
      return text.isEmpty ? nil : ResponseFailure(kind: chunk.string("code"), message: text)
    case .object:
      return error.nodeCount == 1 ? nil : ResponseFailure(of: error)
    default:
      return error.nodeCount == 1 && error.kind == .array
        ? nil : ResponseFailure(kind: nil, message: nil)
    }
  }

  /// Reads an error object, or the one within it: Anthropic's batches and OpenRouter have them
  /// nested.
  init(of error: JSONValue) {
    let inner = error.member("error").flatMap { $0.isObject ? $0 : nil } ?? error
    var kind: String?
    for name in ["type", "code", "status", "__type"] as [StaticString] {
      guard kind == nil, let value = inner.member(name), !value.utf8Equals("error") else {
        continue
      }
      let text = value.string ?? value.int64.map { String($0) }
      kind = text?.isEmpty == false ? text : nil
    }
    self.kind = kind
    message =
      inner.string("message") ?? inner.string("Message") ?? inner.string("detail")
      ?? inner.string("error") ?? Self.first(of: inner.member("detail") ?? inner.member("errors"))
  }

  /// Returns the message of the first of several errors. FastAPI, which vLLM and Mistral use, and
  /// Cloudflare list them.
  private static func first(of errors: JSONValue?) -> String? {
    guard let errors, errors.kind == .array else { return nil }
    let error = errors.elements.first { _ in true }
    return error?.string("msg") ?? error?.string("message")
  }

  /// A response with only an error: AWS, Cohere and gateways have just a message.
  init?(plain response: JSONValue) {
    let failure = ResponseFailure(of: response)
    guard failure.message != nil else { return nil }
    self = failure
  }

  /// `failed_response`, with the provider's own words.
  var error: CreditError {
    var message = "the response failed"
    if let kind { message += ": \(quoted(kind))" }
    if let text = self.message { message += (kind == nil ? ": " : ", ") + quoted(text) }
    return CreditError(.failedResponse, message)
  }
}
