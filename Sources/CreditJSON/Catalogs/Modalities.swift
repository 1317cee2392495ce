internal import CreditModel

/// A kind of input that a catalog may say a model takes without a price of its own.
enum Modality {
  case audio
  case image

  /// The count of its input, and of what of it was read from the cache.
  fileprivate var counts: (input: UsageCount, cacheRead: UsageCount) {
    switch self {
    case .audio: (.audioInputTokens, .cacheReadAudioTokens)
    case .image: (.imageInputTokens, .cacheReadImageTokens)
    }
  }
}

extension ImportedPrices {
  /// Writes the prices of text for a modality that has none of its own.
  mutating func fill(_ modality: Modality) {
    let counts = modality.counts
    guard standard.base[counts.input] == nil, standard.base[counts.cacheRead] == nil else {
      return
    }
    // Where no price is given for cached text it costs what other text does.
    let cachesApart = standard.base[.cacheReadTokens] != nil
    standard.change { $0.fill(counts.input, counts.cacheRead, cachesApart) }
    for entry in conditions {
      var entry = entry
      entry.prices.change { $0.fill(counts.input, counts.cacheRead, cachesApart) }
      self[entry.subject] = entry
    }
  }
}

extension GivenPrices {
  fileprivate mutating func fill(
    _ input: UsageCount, _ cacheRead: UsageCount, _ cachesApart: Bool
  ) {
    if self[input] == nil { self[input] = self[.inputTokens] }
    if self[cacheRead] == nil {
      self[cacheRead] = self[.cacheReadTokens] ?? (cachesApart ? nil : self[.inputTokens])
    }
  }
}
