public import CreditModel

/// The usage of a request, a response, or a chunk of one.
enum UsageFinding {
  /// One that a shape fits.
  case known(UsageShape, SearchedObject)
  /// One that none fits.
  case unknown(JSONValue)
  case none

  init(in object: SearchedObject) {
    func known(_ usage: JSONValue) -> UsageFinding? {
      let usage = SearchedObject(usage)
      return UsageShape.shape(of: usage, in: object).map { .known($0, usage) }
    }
    var unknown: JSONValue?
    for member in UsageShape.usageMembers {
      guard let usage = member.value(in: object) else { continue }
      if let found = known(usage) {
        self = found
        return
      }
      if unknown == nil || unknown?.isNull == true { unknown = usage }
    }
    self =
      unknown.map { .unknown($0) } ?? ModelUsages(in: object)?.main.flatMap { known($0.usage) }
      ?? UsageShape.usageHolders.lazy.compactMap { $0.value(in: object).flatMap(known) }.first
      ?? .none
  }
}

extension UsageProblem {
  /// Why a usage fits no shape.
  init(unknown usage: JSONValue) {
    switch usage.kind {
    case .null: self.init("the usage is null")
    case .object: self.init(unknownObject: usage)
    default: self.init("the usage must be an object of counts, such as {\"inputTokens\":1200}")
    }
  }

  init(mixing member: StaticString, with other: StaticString) {
    self.init("\(member) and \(other) belong to two forms of usage: give one form")
  }

  private init(unknownObject usage: JSONValue) {
    for shape in UsageShape.all {
      guard let count = shape.anyOf.first(where: { $0.isPresent(in: usage) }),
        let other = shape.noneOf.first(where: { $0.isPresent(in: usage) })
      else { continue }
      self.init(mixing: count.text, with: other.text)
      return
    }
    let names = usage.members.compactMap { $0.name.string }
    let known = UsageCount.allCases.map { $0.row.member.description } + ["units"]
    for name in names {
      if known.contains(name), let value = name.withUTF8Bytes({ usage.member(utf8: $0) }) {
        self.init("\(name) must be a whole number from 0 to \(Int64.max), not \(value.phrase)")
        return
      }
      let full = name + "Tokens"
      guard let meant = known.contains(full) ? full : NearestNames.misspelt(name, among: known)
      else { continue }
      self.init("the usage has \(quoted(name)), an unknown count; did you mean \(quoted(meant))?")
      return
    }
    let found = names.prefix(5).map { quoted($0) }.joined(separator: ", ")
    self.init(
      "the usage has none of the counts that are known, such as inputTokens, prompt_tokens and "
        + "input_tokens"
        + (names.isEmpty
          ? ""
          : ", but \(found); other counts are \"units\", of a model with creditsPerUnit"))
  }
}

extension ReportedUsage {
  /// A usage that a shape fits, and the counts that turned out wrong.
  static func unreadable(_ usage: JSONValue, _ problem: UsageProblem) -> ReportedUsage {
    .unreadable(raw: CompactText.of(usage), reason: problem.reason)
  }

  /// A usage that fits no shape.
  static func unknown(_ usage: JSONValue) -> ReportedUsage {
    .unreadable(usage, UsageProblem(unknown: usage))
  }

  public static let missing = ReportedUsage.unreadable(raw: "", reason: "there is no usage")

  /// The same with images that a response shows, and that its usage may not count.
  public func showing(images: Int64) -> ReportedUsage {
    let none = Usage.tokens(TokenUsage(inputTokens: 0, outputTokens: 0))
    guard case .counts(.tokens(var tokens)) = isAbsent ? .counts(none) : self,
      tokens[.images] == 0
    else { return self }
    tokens[.images] = images
    return .counts(.tokens(tokens))
  }

  /// The same of a stream of Chat Completions, whose request may not have asked for a usage.
  var ofChat: ReportedUsage {
    guard isAbsent, case .unreadable(let raw, let reason) = self else { return self }
    return .unreadable(
      raw: raw,
      reason: reason + "; a stream of Chat Completions ends with it if the request has "
        + "\"stream_options\":{\"include_usage\":true}")
  }

  /// The same in another tier of service.
  func served(as tier: String) -> ReportedUsage {
    guard case .counts(.tokens(var tokens)) = self else { return self }
    tokens[.serviceTier] = tier
    return .counts(.tokens(tokens))
  }
}

extension SearchedObject {
  /// Returns the cost of a response in dollars; nil if it has none, or one that is not an amount.
  /// - Parameter usage: its usage.
  func providerCost(_ usage: SearchedObject) -> ExactDecimal? {
    let own = usage.member("cost")
    let upstream =
      usage.member("cost_details")?.member("upstream_inference_cost")?.exactDecimal
    if let cost = own?.exactDecimal ?? own?.member("total_cost")?.exactDecimal {
      // With a key of the caller's own the provider bills the call, and the gateway its fee.
      let isApart = usage.member("is_byok")?.bool == true
      return isApart ? upstream.map { cost.adding($0) } ?? cost : cost
    }
    if let total = usage.member("cost_usd_total")?.exactDecimal ?? upstream { return total }
    // xAI's, with ten decimal places: https://docs.x.ai/docs/models
    if let ticks = usage.member("cost_in_usd_ticks")?.int64, ticks >= 0 {
      return ExactDecimal(coefficient: Int128(ticks), scale: 10)
    }
    return UsageShape.costs.first(in: self, \.exactDecimal)
  }

