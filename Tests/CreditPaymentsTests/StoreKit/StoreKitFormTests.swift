import CreditModel
import Foundation
import Testing

@testable import TestSupport

/// Unsigned forms: Xcode's environments, and plain JSON.
@Suite struct StoreKitFormTests {
  private let json = #"{"transactionId":"7","productId":"pack","quantity":2,"price":9980}"#

  private func accepting() throws -> StoreKitFixture {
    let fixture = try StoreKitFixture()
    fixture.policy.acceptsUnverifiedTransactions = true
    fixture.policy.appStore = nil
    return fixture
  }

  private func storeKit(_ request: GateRequest?) throws -> StoreKitRequest {
    guard case .storeKit(let request) = request else { throw SigningChain.Failure() }
    return request
  }

  private func code(_ fixture: StoreKitFixture, _ json: String) -> CreditError.Code? {
    (failure { try fixture.request(json) } as? CreditError)?.code
  }

  @Test func unsignedJSONIsRefusedUnlessThePolicyTakesIt() throws {
    let fixture = try StoreKitFixture()
    #expect(code(fixture, json) == .unverifiedTransaction)
    fixture.policy.appStore = nil
    #expect(code(fixture, json) == .unverifiedTransaction)
    #expect(try storeKit(try accepting().request(json)).transaction.quantity == 2)
  }

  /// No command is run while the store is locked; other requests are read meanwhile.
  @Test func onlyStoreKitsNewsWaitsForTheBatchBeingServed() throws {
    let fixture = try accepting()
    #expect(try fixture.request(#"{"key":"k","credits":5}"#) == nil)
    #expect(fixture.waitCount == 0)
    _ = try fixture.request(json)
    #expect(fixture.waitCount == 1)
  }

