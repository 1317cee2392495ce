/// A certificate in DER (X.509), as far as it has to be looked into.
///
/// It is read here and not from what a tool prints about it: in printed text the words of a
/// certificate's holder, line breaks among them, can't be told from those about the certificate.
///
/// Source: RFC 5280, section 4.1.
package struct Certificate {
  /// The holder's key: a SubjectPublicKeyInfo in DER.
  package let publicKey: [UInt8]
  /// The kinds of its extensions: the contents of their object identifiers.
  private let extensions: [[UInt8]]

  /// - Returns: nil if the bytes are anything other than one certificate.
  package init?(_ der: [UInt8]) {
    var file = DERReader(der[...])
    guard var certificate = file.values(.sequence), file.isAtEnd,
      var body = certificate.values(.sequence),
      certificate.skip(.sequence, .bitString), certificate.isAtEnd
    else { return nil }
    // A version is left out where it is the first. Then: serial number, algorithm, issuer,
    // validity, subject.
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
  package func hasExtension(_ kind: [UInt8]) -> Bool { extensions.contains(kind) }
}
