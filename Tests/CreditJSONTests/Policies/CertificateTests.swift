import Testing

@testable import CreditJSON

@Suite struct CertificateTests {
  /// 1.2.840.113635.100.6.11.1
  private static let mark: [UInt8] = [0x2a, 0x86, 0x48, 0x86, 0xf7, 0x63, 0x64, 0x06, 0x0b, 0x01]
  private static let kind = der(0x06, mark)
  private static let sequence = der(0x30)
  private static let key = der(0x30, der(0x30, der(0x06, [1, 2])), der(0x03, [0, 4]))

  private static func der(_ tag: UInt8, _ parts: [UInt8]...) -> [UInt8] {
    let contents = parts.flatMap(\.self)
    let count = contents.count
    if count < 0x80 { return [tag, UInt8(count)] + contents }
    if count < 0x100 { return [tag, 0x81, UInt8(count)] + contents }
    return [tag, 0x82, UInt8(count >> 8), UInt8(count & 0xff)] + contents
  }

  private static func certificate(_ body: [UInt8], algorithm: [UInt8] = sequence) -> [UInt8] {
    der(0x30, der(0x30, body), algorithm, der(0x03, [0]))
  }

  /// The body of a certificate, whose extensions are given with all that is around them.
  private static func body(subject: [UInt8] = sequence, _ extensions: [UInt8]) -> [UInt8] {
    let names = sequence + sequence + sequence + subject
    return der(0xa0, der(0x02, [2])) + der(0x02, [7]) + names + key + extensions
  }

  private static func extensions(_ list: [UInt8]...) -> [UInt8] {
    der(0xa3, der(0x30, list.flatMap(\.self)))
  }

  private static func one(_ kind: [UInt8], critical: [UInt8] = [], _ value: [UInt8] = [5, 0])
    -> [UInt8]
  {
    der(0x30, kind, critical, der(0x04, value))
  }

  private static let other = one(der(0x06, [0x55, 0x1d, 0x13]), critical: [1, 1, 0xff])
  private static let marked = certificate(body(extensions(other, one(kind))))

  @Test func findsKeyAndExtensions() throws {
    let certificate = try #require(Certificate(Self.marked))
    #expect(certificate.publicKey == Self.key)
    #expect(certificate.hasExtension(Self.mark) && certificate.hasExtension([0x55, 0x1d, 0x13]))
    #expect(!certificate.hasExtension([]) && !certificate.hasExtension(Self.mark + [1]))
    #expect(!certificate.hasExtension(Self.mark.dropLast()))
  }

  @Test func versionUniqueIDsAndExtensionsMayBeLeftOut() throws {
    let ids = Self.der(0x81, [0]) + Self.der(0x82, [0])
    let full = Self.certificate(Self.body(ids + Self.extensions(Self.one(Self.kind))))
    #expect(try #require(Certificate(full)).hasExtension(Self.mark))
    let first = Self.der(0x02, [7]) + Self.sequence + Self.sequence + Self.sequence + Self.sequence
    #expect(try #require(Certificate(Self.certificate(first + Self.key))).publicKey == Self.key)
    #expect(try #require(Certificate(Self.certificate(Self.body([])))).publicKey == Self.key)
  }

  /// Only the kind of an extension counts, not the contents of it or of a name.
  @Test(arguments: [
    certificate(body(subject: der(0x30, der(0x31, der(0x30, kind, der(0x0c, [65])))), [])),
    certificate(body(subject: der(0x30, der(0x31, der(0x30, der(0x06, [1]), kind))), [])),
    certificate(body(subject: der(0x30, extensions(one(kind))), [])),
    certificate(body(extensions(one(der(0x06, [0x55, 0x1d, 0x25]), der(0x30, kind))))),
    certificate(body(extensions(one(der(0x06, [0x55, 0x1d, 0x25]), kind)))),
    certificate(body(extensions(one(der(0x06, mark + [1]))))),
    certificate(body(extensions(one(der(0x06, Array(mark.dropLast())))))),
    certificate(body([]), algorithm: der(0x30, kind)),
    certificate(body([]), algorithm: extensions(one(kind)).withTag(0x30)),
  ])
  func aMarkElsewhereDoesNotCount(bytes: [UInt8]) throws {
    #expect(try !#require(Certificate(bytes)).hasExtension(Self.mark))
  }

  @Test(
    arguments: [
      [], [0x30], [0x30, 0], sequence + sequence, marked + [0], marked + kind,
      // No extensions, or more than them, around or within.
      certificate(body(der(0xa3))), certificate(body(extensions(one(kind)) + sequence)),
      certificate(body(der(0xa3, der(0x30), der(0x30, one(kind))))),
      certificate(body(extensions(one(kind)) + extensions(one(kind)))),
      certificate(body(der(0x83, der(0x30, one(kind))))),
      certificate(body(extensions(kind))), certificate(body(extensions(der(0x30)))),
      certificate(body(extensions(der(0x30, der(0x04, [5]), kind)))),
      certificate(body(extensions(der(0x30, kind)))),
      certificate(body(extensions(der(0x30, kind, der(0x04, [5]), kind)))),
      // Only a certificate.
      der(0x30, der(0x30, body([])), sequence),
      der(0x30, der(0x30, body([])), sequence, der(0x03, [0]), kind),
      certificate(der(0x02, [7]) + sequence + sequence + sequence + key),
      // Lengths that are not the shortest, or none.
      [0x30, 0x80] + marked.dropFirst(2) + [0, 0], [0x30, 0x81, 0x02, 0x05, 0x00],
      [0x30, 0x84, 0, 0, 0, 0], [0x30, 0xff], [0x30, 0x83, 0xff, 0xff, 0xff, 0],
      certificate(body(der(0xa3, [0x30, 0x81, UInt8(one(kind).count)], one(kind)))),
      certificate(body(der(0xa3, [0x30, 0x82, 0, UInt8(one(kind).count)], one(kind)))),
    ] as [[UInt8]])
  func otherDataIsNotACertificate(bytes: [UInt8]) {
    #expect(Certificate(bytes) == nil)
  }

  @Test func noInputIsReadBeyondItsEnd() {
    for count in Self.marked.indices {
      #expect(Certificate(Array(Self.marked.prefix(count))) == nil)
      for byte: UInt8 in [0, 0x7f, 0x80, 0x81, 0x84, 0xff] {
        var bytes = Self.marked
        bytes[count] = byte
        _ = Certificate(bytes)
      }
    }
  }

  @Test func lengthsMayBeLong() throws {
    let long = [UInt8](repeating: 0x30, count: 300)
    let bytes = Self.certificate(Self.body(Self.extensions(Self.one(Self.kind, long))))
    #expect(try #require(Certificate(bytes)).hasExtension(Self.mark))
  }
}

extension [UInt8] {
  fileprivate func withTag(_ tag: UInt8) -> [UInt8] { [tag] + dropFirst() }
}
