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
    // OpenAI's type of a reached limit only names its subject, such as tokens.
    var kind = inner.string("code").flatMap { $0.first?.isLetter == true ? $0 : nil }
    for name in ["type", "code", "status", "name", "__type"] as [StaticString] {
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

  /// Returns the message of the first of several errors. FastAPI, which vLLM and Mistral use,
  /// Cloudflare and Stability AI list them.
  private static func first(of errors: JSONValue?) -> String? {
    guard let errors, errors.kind == .array else { return nil }
    let error = errors.elements.first { _ in true }
    return error?.string("msg") ?? error?.string("message") ?? error?.string
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

/// The result that a response without usage shows.
public enum ShownResult {
  /// Number of finished products, such as images.
  case products(Int64)
  /// No product, by its status; nil if a place for products is empty.
  case failed(String?)
  /// Not finished, by its status.
  case pending(String)
  /// Neither a status nor a product that is known.
  case unknown

  /// Members that have a status, or a reason for the end.
  public static let statuses: [StaticString] = [
    "status", "state", "task_status", "finish_reason", "finishReason",
  ]

  /// Parts of a status in lower case: no product, not finished yet, and finished.
  ///
  /// Sources: https://docs.bfl.ai/quick_start/generating_images,
  /// https://docs.fal.ai/model-endpoints/queue,
  /// https://replicate.com/docs/topics/predictions/lifecycle,
  /// https://platform.stability.ai/docs/api-reference and
  /// https://cloud.google.com/vertex-ai/generative-ai/docs/image/responsible-ai-imagen.
  public static let failures = [
    "fail", "error", "moderat", "filter", "cancel", "abort", "reject", "not found", "expired",
    "safety", "prohibited", "block", "denied", "nsfw",
  ]
  public static let unfinished = [
    "pending", "queue", "progress", "processing", "start", "submit", "wait", "running", "accepted",
  ]
  public static let endings = ["succe", "complete", "finish", "ready", "done"]

  /// Members that have products.
  public static let places: [StaticString] = [
    "data", "images", "image", "artifacts", "output", "outputs", "result", "results", "predictions",
    "video", "videos", "audio", "text", "content", "choices", "candidates", "response", "payload",
    "assets", "generations_by_pk", "generated_images", "task_result", "image_urls", "embedding",
    "embeddings", "base64", "b64_json",
  ]

  static func of(_ value: JSONValue) -> ShownResult {
    switch value.kind {
    case .null, .false: return .unknown
    case .true, .number: return .products(1)
    case .string: return value.utf8Equals("") ? .failed(nil) : .products(1)
    case .object: return of(object: value)
    case .array:
      var (count, reason): (Int64, String?) = (0, nil)
      for element in value.elements {
        switch of(element) {
        case .products: count += 1
        case .unknown where element.isObject: count += 1
        case .failed(let status): reason = reason ?? status
        case .pending, .unknown: break
        }
      }
      return count > 0 ? .products(count) : .failed(reason)
    }
  }

  private static func of(object: JSONValue) -> ShownResult {
    // Imagen's, in the place of an image.
    if let reason = object.string("raiFilteredReason") { return .failed(reason) }
    var shown = object.nodeCount == 1 ? ShownResult.failed(nil) : .unknown
    for name in statuses {
      guard let text = object.string(name) else { continue }
      let status = text.lowercased()
      if failures.contains(where: status.utf8.contains) { return .failed(text) }
      if unfinished.contains(where: status.utf8.contains) { return .pending(text) }
      if endings.contains(where: status.hasPrefix) { shown = .products(1) }
    }
    var empty: ShownResult?
    for name in places {
      guard let value = object.member(name) else { continue }
      switch of(value) {
      case .unknown where value.isObject: return .products(1)
      case .unknown: break
      case .failed(let status): empty = empty ?? .failed(status)
      case let found: return found
      }
    }
    return empty ?? shown
  }

  /// Why a response is not charged; nil if it is.
  /// - Parameter isOfKnownForm: true if its form shows that it is whole.
  func problem(isOfKnownForm: Bool) -> CreditError? {
    switch self {
    case .products: nil
    case .failed(let status?): ResponseFailure(kind: status, message: nil).error
    case .failed(nil): CreditError(.failedResponse, "the response failed: it has an empty result")
    case _ where isOfKnownForm: nil
    case .pending(let status):
      CreditError(.cutResponse, "the response is not finished: its status is \(quoted(status))")
    case .unknown:
      CreditError(
        .cutResponse, "the response has no result of a known name, such as data, images or output")
    }
  }
}
