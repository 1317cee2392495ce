/// Walks over values in DER (X.690), each a tag, a length and contents. A length in any form but
/// DER's is not a value.
struct DERReader {
  private var rest: ArraySlice<UInt8>

  /// The tags that certificates are looked through by.
  enum Tag: UInt8 {
    case boolean = 0x01
    case integer = 0x02
    case bitString = 0x03
    case octetString = 0x04
    case objectIdentifier = 0x06
    case sequence = 0x30
    /// Tags with a meaning by their place: [1] and [2] of simple values, [0] and [3] around others.
    case simple1 = 0x81
    case simple2 = 0x82
    case around0 = 0xa0
    case around3 = 0xa3
  }

  init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

  var isAtEnd: Bool { rest.isEmpty }

  /// Goes past the next value if it has a tag.
  /// - Returns: its contents; nil if it has another tag or is not whole, and then it is still next.
  mutating func contents(_ tag: Tag) -> ArraySlice<UInt8>? {
    guard rest.first == tag.rawValue else { return nil }
    var after = rest.dropFirst()
    guard let count = Self.length(&after), count <= after.count else { return nil }
    rest = after.dropFirst(count)
    return after.prefix(count)
  }

  /// Skips the next value, a container, if it has a tag.
  mutating func values(_ tag: Tag) -> DERReader? { contents(tag).map(DERReader.init) }

  /// Goes past the next value if it has a tag.
  /// - Returns: all of it; nil if it has another tag or is not whole.
  mutating func whole(_ tag: Tag) -> ArraySlice<UInt8>? {
    let start = rest
    return contents(tag) == nil ? nil : start.dropLast(rest.count)
  }

  /// Goes past values with these tags, each of which has to be there.
  mutating func skip(_ tags: Tag...) -> Bool {
    tags.allSatisfy { contents($0) != nil }
  }

  /// A length in its shortest form; of three bytes at most, which is more than anything here has.
  private static func length(_ bytes: inout ArraySlice<UInt8>) -> Int? {
    guard let first = bytes.popFirst() else { return nil }
    if first < 0x80 { return Int(first) }
    let digits = bytes.prefix(Int(first & 0x7f))
    guard 1...3 ~= digits.count, digits.count == Int(first & 0x7f), digits.first != 0 else {
      return nil
    }
    bytes = bytes.dropFirst(digits.count)
    let count = digits.reduce(0) { $0 << 8 | Int($1) }
    return count < 0x80 ? nil : count
  }
}

/// A certificate in DER (X.509), read only for the parts needed.
///
/// It is not taken from a tool's printed text: there the words of a certificate's holder, line
/// breaks among them, can't be distinguished from the tool's.
///
/// Source: RFC 5280, section 4.1.
public struct Certificate {
  /// The holder's key: a SubjectPublicKeyInfo in DER.
  public let publicKey: [UInt8]
  /// The kinds of its extensions: the contents of their object identifiers.
  private let extensions: [[UInt8]]

  /// - Returns: nil if the bytes are anything other than one certificate.
  public init?(_ der: [UInt8]) {
    var file = DERReader(der[...])
    guard var certificate = file.values(.sequence), file.isAtEnd,
      var body = certificate.values(.sequence),
      certificate.skip(.sequence, .bitString), certificate.isAtEnd
    else { return nil }
    // A version is left out if it is the first. Then: serial number, algorithm, issuer, validity,
    // subject.
    _ = body.skip(.around0)
    guard body.skip(.integer, .sequence, .sequence, .sequence, .sequence),
      let key = body.whole(.sequence)
    else { return nil }
    _ = body.skip(.simple1)
    _ = body.skip(.simple2)
    guard let extensions = Self.extensions(&body), body.isAtEnd else { return nil }
    publicKey = Array(key)
    self.extensions = extensions
  }

  /// Reads the kinds of the extensions that come next, if any. Nil if they are malformed.
  private static func extensions(_ body: inout DERReader) -> [[UInt8]]? {
    if body.isAtEnd { return [] }
    guard var around = body.values(.around3), var list = around.values(.sequence), around.isAtEnd
    else { return nil }
    var kinds: [[UInt8]] = []
    while !list.isAtEnd {
      guard var one = list.values(.sequence), let kind = one.contents(.objectIdentifier) else {
        return nil
      }
      // Whether it is critical may be left out.
      _ = one.skip(.boolean)
      guard one.skip(.octetString), one.isAtEnd else { return nil }
      kinds.append(Array(kind))
    }
    return kinds
  }

  /// Whether it has an extension of a kind.
  /// - Parameter kind: the contents of its object identifier in DER.
  public func hasExtension(_ kind: [UInt8]) -> Bool { extensions.contains(kind) }
}