  @Test func unsignedJSONMayBeText() throws {
    let text = #"""
      {"transaction_data":"{\"transaction_id\":\"7\",\"product_id\":\"pack\"}",
       "product_id":"pack","account":"a"}
      """#
    let request = try storeKit(try accepting().request(text))
    #expect(request.account?.text == "a" && request.transaction.id.text == "7")
  }

  @Test func claimsOfUnsignedJSONMustBeRightWhereGiven() throws {
    let fixture = try StoreKitFixture()
    fixture.policy.acceptsUnverifiedTransactions = true
    #expect(code(fixture, json) == nil)
    for claim in [#""bundleId":"com.other""#, #""environment":"Production""#] {
      #expect(code(fixture, json.replacing("}", with: ",\(claim)}")) == .unverifiedTransaction)
    }
  }

  @Test(arguments: [AppStore.Environment.xcode, .localTesting])
  func localEnvironmentsAreNotSigned(environment: AppStore.Environment) throws {
    let fixture = try StoreKitFixture(environment: environment)
    let payload = """
      {"transactionId":"0","productId":"pack","type":"Consumable","signedDate":1697679936049.7097,
       "bundleId":"com.example.credits","environment":"\(environment.rawValue)"}
      """
    let text = "eyJhbGciOiJub25lIn0.\(SigningChain.url(payload.utf8))."
    #expect(fixture.reason(text) == nil)
    let other = payload.replacing(environment.rawValue, with: "Sandbox")
    #expect(fixture.reason("eyJ9.\(SigningChain.url(other.utf8)).") == "environment")
  }

  @Test(arguments: [
    #""product":"other""#, #""type":"bonus""#, #""status":"pending""#, #""expiresIn":"1d""#,
    #""quantity":3"#, #""appAccountToken":"x""#, #""product_id":"other""#, #""price":"9.99""#,
    #""currency":"usd""#,
  ])
  func membersBesideMustAgree(member: String) throws {
    let data = json.replacing(#"""#, with: #"\""#)
    #expect(
      code(try accepting(), #"{"transaction_data":"\#(data)",\#(member)}"#) == .invalidRequest)
  }

  @Test func membersBesideMayRepeatAndAdd() throws {
    let data = json.replacing(#"""#, with: #"\""#)
    let request = try storeKit(
      try accepting().request(
        #"{"transaction_data":"\#(data)","product":"pack","quantity":2,"type":"purchase","#
          + #""price":9.98,"currency":"USD","reason":"r","below":5}"#
      ))
    #expect(request.transaction.price == "9.98" && request.transaction.currency == "USD")
    #expect(request.reason == "r" && request.below == 5)
  }

  @Test func flagsMustAgreeWithTheTransaction() throws {
    let token = json.replacing("}", with: #","appAccountToken":"7E3FB20B-4CDB"}"#)
    let fixture = try accepting()
    fixture.flags = ["--app-account-token", "7e3fb20b-4cdb"]
    #expect(code(fixture, token) == nil)
    #expect(code(fixture, json) == .invalidRequest)
    fixture.flags = ["--quantity", "3"]
    #expect(code(fixture, json) == .invalidRequest)
    fixture.flags = ["--type", "bonus"]
    #expect(code(fixture, json) == .invalidRequest)
  }
}

/// The cases beside the project, if they exist.
@Suite(.enabled(if: StoreKitManifest.isThere && SigningChain.isPossible))
struct StoreKitManifestTests {
  @Test func everyCaseHasItsResult() throws {
    let cases = try StoreKitManifest.cases()
    #expect(cases.count > 20)
    for entry in cases where entry.kind != "renewalInfo" {
      let fixture = try StoreKitFixture(
        root: try StoreKitManifest.bytes(entry.root), bundleID: entry.config.bundleId,
        environment: try #require(AppStore.Environment(rawValue: entry.config.environment)),
        appAppleID: entry.config.appAppleId)
      let text = String(decoding: try StoreKitManifest.bytes(entry.file), as: UTF8.self)
      let member = entry.kind == "notification" ? "signedPayload" : "signedTransactionInfo"
      let signed = text.trimmingCharacters(in: .whitespacesAndNewlines)
      let reason = fixture.reason(signed, in: member) ?? fixture.refusal(signed, in: member)
      // A subscription is not refused for its type: the catalog has to have its product.
      let expected = entry.reason == "type" ? nil : entry.reason
      #expect(reason == expected, "\(entry.file) in \(entry.config)")
    }
  }
}

enum StoreKitManifest {
  struct Case: Decodable {
    struct Configuration: Decodable {
      var bundleId: String
      var environment: String
      var appAppleId: Int64?
    }

    struct Expectation: Decodable {
      var verify: String
      var status: String
      var grant: String
    }

    var file: String
    var kind: String
    var root: String
    var config: Configuration
    var expected: Expectation

    /// Why the case is refused, if it is.
    var reason: String? {
      switch expected.status.split(separator: " ").first {
      case "OK":
        switch expected.grant {
        case "no-type": "type"
        case "no-malformed": "missing_id"
        default: nil
        }
      case "INVALID_APP_IDENTIFIER": config.environment == "Production" ? "app_id" : "bundle_id"
      case "INVALID_ENVIRONMENT": "environment"
      case "INVALID_CHAIN_LENGTH": "certificates"
      default:
        switch file.split(separator: "/").last {
        case "leaf-without-oid.jws": "certificate_purpose"
        case "other-root.jws": "chain"
        case "alg-hs256.jws": "algorithm"
        default: "certificates"
        }
      }
    }
  }

  private static let folder = Checkout.data.appending(path: "storekit")

  static let isThere = FileManager.default.fileExists(
    atPath: folder.appending(path: "manifest.json").path())

  static func cases() throws -> [Case] {
    struct Manifest: Decodable { var cases: [Case] }
    return try JSONDecoder().decode(Manifest.self, from: Data(bytes("manifest.json"))).cases
  }

  static func bytes(_ file: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: folder.appending(path: file)))
  }
}
