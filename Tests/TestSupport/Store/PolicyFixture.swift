import CreditModel
import CreditSystem
import Foundation

@testable import CreditStore

/// Policies that come in pairs with their files: number N is called "uN", prices the model "m" at N
/// credits a unit, and trusts the certificate N.
struct PolicyFixture {
  let drafts: StoreDirectory
  let system: any SystemCalls

  init(drafts: StoreDirectory) {
    self.drafts = drafts
    system = drafts.system
  }

  static let names = ["prices.json", "root.cer"]

  static func text(_ number: Int) -> String {
    """
    {"unit": "u\(number)", "catalog" : "prices.json",
     "appStore": {"bundleID": "b", "environment": "Sandbox", "rootCertificate": "root.cer"}}
    """
  }

  static func catalog(_ number: Int) -> String {
    #"{"models": [{"id": "m", "creditsPerUnit": \#(number)}]}"#
  }

  /// Writes a policy and its files, and returns the policy's path.
  func write(_ number: Int) throws -> String {
    try drafts.create()
    try drafts.replaceFile("draft.json", with: Array(Self.text(number).utf8))
    try drafts.replaceFile("prices.json", with: Array(Self.catalog(number).utf8))
    try drafts.replaceFile("root.cer", with: PlainCertificate.der(serial: UInt8(number)))
    return drafts.path(of: "draft.json")
  }

  /// The policy, read and checked.
  func draft(_ number: Int, for store: LocalStore) throws -> PolicyDraft {
    try store.policyDraft(try write(number))
  }

  /// The number of a policy's and its files' pair; nil if they do not belong together.
  static func number(of policy: Policy, in directory: StoreDirectory) throws -> Int? {
    let price = try policy.model("m", at: .earliest).pricing
    let certificate = try RootCertificate.load(
      policy.appStore?.rootCertificate ?? "", in: directory.path, directory.system)
    return (1...9).first { number in
      policy.unit == "u\(number)" && price == .perUnit(ExactDecimal(coefficient: Int128(number)))
        && certificate == PlainCertificate.der(serial: UInt8(number))
    }
  }
}
