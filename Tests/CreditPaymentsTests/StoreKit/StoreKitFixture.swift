import CreditModel
import CreditStore
import CreditSystem
import Foundation

@testable import CreditCommand
@testable import CreditPayments
@testable import TestSupport

/// A policy's folder with a root certificate in it, and StoreKit requests read under the policy.
final class StoreKitFixture {
  private let folder: URL
  private let service: StoreKitService
  var policy: Policy
  var flags: [String] = []
  var now = Timestamp(milliseconds: Int64(Date.now.timeIntervalSince1970) * 1000)

  /// A purchase of its app.
  static let purchase =
    #"{"transactionId":"1","productId":"pack","type":"Consumable","#
    + #""bundleId":"com.example.credits","environment":"Sandbox"}"#

  /// - Parameters:
  ///   - root: the trusted certificate, in DER or PEM.
  ///   - path: the command's search path.
  init(
    root: [UInt8]? = nil, bundleID: String = "com.example.credits",
    environment: AppStore.Environment = .sandbox, appAppleID: Int64? = nil,
    path: String = ProcessInfo.processInfo.environment["PATH"] ?? ""
  ) throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "kit-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    if let root { try Data(root).write(to: folder.appending(path: "root.cer")) }
    let policyFolder = folder.path()
    service = StoreKitService(path: path) { file throws(CreditError) in
      try RootCertificate.load(file, in: policyFolder, PosixSystem())
    }
    policy = Policy(
      prices: try PriceCatalog(
        models: [],
        products: [Product(id: Name(trusted: "pack"), name: "10 credits", credits: 10)]))
    policy.appStore = AppStore(
      bundleID: bundleID, environment: environment, appAppleID: appAppleID,
      rootCertificate: root == nil ? nil : "root.cer")
  }

  deinit {
    try? FileManager.default.removeItem(at: folder)
  }

  /// How many requests have waited for the batch that is being served.
  var waitCount = 0

  func request(_ json: String) throws -> GateRequest? {
    let context = RequestContext(
      flags: try RequestFlags(ArgumentParser(.topup).parse(flags)), now: now, under: policy)
    return try JSONDocument(json).withRoot { value in
      let reader = try RequestReader(.value(value), context)
      return try reader.storeKit(
        service, under: policy, systemTime: now, isStrict: false, waiting: { waitCount += 1 })
    }
  }

  func transaction(_ text: String, in member: String = "signedTransactionInfo") throws
    -> StoreKitRequest?
  {
    guard case .storeKit(let request) = try request(#"{"\#(member)":"\#(text)"}"#) else {
      return nil
    }
    return request
  }

  /// Returns why the ledger ignores a valid signed text, or nil.
  func refusal(_ text: String, in member: String) -> String? {
    guard var request = try? transaction(text, in: member) else { return nil }
    request.account = Name(trusted: "judge")
    let ledger = Ledger(books: MemoryBooks(), policy: policy, systemTime: now) { _ in
      Name(trusted: "id")
    }
    let error = failure { () throws(CreditError) in try ledger.perform(.storeKit(request)) }
    for case .reason(let reason) in error?.details ?? [] { return reason }
    return nil
  }

  /// Returns why a signed text is rejected, or nil.
  func reason(_ text: String, in member: String = "signedTransactionInfo") -> String? {
    do {
      _ = try request(#"{"\#(member)":"\#(text)"}"#)
      return nil
    } catch let error as CreditError {
      for detail in error.details {
        if case .reason(let reason) = detail { return reason }
      }
      return error.code.rawValue
    } catch {
      return "\(error)"
    }
  }
}
