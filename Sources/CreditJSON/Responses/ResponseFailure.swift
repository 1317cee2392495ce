import CreditModel

public struct ResponseFailure {
  /// Its own type or code.
  let kind: String?
  let message: String?
}

extension ResponseFailure {
  /// Statuses of responses that are not billed. One that is `incomplete` is:
  /// https://platform.openai.com/docs/api-reference/responses/object
  public static let failedStatuses: [StaticString] = ["failed", "cancelled", "canceled"]
  private static let statuses: MemberPaths = [
    "status", "response.status", "interaction.status",
  ]

  /// The paths of an error. In order: OpenAI and most others; OpenAI Responses, OpenRouter, Groq
  /// and Cohere, streamed.
  public static let errors: MemberPaths = [
    "error", "response.error", "choices.0.error", "x_groq.error", "delta.error",
  ]

  /// Other places of a failed status' error: Realtime; runs of the Assistants API.
  private static let statusErrors: MemberPaths = ["response.status_details.error", "last_error"]

  /// Cohere's reason for a response's end: https://docs.cohere.com/v2/reference/chat-stream
  private static let endings: MemberPaths = ["finish_reason", "delta.finish_reason"]

  // Errors of Bedrock's streams instead of a further chunk:
  // https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ConverseStreamOutput.html
  public static let exceptions: MemberPaths = [
    "internalServerException", "modelStreamErrorException", "modelTimeoutException",
    "serviceUnavailableException", "throttlingException", "validationException",
  ]

  /// Searches a provider's response, or a chunk of one, for a failure.
  /// - Parameters:
  ///   - hasUsage: true if it has a usage of a known shape: then it is billed in spite of an error,
  ///     unless its status is a failure.
  ///   - isResponse: true if it is known to be a provider's, so that a status is the response's.
  ///   - shown: the result that it shows.
  init?(in chunk: SearchedObject, hasUsage: Bool, isResponse: Bool, beside shown: ShownResult?) {
    var isBilled = hasUsage
    if case .products = shown, chunk.string("error") != nil {
      // An error's text beside results tells of those that are missing.
      isBilled = isBilled || ShownResult.places.contains { chunk.value.member($0)?.kind == .array }
    }
    if isResponse, let failure = Self.status(of: chunk) {
      self = failure
    } else if !isBilled, let failure = Self.error(of: chunk) {
      self = failure
    } else {
      return nil
    }
  }

  private static func status(of chunk: SearchedObject) -> ResponseFailure? {
    let failed = statuses.first(in: chunk, where: { failedStatuses.contains(where: $0.utf8Equals) })
    guard let failed else { return nil }
    return error(at: errors, of: chunk) ?? error(at: statusErrors, of: chunk)
      ?? ResponseFailure(kind: failed.string, message: nil)
  }

  /// Searches a text without usage for an error.
  static func error(of chunk: SearchedObject) -> ResponseFailure? {
    if let failure = error(at: errors, of: chunk) { return failure }
    for path in exceptions.all {
      guard let exception = path.value(in: chunk), exception.isObject else { continue }
      return ResponseFailure(kind: path.text.description, message: exception.string("message"))
    }
    if endings.first(in: chunk, where: { $0.utf8Equals("ERROR") }) != nil {
      return ResponseFailure(kind: "ERROR", message: nil)
    }
    // Anthropic and OpenAI Responses, streamed; Mistral and vLLM; AWS.
    let isError =
      chunk.member("type")?.utf8Equals("error") == true
      || chunk.member("object")?.utf8Equals("error") == true
      || chunk.member("__type") != nil
    return isError ? ResponseFailure(of: chunk.value) : nil
  }

