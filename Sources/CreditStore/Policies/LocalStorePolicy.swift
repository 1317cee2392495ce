internal import CreditJSON
package import CreditModel

extension LocalStore {
  /// The text of the policy, as its author wrote it.
  /// - Throws: `no_store`, `invalid_policy`, `io_error`.
  package func policyText() throws(CreditError) -> [UInt8] {
    guard try hasPolicy() else { return Array(PolicyText.standard.utf8) }
    return PolicyNames.authorsText(try policyFile.inForce().text())
  }

  /// The texts of the policy and of the catalog that it names, both checked.
  /// - Throws: `no_store`, `invalid_policy`, `io_error`, `permission_denied`.
  package func priceTexts() throws(CreditError) -> [[UInt8]] {
    guard try hasPolicy() else { return [Array(PolicyText.standard.utf8)] }
    let policy = try policyFile.inForce()
    guard let catalog = policy.catalog else { return [try policy.text()] }
    return [try policy.text(), try catalog.text()]
  }

  /// Reads and checks a policy that is to be the store's, and the files that it names.
  /// - Throws: `invalid_policy`, `io_error`, `permission_denied`.
  package func policyDraft(_ path: String) throws(CreditError) -> PolicyDraft {
    let text = try InputFile.read(path, system)
    let folder = StoreDirectory(path: StoreDirectory.parent(of: path) ?? ".", system: system)
    return try PolicyDraft(text, of: quoted(path), from: folder, for: directory)
  }

  /// Checks a policy that is to be the store's. The files that it names are in the store.
  /// - Parameter enclosed: the files that came with it; then it names no file elsewhere.
  /// - Throws: `invalid_policy`, `io_error`, `permission_denied`.
  package func policyDraft(text: [UInt8], enclosed: [String: [UInt8]]? = nil)
    throws(CreditError) -> PolicyDraft
  {
    try PolicyDraft(text, of: "the policy", from: nil, enclosed: enclosed, for: directory)
  }

  /// Replaces the policy, in one step.
  /// - Throws: `no_store`, `io_error`, `permission_denied`, `store_locked`.
  package func setPolicy(_ policy: PolicyDraft) throws(CreditError) {
    try requireExists()
    try reporting { () throws(StoreFault) in
      try withWriteLock { () throws(StoreFault) in try policy.install(in: directory) }
    }
  }
}
