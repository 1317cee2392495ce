internal import CreditJSON
package import CreditModel
internal import CreditSystem

/// The store's rules, `policy.json`: edited by people, read at the start of every run and again when
/// it, or the catalog that it names, has changed.
package final class PolicyFile {
  package static let name = "policy.json"

  /// The most bytes of a policy or catalog.
  package static let byteLimit = 16 << 20

  private let directory: StoreDirectory
  private var cached: (status: FileStatus, policy: Policy, catalog: CatalogFile?)?

  package init(in directory: StoreDirectory) {
    self.directory = directory
  }

  /// The policy as it stands.
  /// - Throws: `invalid_policy`, with the path of what is wrong in it; `io_error`.
  package func load() throws(CreditError) -> Policy {
    let status = try reporting { () throws(StoreFault) in try directory.status(of: Self.name) }
    guard let status else {
      throw CreditError(
        .invalidPolicy, "the store has no \(Self.name); credit-store policy --set puts one there")
    }
    if let cached, cached.status == status, cached.catalog?.isCurrent ?? true {
      return cached.policy
    }
    let text = try read()
    var catalog: CatalogFile?
    let policy = try Self.check(text, in: directory, catalog: &catalog)
    cached = (status, policy, catalog)
    return policy
  }

  /// The text of the policy.
  /// - Throws: `invalid_policy` where there is none; `io_error`.
  package func text() throws(CreditError) -> [UInt8] {
    _ = try load()
    return try read()
  }

  private func read() throws(CreditError) -> [UInt8] {
    try reporting { () throws(StoreFault) in
      try directory.readFile(Self.name, limit: Self.byteLimit)
    }
  }

  /// The policy of a store that was given none.
  package static func standard() throws(CreditError) -> Policy {
    try decode(Array(PolicyText.standard.utf8)) { value throws(CreditError) in
      try PolicyDecoder.decode(value)
    }
  }

  /// Checks a policy's text whole, and the catalog that it names.
  /// - Parameter directory: the policy's folder, where its catalog lies.
  /// - Throws: `invalid_policy`.
  package static func check(_ text: [UInt8], in directory: StoreDirectory) throws(CreditError)
    -> Policy
  {
    var catalog: CatalogFile?
    return try check(text, in: directory, catalog: &catalog)
  }

  private static func check(
    _ text: [UInt8], in directory: StoreDirectory, catalog: inout CatalogFile?
  ) throws(CreditError) -> Policy {
    try decode(text) { value throws(CreditError) in
      try PolicyDecoder.decode(value) { name throws(CreditError) in
        let file = try CatalogFile.open(name, in: directory)
        catalog = file
        return file
      }
    }
  }

  static func decode<Value>(
    _ text: [UInt8], _ body: (JSONValue) throws(CreditError) -> Value
  ) throws(CreditError) -> Value {
    let document: JSONDocument
    do {
      document = try JSONDocument(text)
    } catch {
      throw CreditError(
        .invalidPolicy, "line \(error.line), byte \(error.offset): \(error.reason.message)",
        [.line(error.line), .offset(error.offset)])
    }
    if let name = document.duplicateName {
      throw CreditError(.invalidPolicy, "member \(quoted(name)) stands twice in one object")
    }
    return try document.withRoot(body)
  }
}

extension LocalStore {
  /// The texts of the policy and of the catalog that it names, both checked.
  /// - Throws: `no_store`, `invalid_policy`, `io_error`, `permission_denied`.
  package func priceTexts() throws(CreditError) -> [[UInt8]] {
    let policy = try policyText()
    let name = try PolicyFile.decode(policy) { $0.string("catalog") }
    guard let name else { return [policy] }
    let path = CatalogFile.path(of: name, in: directory)
    return [policy, try CatalogFile.text(path, system: system)]
  }
}
