internal import CreditJSON
package import CreditModel
internal import CreditSystem

/// The store's rules, `policy.json`: edited by people, read at the start of every run and again
/// when it, or the catalog that it names, has changed.
package final class PolicyFile {
  package static let name = "policy.json"

  /// The most bytes of a policy or catalog.
  package static let byteLimit = 16 << 20

  /// How often the policy may be replaced while it is being read.
  private static let readLimit = 10

  private let directory: StoreDirectory
  private var known: PolicyInForce?

  package init(in directory: StoreDirectory) {
    self.directory = directory
  }

  /// Whether there is one.
  /// - Throws: `permission_denied`, `io_error`.
  func exists() throws(CreditError) -> Bool { try status() != nil }

  /// The policy as it stands.
  /// - Throws: `invalid_policy`, with the path of what is wrong in it; `io_error`.
  package func load() throws(CreditError) -> Policy { try inForce().policy }

  /// The policy as it stands, with its text and its catalog: all of one moment.
  /// - Throws: what ``load()`` throws.
  func inForce() throws(CreditError) -> PolicyInForce {
    if let known, try isCurrent(known) { return known }
    var readCount = 0
    while true {
      readCount += 1
      let (text, status) = try read()
      do throws(CreditError) {
        let (policy, catalog) = try Self.check(text, in: directory)
        let isSettled = CatalogFile.isSettled(
          status, at: directory.system.currentMilliseconds())
        let read = PolicyInForce(
          text: text, policy: policy, catalog: catalog, status: status, isSettled: isSettled)
        known = read
        return read
      } catch {
        // Half a text, or a catalog that is gone, may be those of a policy that has been replaced.
        if readCount == Self.readLimit { throw error }
        if try self.status() == status { throw error }
      }
    }
  }

  private func isCurrent(_ known: PolicyInForce) throws(CreditError) -> Bool {
    guard known.isSettled, try status() == known.status else { return false }
    return known.catalog?.isCurrent ?? true
  }

  private func status() throws(CreditError) -> FileStatus? {
    try reporting { () throws(StoreFault) in try directory.status(of: Self.name) }
  }

  /// The text, and what the file was before it was read.
  private func read() throws(CreditError) -> (text: [UInt8], status: FileStatus) {
    do throws(StoreFault) {
      let file = try directory.open(Self.name, .read)
      let status = try file.status()
      return (try file.contents(status, limit: Self.byteLimit), status)
    } catch {
      guard case .system(let reason) = error, reason.isMissing else { throw CreditError(error) }
      throw CreditError(
        .invalidPolicy, "the store has no \(Self.name); credit-store policy --set puts one there")
    }
  }

  /// Checks a policy's text whole, and the catalog that it names.
  /// - Parameter directory: the policy's folder, where its catalog lies.
  private static func check(_ text: [UInt8], in directory: StoreDirectory) throws(CreditError)
    -> (Policy, CatalogFile?)
  {
    if let policy = StandardPrices.policy(if: text) { return (policy, nil) }
    var catalog: CatalogFile?
    let policy = try decode(text) { value throws(CreditError) in
      try PolicyDecoder.decode(value) { name throws(CreditError) in
        let file = try CatalogFile.open(name, in: directory)
        catalog = file
        return file
      }
    }
    return (policy, catalog)
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

/// A store's policy as one read found it.
struct PolicyInForce {
  /// As it stands in the file: a file that came with it has the store's name there.
  let text: [UInt8]
  let policy: Policy
  let catalog: CatalogFile?
  let status: FileStatus
  /// Whether any later change of the file shows in its status.
  let isSettled: Bool
}