  private static func error(at paths: MemberPaths, of chunk: SearchedObject) -> ResponseFailure? {
    paths.first(in: chunk) { error in
      switch error.kind {
      case .null, .false: nil
      // xAI has its code beside the text.
      case .string: error.word.map { ResponseFailure(kind: chunk.string("code"), message: $0) }
      case .object: error.nodeCount == 1 ? nil : ResponseFailure(of: error)
      default:
        error.nodeCount == 1 && error.kind == .array
          ? nil : ResponseFailure(kind: nil, message: nil)
      }
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
    // A message beside an accepted job's id is no error.
    let isJob = ShownResult.places.contains { response.member($0)?.isObject == true }
    let failure = ResponseFailure(of: response)
    guard failure.message != nil, !isJob else { return nil }
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

  /// Members that are `false` if there is no product.
  private static let refusals: [StaticString] = [
    "success", "is_image_safe", "respect_moderation",
  ]

  /// Members that have products; a text beside others only tells of them.
  public static let places: [StaticString] = [
    "data", "images", "image", "artifacts", "output", "outputs", "result", "results", "predictions",
    "video", "videos", "audio", "choices", "candidates", "response", "payload", "assets",
    "generations_by_pk", "generated_images", "generatedImages", "generated_videos",
    "generatedSamples", "generateVideoResponse", "task_result", "image_urls", "audio_file",
    "audio_url", "audio_base64", "audioContent", "model_mesh", "translations", "embedding",
    "embeddings", "base64", "b64_json", "url", "text", "content",
  ]

  /// Beginnings of names, in lower case, whose texts are no product.
  private static let notes = [
    "status", "state", "type", "@type", "task", "finish", "rai", "error", "code", "msg", "message",
    "created", "updated", "polling", "get", "cancel", "prompt", "content_type", "mime",
  ]

  static func of(_ value: JSONValue, isInner: Bool = false) -> ShownResult {
    switch value.kind {
    case .null, .false: return .unknown
    case .true, .number: return .products(1)
    case .string: return value.utf8Equals("") ? .failed(nil) : .products(1)
    case .object: return of(object: value, isInner: isInner)
    case .array:
      var (count, reason, isOpen): (Int64, String?, Bool) = (0, nil, false)
      for element in value.elements {
        switch of(element, isInner: true) {
        // Numbers, such as those of an embedding, are one product.
        case .products where element.kind == .number: count = max(count, 1)
        case .products(let inner): count += inner
        case .failed(let status): reason = reason ?? status
        case .pending(let status): return .pending(status)
        case .unknown: isOpen = isOpen || element.isObject
        }
      }
      return count > 0 ? .products(count) : isOpen ? .unknown : .failed(reason)
    }
  }

  private static func of(object: JSONValue, isInner: Bool) -> ShownResult {
    for name in refusals where object.member(name)?.kind == .false {
      return .failed("\(name): false")
    }
    var shown = object.nodeCount == 1 ? ShownResult.failed(nil) : .unknown
    var isOpen = false
    for name in statuses {
      guard let text = object.string(name) else { continue }
      let status = text.lowercased()
      // A place on a map, too, is a state.
      if "\(name)" == "state", status.utf8.contains(0x20) { continue }
      let isEnding = endings.contains(where: status.hasPrefix)
      if failures.contains(where: status.utf8.contains) {
        if !isEnding { return .failed(text) }
      } else if unfinished.contains(where: status.utf8.contains) {
        return .pending(text)
      } else if isEnding {
        // An accepted request is a success, too.
        shown = status == "success" ? .pending(text) : .products(1)
      } else {
        isOpen = true
      }
    }
    var (empty, found): (ShownResult?, ShownResult?)
    for name in places {
      guard let value = object.member(name) else { continue }
      let place = "\(name)"
      let isText = place == "text" || place == "content"
      if place == "result", let text = value.string?.lowercased(),
        unfinished.contains(where: text.hasPrefix), !text.utf8.contains(0x20)
      {
        return .pending(text)
      }
      switch of(value, isInner: true) {
      case .unknown:
        // The result of a finished job may have another name.
        if value.isNull, !isText, case .products = shown { shown = .unknown }
        isOpen = isOpen || value.isObject || value.kind == .array
      case .pending(let status): return .pending(status)
      // Silence has no text, and a search may have no results.
      case .failed(nil) where isText || place == "results": break
      case .failed(let status): empty = empty ?? .failed(status)
      case let products: if !isText || empty == nil { found = found ?? products }
      }
    }
    if let found { return found }
    // Those of Imagen and Veo.
    for (name, value) in object.members {
      guard let name = name.string, name.hasPrefix("rai"), name.utf8.contains("iltered") else {
        continue
      }
      if let reason = value.string, !reason.isEmpty { return .failed(reason) }
      if value.int64 ?? 0 > 0 { return .failed(nil) }
    }
    if let empty { return isOpen ? .unknown : empty }
    return isInner && hasPayload(object, "") ? .products(1) : shown
  }

  /// Whether a value has a text other than an id or a status.
  private static func hasPayload(_ value: JSONValue, _ name: String) -> Bool {
    switch value.kind {
    case .string:
      !value.utf8Equals("") && !name.hasSuffix("id") && !name.hasSuffix("ids")
        && name != "model" && !notes.contains(where: name.hasPrefix)
    case .array: value.elements.contains { hasPayload($0, name) }
    case .object:
      value.members.contains { hasPayload($0.value, $0.name.string?.lowercased() ?? "") }
    default: false
    }
  }

  /// True if an unfinished status is the caller's own word. A provider's job, to which an account
  /// and a key were added, has an id, an address or a place for its result.
  static func isOfCaller(_ request: JSONValue) -> Bool {
    let names = request.members.compactMap(\.name.string)
    return ["account", "key", "authorization"].contains(where: names.contains)
      && !names.contains { name in
        ["id", "task", "job", "progress"].contains(name)
          || ["_id", "Id", "url", "Url", "urls"].contains(where: name.hasSuffix)
      }
      && !places.contains { request.member($0) != nil }
  }

  /// Why a response is not charged; nil if it is.
  /// - Parameters:
  ///   - form: its form, which shows that it is whole; nil if that is unknown.
  ///   - isOwn: true if it may be a request.
  func problem(_ form: ResponseForm?, isOwn: Bool) -> CreditError? {
    switch self {
    case .products: nil
    case .unknown where isOwn, .failed(nil) where isOwn: nil
    case .pending(let status) where isOwn && status.lowercased() == "success": nil
    case .failed(let status?): ResponseFailure(kind: status, message: nil).error
    case .failed(nil): CreditError(.failedResponse, "the response failed: it has an empty result")
    case _ where form != nil: nil
    case .pending(let status):
      CreditError(
        .cutResponse,
        "the response is not finished: its status is \(quoted(status)); nothing is charged yet: "
          + "ask again later, or credit-authorize --void ID if it is given up")
    case .unknown:
      CreditError(
        .cutResponse, "the response has no result of a known name, such as data, images or output")
    }
  }
}
