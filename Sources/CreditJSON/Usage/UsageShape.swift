import CreditModel

/// One provider family's form of a call's usage: one row of `UsageShape.all`.
///
/// A class, so that a row is passed as one reference.
public final class UsageShape: Sendable {
  /// The meaning of an absent count.
  enum Absence: Sendable {
    /// The usage cannot be read.
    case refused
    /// The count is 0, as zeros are omitted, unless a total shows more.
    case zero
    /// The count is 0 if there is a total that shows no more.
    case zeroByTotal
    /// The count is 0 if another count that no other includes is there.
    case zeroBesideOthers
  }

  /// The relation of the input's count to the cache's.
  public enum CacheCounts: Sendable {
    /// The cache's counts are part of the input's.
    case insideInput
    /// The cache's counts come on top of the input's.
    case besideInput
  }

  public let name: StaticString
  /// The provider's page on these members: for who reads or checks the table, not for the tools.
  public let documentation: StaticString
  /// One of `anyOf` is present, one of `alsoAnyOf` if not empty, none of `noneOf`.
  let anyOf: [MemberPath]
  private let anyBits: UInt64
  let alsoAnyOf: [MemberPath]
  /// Marks of the response: one of them does instead of a member of `alsoAnyOf`.
  let orWithin: ResponseMarks
  let noneOf: [MemberPath]
  /// The response has one of these marks, if the counts alone do not identify the shape.
  let within: ResponseMarks

  /// Every number known by name. Any other number, outside of the lists, may be billed.
  public let fields: [UsageField]
  /// Bits of the hashes of their paths: two words, as a table may have many fields.
  private let fieldBits: (UInt64, UInt64)
  public let lists: [UsageList]
  let absentInput: Absence
  let absentOutput: Absence
  public let cacheCounts: CacheCounts

  /// Places in the response with further conditions of the price: fields of `besideUsage`.
  let beside: [MemberPath]
  /// Whether a later usage of a stream replaces single counts instead of all.
  let replacesCounts: Bool
  /// Usages of the call's steps, for a shape whose own counts may omit some.
  let iterations: MemberPath?
  /// Whether the counts are among a response's other members. Then other members are not counts.
  let isInlined: Bool
  /// True for a request's form. It has our own counts by name besides `fields`, none of them may be
  /// `null`, and the model is the request's.
  let isOwnForm: Bool
  /// Whether the input counts units rather than tokens.
  public let isUnits: Bool
  /// True if the provider writes whole numbers with a point, too: `5.0`.
  let writesPoints: Bool

  init(
    _ name: StaticString, _ documentation: StaticString,
    anyOf: [MemberPath], alsoAnyOf: [MemberPath] = [], orWithin: ResponseMarks = [],
    noneOf: [MemberPath] = [], within: ResponseMarks = [], absentInput: Absence = .refused,
    absentOutput: Absence = .refused,
    cacheCounts: CacheCounts = .besideInput, beside: [MemberPath] = [],
    replacesCounts: Bool = false, iterations: MemberPath? = nil,
    isInlined: Bool = false, isOwnForm: Bool = false, isUnits: Bool = false,
    writesPoints: Bool = false,
    _ fields: [UsageField], lists: [UsageList] = []
  ) {
    self.name = name
    self.documentation = documentation
    self.anyOf = anyOf
    anyBits = anyOf.reduce(0) { $0 | $1.headBit }
    self.alsoAnyOf = alsoAnyOf
    self.orWithin = orWithin
    self.noneOf = noneOf
    self.within = within
    self.fields = fields
    fieldBits = fields.reduce((0, 0)) { bits, field in
      let bit = JSONValue.nameBit(field.hash)
      return field.hash & 0x40 == 0 ? (bits.0 | bit, bits.1) : (bits.0, bits.1 | bit)
    }
    self.lists = lists
    self.absentInput = absentInput
    self.absentOutput = absentOutput
    self.cacheCounts = cacheCounts
    self.beside = beside
    self.replacesCounts = replacesCounts
    self.iterations = iterations
    self.isInlined = isInlined
    self.isOwnForm = isOwnForm
    self.isUnits = isUnits
    self.writesPoints = writesPoints
  }

