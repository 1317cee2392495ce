import Foundation
import Testing

@testable import CreditPayments
@testable import TestSupport

@Suite struct SignedTextTests {
  private func url(_ bytes: some Sequence<UInt8>) -> String {
    Data(bytes).base64EncodedString()
      .replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
  }

  private func text(
    header: String = #"{"alg":"ES256","x5c":["MAA=","MAA=","MAA="]}"#, payload: String = "{}",
    signature: [UInt8] = Array(repeating: 1, count: 64)
  ) -> String {
    "\(url(header.utf8)).\(url(payload.utf8)).\(url(signature))"
  }

  private func reason(_ text: String) -> StoreKitRejection? {
    failure { () throws(StoreKitRejection) in try SignedText(text).signature() }
  }

  @Test func takesATextApart() throws {
    let text = text(payload: #"{"a":1}"#)
    let signed = try SignedText(text)
    #expect(signed.payload == Array(#"{"a":1}"#.utf8))
    let parts = text.split(separator: ".")
    #expect(signed.signedPart == Array("\(parts[0]).\(parts[1])".utf8))
    let signature = try signed.signature()
    #expect(signature.certificates == Array(repeating: [0x30, 0], count: 3))
    #expect(signature.numbers.count == 64)
  }

  @Test(arguments: ["", "eyJ", "eyJ.e", "a.b.c.d", "eyJ..", "ey J.e30.AA", "eyJ=.e30.AA"])
  func malformed(text: String) {
    #expect(reason(text) == .malformed)
  }

  @Test(arguments: [
    #"{"alg":"none","x5c":["MAA=","MAA=","MAA="]}"#,
    #"{"alg":"HS256","x5c":["MAA=","MAA=","MAA="]}"#,
    #"{"alg":"ES384","x5c":["MAA=","MAA=","MAA="]}"#, #"{"x5c":["MAA=","MAA=","MAA="]}"#,
    #"{"alg":["ES256"],"x5c":["MAA=","MAA=","MAA="]}"#,
  ])
  func otherAlgorithms(header: String) {
    #expect(reason(text(header: header)) == .algorithm)
  }

  @Test(arguments: [
    #"{"alg":"ES256"}"#, #"{"alg":"ES256","x5c":"MAA="}"#,
    #"{"alg":"ES256","x5c":["MAA=","MAA="]}"#,
    #"{"alg":"ES256","x5c":["MAA=","MAA=","MAA=","MAA="]}"#,
    #"{"alg":"ES256","x5c":["MAA","MAA=","MAA="]}"#, #"{"alg":"ES256","x5c":[1,2,3]}"#,
    #"{"alg":"ES256","x5c":["","",""]}"#,
  ])
  func otherCertificates(header: String) {
    #expect(reason(text(header: header)) == .certificates)
  }

  @Test(arguments: [
    #"{"alg":"HS256","alg":"ES256","x5c":["MAA=","MAA=","MAA="]}"#, "[]", "{", "\u{0}",
    #"{"alg":"ES256","crit":["b64"],"x5c":["MAA=","MAA=","MAA="]}"#,
  ])
  func malformedHeaders(header: String) {
    #expect(reason(text(header: header)) == .malformed)
  }

  @Test(arguments: [0, 1, 63, 65, 72, 128])
  func signaturesOfAnotherLength(count: Int) {
    #expect(reason(text(signature: Array(repeating: 1, count: count))) == .signature)
  }

  @Test func tooLong() {
    #expect(reason(text(payload: String(repeating: " ", count: 1 << 20))) == .malformed)
  }

  @Test func derIntegers() {
    func der(_ r: [UInt8], _ s: [UInt8]) -> [UInt8] {
      let pad = { (bytes: [UInt8]) in Array(repeating: 0, count: 32 - bytes.count) + bytes }
      return SignedText.Signature(certificates: [], numbers: pad(r) + pad(s)).der
    }
    #expect(der([1], [0x80]) == [0x30, 7, 2, 1, 1, 2, 2, 0, 0x80])
    #expect(der([], [0x7f]) == [0x30, 6, 2, 1, 0, 2, 1, 0x7f])
    #expect(der(Array(repeating: 0xff, count: 32), [2]).count == 2 + 2 + 33 + 3)
  }
}
