internal import CreditJSON
internal import CreditModel
internal import CreditSystem

/// `policy.index`: the rules of a policy without its lists, and where each of its models and
/// products is in `policy.json`, so that a process decodes no more prices than it needs. It
/// says by being there that the policy has been checked.
///
/// It belongs to one state of that file: its identity, length and time of change. It is read whole
/// and held against a checksum: a damaged one is none, and what a sound one does not name is not in
/// the lists. It is safe to delete.
///
/// Reading the standard policy whole is half of the instructions of one charge.
final class PolicyIndex: PriceIndex {
  static let name = "policy.index"

  /// What the file begins with; another version or byte order begins otherwise.
  private static let magic: UInt64 = 0x3149_796c_6f50_7243
  /// The magic, the policy's status, the seed of the hashes, and how much of what follows.
  private static let wordCount = 9
  /// The most bytes: policies with longer lists had better have a catalog.
  private static let byteLimit = 1 << 16

  /// The file's first bytes.
  static var beginning: [UInt8] { [magic].bytes }

  private let bytes: [UInt8]
  private let nameCount: Int
  private let hasher: KeyHasher

  /// Opens the index of a policy; nil where there is none that belongs to the policy as it is.
  init?(of policy: FileStatus, in directory: StoreDirectory) {
    guard let bytes = try? directory.readFile(Self.name, limit: Self.byteLimit),
      bytes.count >= 8 * (Self.wordCount + 1), bytes.word(0) == Self.magic,
      policy.words.enumerated().allSatisfy({ bytes.word(1 + $0) == $1 }),
      let nameCount = Int(exactly: bytes.word(7)), nameCount <= Self.byteLimit,
      let ruleCount = Int(exactly: bytes.word(8)), ruleCount <= Self.byteLimit,
      bytes.count == 8 * (Self.wordCount + 1) + 16 * nameCount + ruleCount,
      Self.isSound(bytes)
    else { return nil }
    self.bytes = bytes
    self.nameCount = nameCount
    hasher = KeyHasher(seed: (bytes.word(5), bytes.word(6)))
  }

  /// The policy's text with empty lists of models and products.
  var rules: [UInt8] { Array(bytes[(8 * Self.wordCount + 16 * nameCount)...].dropLast(8)) }

  func places(of id: Name, _ kind: PriceKind) -> [PricePlace] {
    let hash = hasher.hash(domain: kind.rawValue, id.text)
    var places: [PricePlace] = []
    for number in 0..<nameCount where bytes.word(Self.wordCount + 2 * number) == hash {
      places.append(PricePlace(word: bytes.word(Self.wordCount + 2 * number + 1)))
    }
    return places
  }

  /// Writes the index of a policy that has been checked, in place of the one that is there.
  /// - Throws: where the store can't be written; the next process then reads the policy again.
  static func write(_ text: [UInt8], of policy: FileStatus, in directory: StoreDirectory)
    throws(StoreFault)
  {
    guard let document = try? JSONDocument(text) else { return }
    let seed = (directory.system.randomWord(), directory.system.randomWord())
    let bytes = document.withRoot { value in
      made(of: value, in: document, text, policy, seed)
    }
    if let bytes { try directory.replaceCache(name, with: bytes) }
  }

  private static func made(
    of value: JSONValue, in document: borrowing JSONDocument, _ text: [UInt8],
    _ policy: FileStatus, _ seed: (UInt64, UInt64)
  ) -> [UInt8]? {
    let hasher = KeyHasher(seed: seed)
    var names: [UInt64] = []
    for entry in CatalogText.entries(value) {
      guard let place = PricePlace(entry, startingAt: document.range(of: value).lowerBound) else {
        return nil
      }
      for name in entry.names {
        names += [hasher.hash(domain: PriceKind(of: entry).rawValue, name.text), place.word]
      }
    }
    var rules = text
    let lists = [value.member("models"), value.member("products")].compactMap(\.self)
    let ranges = lists.map { document.range(of: $0) }
    for range in ranges.sorted(by: { $0.lowerBound > $1.lowerBound }) {
      rules.replaceSubrange(range, with: "[]".utf8)
    }
    let counts = [UInt64(names.count / 2), UInt64(rules.count)]
    var bytes = ([magic] + policy.words + [seed.0, seed.1] + counts + names).bytes + rules
    bytes += [bytes.checksum].bytes
    return bytes.count <= byteLimit ? bytes : nil
  }

  private static func isSound(_ bytes: [UInt8]) -> Bool {
    bytes.lastWord == bytes.dropLast(8).checksum
  }
}