  /// Returns true if a usage is of this shape.
  /// - Parameter response: the response of the usage, if known.
  func fits(_ usage: SearchedObject, in response: SearchedObject?) -> Bool {
    if usage.nameBits & anyBits == 0 { return false }
    if !within.isEmpty {
      guard let response, within.anyOccurs(in: response) else { return false }
    }
    return anyOf.contains { $0.isPresent(in: usage) }
      && (alsoAnyOf.isEmpty || alsoAnyOf.contains { $0.isPresent(in: usage) }
        || response.map(orWithin.anyOccurs) ?? false)
      && !noneOf.contains { $0.isPresent(in: usage) }
  }

  /// Returns the meaning of a path in the usage. Nil if the table lacks it.
  /// - Parameter place: see ``meaning(_:from:if:)``.
  func meaning(of path: Bytes, from place: inout Int) -> UsageField.Meaning? {
    meaning(path.nameHash, from: &place) { path.equals($0) }
      ?? (isOwnForm ? ownMeaning(of: path) : nil)
  }

  /// Returns the meaning of a member of the usage itself. Nil if the table lacks it.
  /// - Parameter place: see ``meaning(_:from:if:)``.
  func meaning(of name: JSONValue, from place: inout Int) -> UsageField.Meaning? {
    meaning(name.nameHash, from: &place) { name.utf8Equals($0) }
      ?? (isOwnForm ? name.withUTF8(ownMeaning) ?? nil : nil)
  }

  /// Returns the meaning of the field with a hash whose path is the wanted one. Each path is in the
  /// table once.
  /// - Parameter place: the field that is looked at first; becomes the one behind that found.
  @inline(__always)
  private func meaning(_ hash: UInt32, from place: inout Int, if isWanted: (StaticString) -> Bool)
    -> UsageField.Meaning?
  {
    let bits = hash & 0x40 == 0 ? fieldBits.0 : fieldBits.1
    if bits & JSONValue.nameBit(hash) == 0 { return nil }
    let fields = fields
    let start = min(place, fields.count)
    let found =
      fields.indices[start...].first { fields[$0].hash == hash && isWanted(fields[$0].path) }
      ?? fields.indices[..<start].first { fields[$0].hash == hash && isWanted(fields[$0].path) }
    guard let found else { return nil }
    place = found + 1
    return fields[found].meaning
  }

  /// Returns true if `null` at a path means an absent value. A request's own count that is `null`
  /// is refused, as a misspelt path is more likely than a call without usage.
  func allowsNull(at path: Bytes) -> Bool { !isOwnForm || ownMeaning(of: path) == nil }

  private func ownMeaning(of path: Bytes) -> UsageField.Meaning? {
    for count in UsageCount.allCases where path.equals(count.row.member) { return .beside(count) }
    for condition in UsageCondition.allCases where path.equals(condition.member) {
      return .condition(condition)
    }
    return nil
  }

  func hasField(beginning path: Bytes) -> Bool {
    fields.contains { Bytes($0.path).starts(with: path) }
  }

  /// The name of the first field that means one of these, for a message.
  var inputName: StaticString {
    fields.first { if case .input = $0.meaning { true } else { false } }?.path ?? "input"
  }

  /// The name of the reasoning in the table, for a message.
  func reasoningName(isApart: Bool) -> StaticString {
    let field = fields.first {
      switch $0.meaning {
      case .reasoning: !isApart
      case .reasoningApart: isApart
      default: false
      }
    }
    return field?.path ?? "reasoning"
  }

  var outputName: StaticString {
    fields.first { if case .output = $0.meaning { true } else { false } }?.path ?? "output"
  }
}

/// The known shapes, and the places of a usage in a request or a response.
extension UsageShape {
  /// The first one that fits counts.
  public static let all = early + late

