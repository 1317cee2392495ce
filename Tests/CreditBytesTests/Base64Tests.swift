import CreditBytes
import Foundation
import Testing

@testable import TestSupport

@Suite struct Base64Tests {
  private func decode(_ text: String, _ alphabet: Base64.Alphabet) -> [UInt8]? {
    Base64.decode(Array(text.utf8), alphabet)
  }

  @Test func agreesWithFoundation() {
    var generator = SeededGenerator(seed: 7)
    for count in 0..<200 {
      let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
      let text = Data(bytes).base64EncodedString()
      #expect(Base64.encode(bytes) == Array(text.utf8))
      #expect(decode(text, .standard) == bytes)
      let url = text.replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
      #expect(decode(url, .url) == bytes)
    }
  }

  @Test(arguments: ["A", "AA", "AAA", "AA=", "AA===", "====", "AA==AA==", "A A=", "AB==", "A-_="])
  func refusesNonstandardText(text: String) {
    #expect(decode(text, .standard) == nil)
  }

  @Test(arguments: ["A", "AA==", "AB", "AA+/", "AAAAA", "A\nAA", "é"])
  func refusesTextOutsideTheURLAlphabet(text: String) {
    #expect(decode(text, .url) == nil)
  }

  @Test func certificateFiles() {
    let der: [UInt8] = [0x30] + (0..<100).map { UInt8($0) }
    let pem = CertificateText.encode(der)
    #expect(pem.split(separator: 10).allSatisfy { $0.count <= 64 })
    #expect(CertificateText.decode(der) == der)
    #expect(CertificateText.decode(pem) == der)
    #expect(CertificateText.decode(Array("Subject: x\r\n".utf8) + pem) == der)
    #expect(CertificateText.decode(pem + pem) == nil)
    #expect(CertificateText.decode(Array("no certificate".utf8)) == nil)
  }
}
