import CreditJSON
import Testing

@testable import TestSupport

/// Apple's marks count as the kind of an extension alone, wherever else a holder got them written.
@Suite(.slow, .enabled(if: SigningChain.isPossible, "openssl is not installed"))
struct CertificateMarkTests {
  private func reason(_ chain: SigningChain, _ certificates: [[UInt8]]? = nil) throws -> String? {
    let fixture = try StoreKitFixture(root: chain.certificates[2])
    return fixture.reason(try chain.sign(StoreKitFixture.purchase, certificates: certificates))
  }

  @Test(arguments: [
    "/CN=x OBJECT            :1.2.840.113635.100.6.11.1",
    "/CN=x\n  286:d=4  hl=2 l=  12 prim: OBJECT :1.2.840.113635.100.6.11.1",
    "/CN=x/1.2.840.113635.100.6.11.1=hello",
  ])
  func nameOfTheSignerIsNotAMark(subject: String) throws {
    let chain = try SigningChain(signer: "unmarked", subjects: ["signer": subject])
    #expect(try reason(chain) == "certificate_purpose")
  }

  @Test(arguments: [
    "/CN=y OBJECT            :1.2.840.113635.100.6.2.1",
    "/CN=y\n  286:d=4  hl=2 l=  12 prim: OBJECT :1.2.840.113635.100.6.2.1",
    "/CN=y/1.2.840.113635.100.6.2.1=hello",
  ])
  func nameOfTheIssuerIsNotAMark(subject: String) throws {
    let chain = try SigningChain(issuer: "root", subjects: ["issuer": subject])
    #expect(try reason(chain) == "certificate_purpose")
  }

  @Test(arguments: ["purpose", "policy", "longer", "issuers"])
  func otherExtensionIsNotAMark(extensions: String) throws {
    #expect(try reason(SigningChain(signer: extensions)) == "certificate_purpose")
  }

  /// Bytes behind a certificate are not signed.
  @Test func bytesBehindACertificateAreNotAMark() throws {
    let chain = try SigningChain(signer: "unmarked")
    var certificates = chain.certificates
    certificates[0] += [0x06, 0x0a, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x63, 0x64, 0x06, 0x0b, 0x01]
    #expect(try reason(chain, certificates) == "chain")
  }

  /// A line break in a name does not make a chain of two look like one of three.
  @Test func nameDoesNotLengthenTheChain() throws {
    let chain = try SigningChain(
      subjects: ["signer": "/CN=x\ndepth=2: CN = Root"], signerIsIssuedByRoot: true)
    #expect(try reason(chain) == "chain")
  }

  /// An issuer that only looks like a certificate to us is the request's fault, not the command's.
  @Test func unreadableIssuerIsRefused() throws {
    let chain = try SigningChain()
    let empty: [UInt8] = [0x30, 0]
    let body = [0x30, 13, 0x02, 1, 7] + empty + empty + empty + empty + empty
    let hollow = [0x30, 20] + body + empty + [0x03, 1, 0]
    #expect(Certificate(hollow) != nil)
    let all = chain.certificates
    #expect(try reason(chain, [all[0], hollow, all[2]]) == "chain")
    #expect(try reason(chain, [hollow, all[1], all[2]]) == "chain")
  }

  @Test(arguments: [("unmarked", "P-256", "certificate_purpose"), ("signer", "P-384", "algorithm")])
  func verdictIsTheSameEachTime(signer: String, curve: String, verdict: String) throws {
    let chain = try SigningChain(signer: signer, curve: curve)
    let fixture = try StoreKitFixture(root: chain.certificates[2])
    let text = try SigningChain().sign(StoreKitFixture.purchase, certificates: chain.certificates)
    let stranger = try SigningChain().sign(StoreKitFixture.purchase)
    for _ in 0..<3 {
      #expect(fixture.reason(text) == verdict)
      #expect(fixture.reason(stranger) == "chain")
    }
  }
}
