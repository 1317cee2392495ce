public import CreditModel

/// A line of the file of results that a provider's batch interface makes: one request's response.
///
/// Sources: https://platform.openai.com/docs/api-reference/batch/request-output and
/// https://docs.claude.com/en/api/retrieving-message-batch-results,
/// https://ai.google.dev/gemini-api/docs/batch-api, https://docs.x.ai/docs/guides/batch-api and
/// https://docs.aws.amazon.com/bedrock/latest/userguide/batch-inference-results.html.
public struct BatchLine {
  /// The request's name, which is unique within its batch.
  public let customID: String?
  public let responseID: String?
  /// Why there is no billed response.
  let failure: ResponseFailure?

  private static let bodies: MemberPaths = [
    "response.body", "result.message", "batch_result.response.chat_get_completion", "modelOutput",
  ]
  /// Members of Gemini's responses, which are on the line as they are.
  private static let geminiMembers: MemberPaths = [
    "response.candidates", "response.usageMetadata",
  ]

  /// Reads a line; nil otherwise.
  init?(_ line: SearchedObject) {
    let body = Self.body(in: line)
    let result = line.member("result")
    let isNamed = line.member("custom_id") != nil || line.member("modelInput") != nil
    let isResult =
      result?.member("type") != nil || line.member("response") != nil
      || line.member("error") != nil
    guard body != nil || isNamed && isResult else { return nil }
    customID =
      line.string("custom_id") ?? line.string("batch_request_id") ?? line.string("recordId")
    responseID = body?.member("id")?.word ?? body?.member("responseId")?.word
    failure = Self.failure(of: line, body, result)
  }

  /// Returns the key of its charge: the request's name is unique within its batch only.
  /// - Throws: `invalid_request` if it can't be a key.
  public func key() throws(CreditError) -> Name? {
    guard let responseID else { return nil }
    return try Name(checked: responseID, as: "the response's id")
  }

  /// Returns the response on the line; nil without one.
  public func body(in line: JSONValue) -> JSONValue? { Self.body(in: SearchedObject(line)) }

  private static func body(in line: SearchedObject) -> JSONValue? {
    geminiMembers.first(in: line, where: { !$0.isNull }) != nil
      ? line.member("response") : bodies.first(in: line, where: \.isObject)
  }

  private static func failure(of line: SearchedObject, _ body: JSONValue?, _ result: JSONValue?)
    -> ResponseFailure?
  {
    if let failure = ResponseFailure.error(of: line) { return failure }
    if let result, let type = result.string("type"), type != "succeeded" {
      let error = result.member("error").map(ResponseFailure.init(of:))
      return ResponseFailure(kind: error?.kind ?? type, message: error?.message)
    }
    let status = line.member("response")?.int64("status_code")
    if let status, !(200..<300).contains(status) {
      let error = body.flatMap { ResponseFailure.error(of: SearchedObject($0)) }
      return ResponseFailure(kind: error?.kind ?? String(status), message: error?.message)
    }
    return body == nil ? ResponseFailure(kind: nil, message: "there is no response") : nil
  }
}