  /// True if a response has a cost below 0.
  /// - Parameter usage: its usage.
  func costIsNegative(_ usage: SearchedObject) -> Bool {
    let own = usage.member("cost")
    return own?.isBelowZero == true || own?.member("total_cost")?.isBelowZero == true
      || usage.member("cost_usd_total")?.isBelowZero == true
      || usage.member("cost_in_usd_ticks")?.isBelowZero == true
      || UsageShape.costs.first(in: self, where: \.isBelowZero) != nil
  }

  /// The model that a response names; nil if the name is absent or empty.
  var providerModel: String? { UsageShape.models.first(in: self, \.word) }
}

/// The text of a value without white space, which identifies it in any layout.
///
/// A text that is too long to keep is replaced by its first bytes and a hash of the whole, in
/// sixteen hexadecimal digits: that is not JSON, and so not the text of another value.
enum CompactText {
  /// The most bytes of it that are kept.
  static let byteLimit = 1024
  private static let hashMark = "…"

  static func of(_ value: JSONValue) -> String {
    var kept: [UInt8] = []
    var hash = FNV1a()
    var isInString = false
    var isEscaped = false
    for byte in value.raw where isInString || !byte.isJSONSpace {
      if byte == .quote && !isEscaped { isInString.toggle() }
      isEscaped = byte == .backslash && !isEscaped
      withBytes(of: byte) { hash.append($0) }
      // One byte beyond the limit shows that there are more.
      if kept.count <= byteLimit { kept.append(byte) }
    }
    if kept.count <= byteLimit { return String(decoding: kept, as: UTF8.self) }
    var end = byteLimit - hashMark.utf8.count - FNV1a.digitCount
    // A scalar is kept whole or not at all.
    while end > 0, kept[end] & 0xc0 == 0x80 { end -= 1 }
    return String(decoding: kept[..<end], as: UTF8.self) + hashMark + hash.digits
  }
}

/// The images and the provider's own tools that a response shows in its content without counting
/// them. The tools' cost depends on more than that, so that they are named and not priced.
struct ShownContent {
  /// Number of the images in a chat's messages, or in the pieces of a stream if those are more.
  var images: Int64 { max(whole, pieces) }
  private var whole: Int64 = 0
  private var pieces: Int64 = 0
  private var found: [String] = []
  private var citesPages = false

  /// Takes the tools shown in a response or a chunk.
  mutating func add(_ response: SearchedObject) {
    if let content = response.member("content"), content.kind == .array {
      for block in content.elements { addCode(in: block) }
    }
    if let block = response.member("content_block") { addCode(in: block) }
    if let choices = response.member("choices") {
      for choice in choices.elements {
        if let message = choice.member("message") { whole += add(message: message) }
        if let piece = choice.member("delta") { pieces += add(message: piece) }
      }
      // Z.ai: https://docs.z.ai/guides/tools/web-search
      if Self.hasElements(response.member("web_search")) { note("web_search") }
    }
    if let candidates = response.member("candidates") {
      for candidate in candidates.elements {
        whole += Self.images(in: candidate.member("content")?.member("parts"))
      }
    }
  }

  /// Returns the number of images among the parts of a message. Those of a thought are drafts:
  /// https://ai.google.dev/gemini-api/docs/image-generation#thinking-process
  private static func images(in parts: JSONValue?) -> Int64 {
    guard let parts else { return 0 }
    let names: [StaticString] = ["image_url", "image", "inlineData", "inline_data"]
    return Int64(
      parts.elements.count { part in
        guard part.member("thought")?.bool != true,
          let held = names.lazy.compactMap({ part.member($0) }).first(where: { !$0.isNull })
        else { return false }
        let type = held.string("mimeType") ?? held.string("mime_type") ?? "image/"
        return type.hasPrefix("image/")
      })
  }

  /// The paths of the tools shown.
  /// - Parameter usage: the counts: cited pages belong to a counted search.
  func unread(beside usage: ReportedUsage) -> [String] {
    guard citesPages else { return found }
    if case .counts(.tokens(let tokens)) = usage,
      tokens[.webSearches] > 0 || tokens[.searchSources] > 0 || tokens[.citationTokens] > 0
    {
      return found
    }
    return found + ["choices.message.annotations"]
  }

  /// Code that Anthropic runs is billed by the hour of its container:
  /// https://docs.claude.com/en/docs/agents-and-tools/tool-use/code-execution-tool
  private mutating func addCode(in block: JSONValue) {
    guard block.member("type")?.utf8Equals("server_tool_use") == true,
      let name = block.member("name")
    else { return }
    let names: [StaticString] = [
      "code_execution", "bash_code_execution", "text_editor_code_execution",
    ]
    if names.contains(where: { name.utf8Equals($0) }) { note("content.code_execution") }
  }

  /// A search of OpenAI's search models only shows in its citations; Groq's compound models list
  /// the tools they executed: https://console.groq.com/docs/compound
  /// - Returns: the number of its images.
  private mutating func add(message: JSONValue) -> Int64 {
    if let annotations = message.member("annotations"), annotations.kind == .array {
      citesPages =
        citesPages
        || annotations.elements.contains {
          $0.member("type")?.utf8Equals("url_citation") == true
        }
    }
    if Self.hasElements(message.member("executed_tools")) { note("choices.message.executed_tools") }
    guard let list = message.member("images"), list.kind == .array else {
      return Self.images(in: message.member("content"))
    }
    return Int64(list.elements.count { !$0.isNull })
  }

  private static func hasElements(_ list: JSONValue?) -> Bool {
    list.map { $0.kind == .array && $0.nodeCount > 1 } ?? false
  }

  private mutating func note(_ path: String) {
    if !found.contains(path) { found.append(path) }
  }
}