  private static let early: [UsageShape] = [
    ownTokens, chat, geminiEmbeddings, gemini, interactions, geminiInPython, cohere,
    countedImages, images, speech, responses, anthropic,
  ]

  /// The rest, which few processes make.
  private static let late: [UsageShape] = [
    inputOnly, mistralOCR, duration, ollama, llamaCpp, llamaCppNative, titan, llama,
    watsonx, vertexPredictions, geminiCommand, ownCounts, ownUnits,
  ]

  /// Members that always are a usage: one that fits no shape is malformed, not absent.
  public static let usageMembers: [MemberPath] = [
    "usage",
    "response.usage",  // OpenAI Responses, streamed
    "choices.0.usage",  // Moonshot, streamed
    "x_groq.usage",  // Groq, streamed
    "message.usage",  // Anthropic, streamed
    "metadata.usage",  // Bedrock Converse, streamed
    "delta.usage",  // Cohere v2, streamed
    "usageMetadata",  // Gemini
    "usage_metadata",  // Gemini, as Python prints it
    "usage_info",  // Mistral OCR
    "interaction.usage",  // Gemini Interactions, streamed
    "result.usage",  // Cloudflare Workers AI
  ]

  /// Objects that may hold a usage among other members.
  public static let usageHolders: [MemberPath] = [
    "meta",  // Cohere v1
    "response.meta",  // Cohere v1, streamed
    "",  // Ollama, llama.cpp, Bedrock InvokeModel, Vertex AI predict
  ]

  /// The paths of a response's cost in dollars, unless its usage has it. LiteLLM:
  /// https://docs.litellm.ai/docs/proxy/cost_tracking. In the usage the cost is the `cost` of
  /// OpenRouter, https://openrouter.ai/docs/use-cases/usage-accounting (with `cost_details`), whose
  /// `total_cost` is Perplexity's, https://docs.perplexity.ai/api-reference/chat-completions-post,
  /// or the `cost_usd_total` of LLM Gateway, https://docs.llmgateway.io/features/cost-breakdown.
  /// The output of `claude -p --output-format json` has `total_cost_usd`:
  /// https://code.claude.com/docs/en/headless
  static let costs: MemberPaths = ["response_cost", "spend", "total_cost_usd"]

  /// The place of a response's model name.
  static let models: MemberPaths = [
    "model", "response.model", "message.model", "modelVersion", "interaction.model",
    "model_version", "model_id", "result.model", "response_metadata.model_name",
  ]

  /// Returns the shape of a usage; nil if it fits no shape.
  /// - Parameter response: the response of the usage, if known.
  static func shape(of usage: SearchedObject, in response: SearchedObject? = nil) -> UsageShape? {
    // A value that is no object has no names.
    early.first { $0.fits(usage, in: response) } ?? late.first { $0.fits(usage, in: response) }
  }

  /// Our names of providers' values for conditions. Google's traffic types are
  /// cloud.google.com/vertex-ai/generative-ai/docs/reference/rest/v1/GenerateContentResponse; a
  /// number replaces one if enumerations are encoded as such. Its tiers may have the name of their
  /// enumeration before them. `fast` is OpenAI's other name of `priority`:
  /// https://platform.openai.com/docs/guides/priority-processing
  static func plainCondition(_ text: String, of condition: UsageCondition, isOwnForm: Bool)
    -> String?
  {
    let enumeration = "SERVICE_TIER_"
    let text = text.hasPrefix(enumeration) ? String(text.dropFirst(enumeration.utf8.count)) : text
    return switch text {
    case "fast" where condition == .serviceTier && !isOwnForm: "priority"
    case "ON_DEMAND_PRIORITY": "priority"
    case "ON_DEMAND_FLEX": "flex"
    case "PROVISIONED_THROUGHPUT", "2": "provisioned_throughput"
    case "0", "1", "TRAFFIC_TYPE_UNSPECIFIED", "UNSPECIFIED", "unspecified": nil
    default: text
    }
  }
}
