public import CreditModel

/// One number, or condition, of a provider's usage: its place and its meaning.
public struct UsageField: Sendable {
  /// The meaning of a number of a usage. Of several names for one number the largest counts.
  public enum Meaning: Sendable {
    case input
    /// Input that the one before leaves out.
    case furtherInput
    case output
    /// Output that the one before leaves out.
    case furtherOutput
    /// Reasoning that is outside of the output if the total shows it.
    case reasoning
    /// The same, which also can't be within an output that is smaller: then it is billed apart.
    case reasoningApart
    /// The sum that the provider writes, which is never billed.
    case total
    case cacheRead
    /// Cache writes of all lifetimes.
    case cacheWrite
    /// Cache writes by lifetime, which a sum of all lifetimes includes.
    case cacheWrite5m
    case cacheWrite1h
    case cacheWrite12h
    /// A part of the input, the output or the cache reads that has its own count.
    case part(UsageCount)
    /// A count that no other includes.
    case beside(UsageCount)
    case condition(UsageCondition)
    /// Tokens included in another number: above 0 they mean this tier of service.
    case served(StaticString)
    /// Included in another number, or not billed; of an object, all of its contents.
    case known
    /// Billed, and no count of ours.
    case unread
    /// All calls of the provider's own tools together: unread unless they are counted by tool.
    case callsInAll
  }

  /// Names from the usage's members on, with dots between them.
  public let path: StaticString
  public let meaning: Meaning
  let hash: UInt32

  init(_ path: StaticString, _ meaning: Meaning) {
    self.path = path
    self.meaning = meaning
    hash = Bytes(path).nameHash
  }
}

/// An array whose elements each name their count: `[{"modality":"AUDIO","tokenCount":5}]`.
///
/// A class, as its tags are: a type for an array of structures is made at start, at 7,500
/// instructions.
public final class UsageList: Sendable {
  /// The meaning of an element with a tag. The tag is a text, in any case, or its number in an
  /// encoding of its own. Prices do not depend on other tags.
  public final class Tag: Sendable {
    public let name: StaticString
    let number: Int64?
    public let meaning: UsageField.Meaning

    init(_ name: StaticString, number: Int64? = nil, _ meaning: UsageField.Meaning) {
      self.name = name
      self.number = number
      self.meaning = meaning
    }
  }

  public let path: StaticString
  /// The member that distinguishes elements; nil if all count the same.
  public let tag: StaticString?
  /// The path of an element's number; nil if each element counts as one.
  let count: MemberPath?
  public let tags: [Tag]
  /// A member that must have one of these texts, if an element has it.
  let condition: (member: MemberPath, texts: [StaticString])?

  init(
    _ path: StaticString, tag: StaticString, count: MemberPath?, _ tags: [Tag],
    where condition: (member: MemberPath, texts: [StaticString])? = nil
  ) {
    self.path = path
    self.tag = tag
    self.count = count
    self.tags = tags
    self.condition = condition
  }

  /// A list all of whose elements count the same.
  init(_ path: StaticString, count: MemberPath?, _ meaning: UsageField.Meaning) {
    self.path = path
    tag = nil
    self.count = count
    tags = [Tag(path, meaning)]
    condition = nil
  }

  /// Returns an element's meaning and its name; nil for one of no interest.
  func meaning(of element: JSONValue) -> (name: StaticString, meaning: UsageField.Meaning)? {
    guard let tag else { return tags.first.map { ($0.name, $0.meaning) } }
    guard let value = element.member(tag) else { return nil }
    if let condition, let text = condition.member.value(in: element),
      !condition.texts.contains(where: { text.utf8Equals($0) })
    {
      return nil
    }
    let number = value.int64
    for tag in tags {
      if let number {
        if tag.number == number { return (tag.name, tag.meaning) }
      } else if value.withUTF8({ $0.equalsInAnyCase(tag.name) }) == true {
        return (tag.name, tag.meaning)
      }
    }
    return nil
  }
}

extension Bytes {
  /// Returns true if the bytes are a text, ignoring ASCII letters' case.
  func equalsInAnyCase(_ text: StaticString) -> Bool {
    let other = Bytes(text)
    return count == other.count
      && zip(self, other).allSatisfy { $0.lowercasedLetter == $1.lowercasedLetter }
  }

  func equals(_ text: StaticString) -> Bool { hasSameBytes(as: Bytes(text)) }
}

extension UInt8 {
  fileprivate var lowercasedLetter: UInt8 {
    (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(self) ? self | 0x20 : self
  }
}

/// Anthropic's shape, which Bedrock's InvokeModel, Vertex AI and many proxies have, too.
extension UsageShape {
  // Thinking is within the output. `cache_creation` has the cache writes by lifetime. In a stream
  // `message_delta` has the new values of counts that have changed since `message_start`. Billed by
  // the call: https://docs.claude.com/en/docs/agents-and-tools/tool-use/web-search-tool Not billed:
  // https://docs.claude.com/en/docs/agents-and-tools/tool-use/web-fetch-tool and
  // https://docs.claude.com/en/docs/agents-and-tools/tool-use/tool-search-tool Other conditions of
  // the price: https://docs.claude.com/en/api/service-tiers,
  // https://docs.claude.com/en/build-with-claude/fast-mode and
  // https://docs.claude.com/en/build-with-claude/data-residency
  static let anthropic = UsageShape(
    "Anthropic Messages",
    "https://docs.claude.com/en/docs/build-with-claude/prompt-caching",
    anyOf: ["input_tokens", "output_tokens"],
    replacesCounts: true,
    iterations: "iterations",
    [
      UsageField("input_tokens", .input),
      UsageField("cache_creation_input_tokens", .cacheWrite),
      UsageField("cache_read_input_tokens", .cacheRead),
      UsageField("cache_creation.ephemeral_5m_input_tokens", .cacheWrite5m),
      UsageField("cache_creation.ephemeral_1h_input_tokens", .cacheWrite1h),
      UsageField("output_tokens", .output),
      UsageField("total_tokens", .known),
      UsageField("output_tokens_details.thinking_tokens", .known),
      UsageField("server_tool_use.web_search_requests", .beside(.webSearches)),
      UsageField("server_tool_use.web_fetch_requests", .known),
      UsageField("server_tool_use.tool_search_requests", .known),
      UsageField("service_tier", .condition(.serviceTier)),
      UsageField("speed", .condition(.speed)),
      UsageField("inference_geo", .condition(.inferenceGeo)),
    ])
}
