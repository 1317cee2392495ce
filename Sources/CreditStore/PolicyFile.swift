internal import CreditJSON
package import CreditModel

/// The store's rules, `policy.json`: edited by people, read at the start of every run and again when
/// it has changed.
package final class PolicyFile {
  package static let name = "policy.json"

  /// The most bytes of a policy or catalog.
  package static let byteLimit = 16 << 20

  private let directory: StoreDirectory
  private var cached: (status: FileStatus, policy: Policy)?

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
    if let cached, cached.status == status { return cached.policy }
    let text = try reporting { () throws(StoreFault) in
      try directory.readFile(Self.name, limit: Self.byteLimit)
    }
    let policy = try Self.check(text, in: directory)
    cached = (status, policy)
    return policy
  }

  /// The text of the policy.
  /// - Throws: `invalid_policy` where there is none; `io_error`.
  package func text() throws(CreditError) -> [UInt8] {
    _ = try load()
    return try reporting { () throws(StoreFault) in
      try directory.readFile(Self.name, limit: Self.byteLimit)
    }
  }

  /// The policy of a store that was given none.
  package static func standard() throws(CreditError) -> Policy {
    try decode(Array(PolicyText.standard.utf8)) { value throws(CreditError) in
      try PolicyDecoder.decode(value)
    }
  }

  /// Checks a policy's text whole.
  /// - Parameter directory: the policy's folder, where its catalog lies.
  /// - Throws: `invalid_policy`.
  package static func check(_ text: [UInt8], in directory: StoreDirectory) throws(CreditError)
    -> Policy
  {
    try decode(text) { value throws(CreditError) in
      try PolicyDecoder.decode(value) { file throws(CreditError) in
        let path = file.hasPrefix("/") ? file : directory.path(of: file)
        return try CatalogFile.load(path, system: directory.system)
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

/// A file of prices: models and products in the policy's form.
package enum CatalogFile {
  /// Reads and checks a catalog.
  /// - Throws: `invalid_policy`, `io_error`.
  package static func load(_ path: String, system: any SystemCalls) throws(CreditError)
    -> PriceCatalog
  {
    let text = try reporting { () throws(StoreFault) in
      try PlainFile.read(path, limit: PolicyFile.byteLimit, system)
    }
    do {
      return try PolicyFile.decode(text) { value throws(CreditError) in
        try PolicyDecoder.decodeCatalog(value)
      }
    } catch {
      throw CreditError(error.code, "\(quoted(path)): \(error.message)", error.details)
    }
  }
}
