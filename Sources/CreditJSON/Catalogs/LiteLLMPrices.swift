internal import CreditModel

/// The prices of one tier as far as LiteLLM's entry gives them, in micro-dollars a million tokens.
struct LiteLLMPrices {
  /// Above how many tokens of input; 0 for the base.
  let above: Int64
  private(set) var input: ExactDecimal?
  private(set) var output: ExactDecimal?
  private(set) var cacheRead: ExactDecimal?
  private(set) var cacheWrite: ExactDecimal?

  private init(above: Int64) {
    self.above = above
  }

  /// The base prices of an entry, and its tiers, lowest first.
  static func all(of entry: JSONValue) throws(LeftOut) -> (
    base: LiteLLMPrices, tiers: [LiteLLMPrices]
  ) {
    var base = LiteLLMPrices(above: 0)
    var tiers: [LiteLLMPrices] = []
    for (name, value) in entry.members where !value.isNull {
      guard let (member, above) = name.withUTF8(Member.parse) ?? nil else { continue }
      guard let dollars = value.exactDecimal else { throw .unreadable }
      // Dollars a token.
      guard let price = dollars.shifted(left: 12) else { throw .tooFine }
      if above == 0 {
        base.set(member, price)
        continue
      }
      let index = tiers.firstIndex { $0.above == above } ?? tiers.endIndex
      if index == tiers.endIndex { tiers.append(LiteLLMPrices(above: above)) }
      tiers[index].set(member, price)
    }
    return (base, tiers.sorted { $0.above < $1.above })
  }

  private mutating func set(_ member: Member, _ price: ExactDecimal) {
    switch member {
    case .input: input = price
    case .output: output = price
    case .cacheRead: cacheRead = price
    case .cacheWrite: cacheWrite = price
    }
  }
}

/// The members that give a price; their names may go on with the threshold of a tier.
private enum Member: CaseIterable {
  case input
  case output
  case cacheRead
  case cacheWrite

  private var name: StaticString {
    switch self {
    case .input: "input_cost_per_token"
    case .output: "output_cost_per_token"
    case .cacheRead: "cache_read_input_token_cost"
    case .cacheWrite: "cache_creation_input_token_cost"
    }
  }

  /// Which price a member gives, and above how many tokens of input; nil for any other member.
  static func parse(_ name: UnsafeRawBufferPointer) -> (Member, above: Int64)? {
    for member in allCases {
      let known = UnsafeRawBufferPointer(member.name)
      guard name.count >= known.count,
        UnsafeRawBufferPointer(rebasing: name[..<known.count]).hasSameBytes(as: known)
      else { continue }
      let suffix = name[known.count...]
      if suffix.isEmpty { return (member, 0) }
      return threshold(suffix).map { (member, $0) }
    }
    return nil
  }

  /// The number of `_above_200k_tokens`.
  private static func threshold(_ suffix: Slice<UnsafeRawBufferPointer>) -> Int64? {
    guard suffix.starts(with: "_above_".utf8) else { return nil }
    let digits = suffix.dropFirst(7).prefix { $0.isDigit }
    guard !digits.isEmpty, digits.count <= 9,
      suffix[digits.endIndex...].elementsEqual("k_tokens".utf8)
    else { return nil }
    let thousands = digits.reduce(Int64(0)) { $0 * 10 + Int64($1 - UInt8(ascii: "0")) }
    return thousands > 0 ? thousands * 1000 : nil
  }
}
