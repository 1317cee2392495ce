package import CreditModel

/// The models and products of the standard policy, of which a model is read when it is first looked
/// up: to read all of them costs a process more than everything else that it does for a charge.
///
/// What is remembered here needs no lock, as one thread at a time looks prices up: the one that
/// serves a batch, and no other while it does.
package final class StandardPrices: PriceSource, @unchecked Sendable {
  private var names = NameTable()
  private var models: [PricedModel] = []
  private var whole: (any PriceSource)?

  private init() {}

  /// The standard policy, if this is its text, with nothing of it read: it has what a policy has
  /// that says nothing else.
  package static func policy(if text: [UInt8]) -> Policy? {
    let isStandard = PolicyText.standard.withUTF8Bytes { standard in
      text.withUnsafeBytes { standard.hasSameBytes(as: $0) }
    }
    return isStandard ? policy() : nil
  }

  package static func policy() -> Policy { Policy(prices: StandardPrices()) }

  package func model(_ id: Name, at time: Timestamp) throws(CreditError) -> PricedModel? {
    if let number = names.number(of: id) { return models[number] }
    guard let model = StandardEntries.model(id) else { return nil }
    if names.add(id) { models.append(model) }
    return model
  }

  package func product(_ id: Name) throws(CreditError) -> Product? { try readWhole().product(id) }

  package func names(_ kind: PricedKind) throws(CreditError) -> [Name] {
    try readWhole().names(kind)
  }

  private func readWhole() throws(CreditError) -> any PriceSource {
    if let whole { return whole }
    guard let document = try? JSONDocument(PolicyText.standard) else { return PriceCatalog() }
    let prices = try document.withRoot { value throws(CreditError) in
      try PolicyDecoder.decode(value).prices
    }
    whole = prices
    return prices
  }
}

/// The entries of the standard policy's lists, each of which begins a line with its names.
private enum StandardEntries {
  private static let start: StaticString = "\n    {\"id\": \""

  /// The model that an id or alias belongs to.
  static func model(_ id: Name) -> PricedModel? {
    PolicyText.standard.withUTF8Bytes { text in
      let name = Array("\"\(id.text)\"".utf8)
      var place = nextStart(in: text, from: 0)
      while place < text.count {
        let end = nextStart(in: text, from: place + 1)
        let entry = UnsafeRawBufferPointer(rebasing: text[place..<end])
        place = end
        if firstLine(of: entry, has: name), let model = model(in: entry),
          model.id == id || model.aliases.contains(id)
        {
          return model
        }
      }
      return nil
    }
  }

  private static func model(in entry: UnsafeRawBufferPointer) -> PricedModel? {
    guard let last = entry.lastIndex(of: UInt8(ascii: "}")) else { return nil }
    return CatalogText.model(Array(entry[...last]))
  }

  /// Where the next entry begins; the end of the text where there is none.
  private static func nextStart(in text: UnsafeRawBufferPointer, from first: Int) -> Int {
    let start = UnsafeRawBufferPointer(start)
    var place = first
    while place + start.count <= text.count {
      if text[place] == .lineFeed,
        UnsafeRawBufferPointer(rebasing: text[place..<place + start.count]).hasSameBytes(as: start)
      {
        return place
      }
      place += 1
    }
    return text.count
  }

  private static func firstLine(of entry: UnsafeRawBufferPointer, has name: [UInt8]) -> Bool {
    name.withUnsafeBytes { name in
      var place = 1
      while place + name.count <= entry.count, entry[place] != .lineFeed {
        if entry[place] == UInt8(ascii: "\""),
          UnsafeRawBufferPointer(rebasing: entry[place..<place + name.count]).hasSameBytes(as: name)
        {
          return true
        }
        place += 1
      }
      return false
    }
  }
}
