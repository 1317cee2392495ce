import CreditModel
import Testing

@testable import CreditPayments
@testable import TestSupport

@Suite struct EventSignatureTests {
  private let now = Timestamp(milliseconds: 1_674_087_231_000)

  private static func hex(_ bytes: [UInt8]) -> String {
    bytes.map { byte in
      let digits = String(byte, radix: 16)
      return digits.count == 1 ? "0" + digits : digits
    }.joined()
  }

  /// RFC 4231, test cases 1 to 3, 6 and 7.
  @Test func codesAreThoseOfTheStandard() {
    func code(_ key: [UInt8], _ text: [UInt8]) -> String {
      Self.hex(HMACSHA256.code(of: [Array(text.prefix(3)), Array(text.dropFirst(3))], key: key))
    }
    func bytes(_ byte: UInt8, _ count: Int) -> [UInt8] { [UInt8](repeating: byte, count: count) }
    #expect(
      code(bytes(0x0b, 20), Array("Hi There".utf8))
        == "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7")
    #expect(
      code(Array("Jefe".utf8), Array("what do ya want for nothing?".utf8))
        == "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843")
    #expect(
      code(bytes(0xaa, 20), bytes(0xdd, 50))
        == "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe")
    #expect(
      code(
        bytes(0xaa, 131), Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8))
        == "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54")
    #expect(
      code(
        bytes(0xaa, 131),
        Array(
          ("This is a test using a larger than block-size key and a larger than block-size data. "
            + "The key needs to be hashed before being used by the HMAC algorithm.").utf8))
        == "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2")
  }

  private func reason(
    _ format: PaymentFormat, _ secrets: String, _ headers: [String], _ body: String,
    at time: Timestamp? = nil
  ) -> EventRejection? {
    var delivery = EventDelivery(body: Array(body.utf8))
    for header in headers {
      #expect(EventDelivery.header(header) != nil)
      delivery.addHeader(header)
    }
    let source = PaymentSource(format: format, secretFile: "secret")
    guard let signature = EventSignature(Array(secrets.utf8), of: source) else {
      return .notConfigured
    }
    return failure { () throws(EventRejection) in
      try signature.verify(delivery, at: time ?? now)
    }
  }

  /// The key of the example of the Standard Webhooks specification.
  private let secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"

  private func standard(_ body: String, _ time: Int64 = 1_674_087_231) -> [String] {
    let key = Base64.decode(Array(secret.utf8.dropFirst(6)), .standard) ?? []
    let code = HMACSHA256.code(of: [Array("msg.\(time).\(body)".utf8)], key: key)
    let text = String(decoding: Base64.encode(code), as: UTF8.self)
    return [
      "Webhook-Id: msg", "WEBHOOK-TIMESTAMP: \(time)",
      "webhook-signature: v2,AAAA v1,AAAA v1,\(text)",
    ]
  }

  @Test func standardWebhooks() {
    #expect(reason(.standard, secret, standard("{}"), "{}") == nil)
    #expect(reason(.standard, "other\n\(secret)\n", standard("{}"), "{}") == nil)
    #expect(reason(.standard, secret, standard("{}"), "{} ") == .badSignature)
    #expect(reason(.standard, "whsec_AAAA", standard("{}"), "{}") == .badSignature)
    #expect(reason(.standard, "", standard("{}"), "{}") == .notConfigured)
    #expect(reason(.standard, "whsec_no base64", standard("{}"), "{}") == .notConfigured)
    #expect(reason(.standard, secret, Array(standard("{}").dropFirst()), "{}") == .noSignature)
    let late = Timestamp(milliseconds: now.milliseconds + 300_001)
    #expect(reason(.standard, secret, standard("{}"), "{}", at: late) == .tooOld)
    let early = Timestamp(milliseconds: now.milliseconds - 300_001)
    #expect(reason(.standard, secret, standard("{}"), "{}", at: early) == .tooOld)
    let last = Timestamp(milliseconds: now.milliseconds + 300_000)
    #expect(reason(.standard, secret, standard("{}"), "{}", at: last) == nil)
  }

  @Test func anEmptySecretIsNotASecret() {
    for secrets in ["whsec_", "whsec_\n", " \n", "\t \r\n\n", "whsec_ "] {
      #expect(reason(.standard, secrets, standard("{}"), "{}") == .notConfigured, "\(secrets)")
    }
    for format in PaymentFormat.allCases {
      #expect(reason(format, " \n\t\r\n", [], "{}") == .notConfigured)
    }
    let spaced = " \(secret)\t\r\n"
    #expect(reason(.standard, spaced, standard("{}"), "{}") == nil)
  }

  @Test func paddle() {
    let code = HMACSHA256.code(of: [Array("1674087231:{}".utf8)], key: Array("pdl".utf8))
    let header = "Paddle-Signature: ts=1674087231;h1=\(Self.hex(code))"
    #expect(reason(.paddle, "pdl", [header], "{}") == nil)
    #expect(reason(.paddle, "pdl", [header], "[]") == .badSignature)
    #expect(reason(.paddle, "pdl", [], "[]") == .noSignature)
  }

  @Test func stripe() {
    let code = Self.hex(
      HMACSHA256.code(of: [Array("1674087231.{}".utf8)], key: Array("whsec_x".utf8)))
    let zeros = String(repeating: "0", count: 64)
    func header(_ text: String) -> [String] { ["Stripe-Signature: \(text)"] }
    #expect(reason(.stripe, "whsec_x", header("t=1674087231,v1=\(code)"), "{}") == nil)
    #expect(
      reason(.stripe, "whsec_x", header("t=1674087231,v1=\(zeros),v1=\(code)"), "{}") == nil)
    #expect(
      reason(.stripe, "whsec_x", header("t=1674087231,v0=\(code)"), "{}") == .noSignature)
    #expect(
      reason(.stripe, "whsec_x", header("t=1674087232,v1=\(code)"), "{}") == .badSignature)
    for text in ["", "t=1674087231", "v1=\(code)", "t=,v1=\(code)", "t=1674087231,v1=\(code)0"] {
      #expect(reason(.stripe, "whsec_x", header(text), "{}") == .noSignature, "\(text)")
    }
  }

  @Test func revenueCat() {
    #expect(reason(.revenuecat, "Bearer x\nold", ["authorization: Bearer x"], "{}") == nil)
    #expect(reason(.revenuecat, "Bearer x\nold", ["Authorization:old"], "{}") == nil)
    #expect(reason(.revenuecat, "Bearer x", ["Authorization: Bearer y"], "{}") == .badSignature)
    #expect(reason(.revenuecat, "Bearer x", ["Authorization: Bearer x2"], "{}") == .badSignature)
    #expect(reason(.revenuecat, "Bearer x", [], "{}") == .noSignature)
  }

  @Test func revenueCatSigned() {
    let code = Self.hex(HMACSHA256.code(of: [Array("1674087231.{}".utf8)], key: Array("k".utf8)))
    let header = "X-RevenueCat-Webhook-Signature: t=1674087231,v1=\(code)"
    let bearer = "Authorization: Bearer x"
    #expect(reason(.revenuecat, "k", [header], "{}") == nil)
    #expect(reason(.revenuecat, "Bearer x\nk", [header], "{}") == nil)
    let old = Timestamp(milliseconds: now.milliseconds + 86_400_000)
    #expect(reason(.revenuecat, "k", [header], "{}", at: old) == nil)
    #expect(reason(.revenuecat, "k", [header], "[]") == .badSignature)
    #expect(reason(.revenuecat, "other", [header], "{}") == .badSignature)
    // The secret itself is enough beside a signature that a policy has no secret for.
    #expect(reason(.revenuecat, "Bearer x", [header, bearer], "{}") == nil)
    #expect(reason(.revenuecat, "Bearer y", [header, bearer], "{}") == .badSignature)
    // An empty header, as a server passes on a missing one, does not count.
    let empty = ["X-RevenueCat-Webhook-Signature: ", "Authorization: "]
    #expect(reason(.revenuecat, "k", [String(empty[0])], "{}") == .noSignature)
    #expect(reason(.revenuecat, "k", empty, "{}") == .noSignature)
  }
}
