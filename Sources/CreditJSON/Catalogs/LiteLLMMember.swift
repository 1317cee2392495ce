internal import CreditModel

/// A member of a LiteLLM entry that gives a price for tokens or requests: which price, above how
/// many tokens of input, and of which service tier.
///
/// Names are put together: `cache_creation_input_token_cost` + `_above_1hr` + `_above_200k_tokens`
/// + `_priority`. Source: `_get_token_base_cost` in LiteLLM's `llm_cost_calc/utils.py`.
struct LiteLLMMember {
  /// The place of the price among a catalog's.
  let place: Int
  /// 0 for the base.
  private(set) var above: Int64 = 0
  /// The value of `serviceTier`; nil for the standard.
  private(set) var serviceTier: String?

  private init(place: Int) { self.place = place }

  private static let members: [(name: String, count: UsageCount)] = [
    ("input_cost_per_token", .inputTokens),
    ("output_cost_per_token", .outputTokens),
    ("cache_read_input_token_cost", .cacheReadTokens),
    ("cache_creation_input_token_cost_above_12hr", .cacheWrite12hTokens),
    ("cache_creation_input_token_cost_above_1hr", .cacheWrite1hTokens),
    ("cache_creation_input_token_cost", .cacheWriteTokens),
    ("input_cost_per_image_token", .imageInputTokens),
    ("input_cost_per_audio_token", .audioInputTokens),
    ("output_cost_per_audio_token", .audioOutputTokens),
    ("output_cost_per_image_token", .imageOutputTokens),
    ("cache_read_input_audio_token_cost", .cacheReadAudioTokens),
    ("cache_read_input_image_token_cost", .cacheReadImageTokens),
    ("citation_cost_per_token", .citationTokens),
  ]

  /// LiteLLM's words for service tiers, and the providers'.
  private static let serviceTiers = [
    ("_batches", "batch"), ("_flex", "flex"), ("_priority", "priority"),
    ("_ultrafast", "ultrafast"), ("_balanced", "balanced"),
  ]

  /// - Returns: nil otherwise.
  init?(_ name: String) {
    if name == "input_cost_per_request" {
      self.init(place: GivenPrices.requestPlace)
      return
    }
    guard let member = Self.members.first(where: { name.hasPrefix($0.name) }) else { return nil }
    self.init(place: Int(member.count.rawValue))
    var rest = name.utf8.dropFirst(member.name.utf8.count)
    if let (threshold, after) = Self.threshold(rest) {
      above = threshold
      rest = after
    }
    if rest.isEmpty { return }
    guard let tier = Self.serviceTiers.first(where: { rest.elementsEqual($0.0.utf8) }) else {
      return nil
    }
    serviceTier = tier.1
  }

  /// Reads the number of `_above_200k_tokens` or `_above_512_tokens`; also returns the rest.
  private static func threshold(_ text: Substring.UTF8View) -> (Int64, Substring.UTF8View)? {
    guard text.starts(with: "_above_".utf8) else { return nil }
    let digits = text.dropFirst(7).prefix { $0.isDigit }
    guard !digits.isEmpty, digits.count <= 9 else { return nil }
    let number = digits.reduce(Int64(0)) { $0 * 10 + Int64($1 - UInt8(ascii: "0")) }
    let rest = text[digits.endIndex...]
    for (unit, factor) in [("k_tokens", 1000), ("_tokens", 1)] as [(String, Int64)]
    where number > 0 && rest.starts(with: unit.utf8) {
      return (number * factor, rest.dropFirst(unit.utf8.count))
    }
    return nil
  }

  /// The powers of ten by which a catalog's unit is smaller than the price's.
  var places: Int { place == GivenPrices.requestPlace ? 9 : 12 }
}

extension ImportedPrices {
  /// Sets the prices of text for kinds of input without prices, if the model takes them.
  mutating func fill(audio: Bool, images: Bool) {
    if audio { fill(.audioInputTokens, .cacheReadAudioTokens) }
    if images { fill(.imageInputTokens, .cacheReadImageTokens) }
  }

  private mutating func fill(_ input: UsageCount, _ cacheRead: UsageCount) {
    guard standard.base[input] == nil, standard.base[cacheRead] == nil else { return }
    // Cached text without a price costs the same as other text.
    let cachesApart = standard.base[.cacheReadTokens] != nil
    changeEach {
      $0.change { prices in
        let text = prices[.inputTokens]
        prices[input] = prices[input] ?? text
        prices[cacheRead] =
          prices[cacheRead] ?? prices[.cacheReadTokens] ?? (cachesApart ? nil : text)
      }
    }
  }
}
